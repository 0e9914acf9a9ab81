package display

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// sequenceLimit is the maximum number of values taken from a sequence, which may be infinite.
const sequenceLimit = 1000

// isSequence reports whether a value is an iter.Seq or iter.Seq2. Other functions of the same
// signature are shown as functions.
func isSequence(v reflect.Value) bool {
	t := v.Type()
	return t.Kind() == reflect.Func && t.PkgPath() == "iter" && !v.IsNil() && (t.CanSeq() || t.CanSeq2())
}

// sequenceText iterates over a sequence and returns its values in the format of a slice, or its
// pairs one per line.
func sequenceText(v reflect.Value) string {
	var values []any
	var pairs strings.Builder
	n, more := 0, false
	if err := guard(v.Type().String(), func() error {
		if v.Type().CanSeq2() {
			for key, value := range v.Seq2() {
				if n++; n > sequenceLimit {
					more = true
					break
				}
				if n <= rowsShown {
					fmt.Fprintf(&pairs, "%s: %s\n", cellText(key), cellText(value))
				}
			}
			return nil
		}
		for value := range v.Seq() {
			if n++; n > sequenceLimit {
				more = true
				break
			}
			values = append(values, value.Interface())
		}
		return nil
	}); err != nil {
		return v.Type().String() + "\n" + err.Error()
	}
	switch {
	case v.Type().CanSeq2() && n == 0:
		return "no pairs"
	case more && v.Type().CanSeq2():
		return pairs.String() + fmt.Sprintf("… (more than %d pairs)", sequenceLimit)
	case n > rowsShown && v.Type().CanSeq2():
		return pairs.String() + fmt.Sprintf("… (%d pairs)", n)
	case v.Type().CanSeq2():
		return strings.TrimSuffix(pairs.String(), "\n")
	case more:
		return fmt.Sprintf("%s (the first of more than %d values)", plainText(values[:rowsShown]), sequenceLimit)
	}
	return plainText(values)
}

// responseText describes a response by its status and header. It does not read the body.
func responseText(r *http.Response) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s\n", r.Proto, r.Status)
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(r.Header[name], ", "))
	}
	if r.Request != nil && r.Request.URL != nil {
		fmt.Fprintf(&text, "from %s %s\n", r.Request.Method, r.Request.URL.Redacted())
	}
	text.WriteString("the body is read with io.ReadAll(response.Body)")
	return text.String()
}
