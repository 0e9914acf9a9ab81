package display

import (
	"database/sql"
	"fmt"
	"image"
	"image/gif"
	"net/http"
	"reflect"
	"sort"
	"strings"

	"gosphere/internal/abridge"
)

// Limits of the text form. A screen shows about 50 lines of 100 characters, so nothing readable is
// lost.
const (
	leafLimit  = 2000          // numbers and strings in a value that is written in full
	textLimit  = abridge.Limit // bytes of text
	depthLimit = 100           // nesting; a slice that contains itself would never end
	shownDepth = 8             // nesting shown of a value that is too large
	headShown  = 10            // first elements shown of a long sequence
	tailShown  = 5             // last elements shown
)

// plainText returns the text/plain form of a value: fmt.Sprint, shortened.
func plainText(value any) string {
	if value == nil || isNilPointer(value) || formatsItself(value) {
		return cut(fmt.Sprint(value))
	}
	if form, ok := formOf(value); ok && form.Text != nil {
		return cut(form.Text())
	}
	switch value := value.(type) {
	case string: // avoids a copy by fmt of a long string
		return cut(value)
	case image.Image:
		size := value.Bounds().Size()
		return fmt.Sprintf("%T %d×%d", value, size.X, size.Y)
	case *gif.GIF:
		return fmt.Sprintf("animation of %d frames, %d×%d", len(value.Image), value.Config.Width, value.Config.Height)
	case sql.Result:
		return resultText(value)
	case *http.Response:
		return cut(responseText(value))
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[byte]() && v.Len() > 0 {
		return bytesText(v.Bytes())
	}
	if isSequence(v) {
		return cut(sequenceText(v))
	}
	if k := v.Kind(); (k == reflect.Func || k == reflect.Chan) && !v.IsNil() { // an address is meaningless and changes from run to run
		return v.Type().String()
	}
	return shortened(v)
}

// shortened returns a value as fmt prints it, or the beginning and end of a large one.
func shortened(v reflect.Value) string {
	counter := leafCounter{left: leafLimit}
	if counter.count(v, 0); counter.left >= 0 {
		return cut(fmt.Sprint(v)) // prints the value in v, also if it is an unexported field
	}
	short := abbreviation{left: leafLimit}
	short.write(v, 0)
	if n, ok := length(v); ok {
		fmt.Fprintf(&short.text, " (%d in all)", n)
	}
	return cut(short.text.String())
}

// formatsItself reports whether fmt calls a method of the value for its text.
func formatsItself(value any) bool {
	switch value.(type) {
	case fmt.Formatter, error, fmt.Stringer:
		return true
	}
	return false
}

// formats is like formatsItself for a value inside another. fmt does not call methods of values
// reached through unexported fields.
func formats(v reflect.Value) bool {
	return v.IsValid() && v.CanInterface() && formatsItself(v.Interface())
}

// cut shortens a text to textLimit and appends a note.
func cut(text string) string { return abridge.Text(text) }

// length returns the number of elements of a sequence or map, or of one that v points to.
func length(v reflect.Value) (int, bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return v.Len(), true
	}
	return 0, false
}

// A leafCounter counts the leaves that fmt would write, up to a limit.
type leafCounter struct {
	left int // negative once the limit is exceeded
}

func (c *leafCounter) count(v reflect.Value, depth int) {
	if depth > depthLimit {
		c.left = -1
	}
	if c.left < 0 || !v.IsValid() || formats(v) {
		c.left--
		return
	}
	switch v.Kind() {
	case reflect.Pointer: // fmt follows only the outermost pointer
		if depth == 0 {
			c.count(v.Elem(), depth+1)
		}
	case reflect.Interface:
		c.count(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Len() > c.left {
			c.left = -1
			return
		}
		for i := 0; i < v.Len() && c.left >= 0; i++ {
			c.count(v.Index(i), depth+1)
		}
	case reflect.Map:
		if v.Len() > c.left {
			c.left = -1
			return
		}
		for entries := v.MapRange(); c.left >= 0 && entries.Next(); {
			c.count(entries.Key(), depth+1)
			c.count(entries.Value(), depth+1)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && c.left >= 0; i++ {
			c.count(v.Field(i), depth+1)
		}
	default:
		c.left--
	}
}

// An abbreviation writes the beginning and end of a large value in fmt's format.
type abbreviation struct {
	text strings.Builder
	left int // leaves that may still be written
}

func (a *abbreviation) write(v reflect.Value, depth int) {
	if a.left <= 0 || depth > shownDepth {
		a.text.WriteString("…")
		return
	}
	a.left--
	if !v.IsValid() {
		a.text.WriteString("<nil>")
		return
	}
	if formats(v) {
		a.text.WriteString(cut(fmt.Sprint(v.Interface())))
		return
	}
	switch {
	case v.Kind() == reflect.Pointer && depth == 0:
		a.text.WriteString("&")
		a.write(v.Elem(), depth+1)
	case v.Kind() == reflect.Interface:
		a.write(v.Elem(), depth+1)
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		a.text.WriteString("[")
		a.sequence(v.Len(), func(i int) { a.write(v.Index(i), depth+1) })
		a.text.WriteString("]")
	case v.Kind() == reflect.Map:
		a.writeMap(v, depth)
	case v.Kind() == reflect.Struct:
		a.text.WriteString("{")
		for i := range v.NumField() {
			if i > 0 {
				a.text.WriteString(" ")
			}
			a.write(v.Field(i), depth+1)
		}
		a.text.WriteString("}")
	default: // fmt prints the value in a reflect.Value, exported or not
		a.text.WriteString(cut(fmt.Sprint(v)))
	}
}

// sequence writes n elements, or the first and last of them.
func (a *abbreviation) sequence(n int, element func(int)) {
	for i := 0; i < n; i++ {
		if i > 0 {
			a.text.WriteString(" ")
		}
		if i == headShown && n > headShown+tailShown+1 {
			a.text.WriteString("… ")
			i = n - tailShown
		}
		element(i)
	}
}

func (a *abbreviation) writeMap(v reflect.Value, depth int) {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keyLess(keys[i], keys[j]) })
	a.text.WriteString("map[")
	a.sequence(len(keys), func(i int) {
		a.write(keys[i], depth+1)
		a.text.WriteString(":")
		a.write(v.MapIndex(keys[i]), depth+1)
	})
	a.text.WriteString("]")
}

// keyLess orders the keys of a map: numbers and strings as fmt does, other keys by their text, so
// that equal maps look equal.
func keyLess(a, b reflect.Value) bool {
	switch {
	case a.CanInt() && b.CanInt():
		return a.Int() < b.Int()
	case a.CanUint() && b.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat() && b.CanFloat():
		return a.Float() < b.Float()
	}
	return fmt.Sprint(a) < fmt.Sprint(b)
}
