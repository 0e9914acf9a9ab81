package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Literal returns the Go expression for a value written on a command line.
//
// As in papermill, True and False are booleans, None is nil, whole and decimal numbers are numbers,
// and everything else is a string. Go's true, false and nil are also accepted. A JSON list becomes
// a slice and a JSON object a map with sorted keys, of a single type if the elements agree. The
// wanted type, if not "", resolves ambiguities: a number is a string if a string is wanted, and a
// list or an object gets the wanted type. A text that is not a value of a wanted bool, number,
// slice or map is an error.
func Literal(value, wanted string) (string, error) {
	if wanted == "string" {
		return strconv.Quote(value), nil
	}
	if err := fits(value, wanted); err != nil {
		return "", err
	}
	if composite(wanted) && value != "None" && value != "nil" {
		decoded, err := decode(value)
		if err != nil {
			return "", noJSON(value, wanted, err)
		}
		return jsonLiteral(decoded, wanted)
	}
	switch value {
	case "True", "true":
		return "true", nil
	case "False", "false":
		return "false", nil
	case "None", "nil":
		return "nil", nil
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return strconv.FormatInt(n, 10), nil // without leading zeros, which would mean octal
	}
	if x, err := strconv.ParseFloat(value, 64); err == nil && !strings.ContainsAny(value, "xXpP_") {
		return floatLiteral(x), nil
	}
	if strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
		decoded, err := decode(value)
		if err == nil {
			return jsonLiteral(decoded, wanted)
		}
		if !strings.HasPrefix(value, "{") { // a text in braces may be a pattern
			return "", noJSON(value, wanted, err)
		}
	}
	return strconv.Quote(value), nil
}

// fits returns an error if a text is not a value of a predeclared type.
func fits(value, wanted string) error {
	x, err := strconv.ParseFloat(value, 64)
	number := err == nil && !strings.ContainsAny(value, "xXpP_")
	switch strings.TrimRight(wanted, "0123456789") {
	case "bool":
		if !slices.Contains([]string{"True", "true", "False", "false"}, value) {
			return fmt.Errorf("%q is no bool: write true or false", value)
		}
	case "int", "uint":
		if !number || x != math.Trunc(x) {
			return fmt.Errorf("%q is not an integer, which the notebook's own value is", value)
		}
	case "float":
		if !number {
			return fmt.Errorf("%q is no number", value)
		}
	}
	return nil
}

// floatLiteral formats a number so that Go treats it as a float64.
func floatLiteral(x float64) string {
	switch {
	case math.IsNaN(x):
		return "math.NaN()"
	case math.IsInf(x, 1):
		return "math.Inf(1)"
	case math.IsInf(x, -1):
		return "math.Inf(-1)"
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// composite reports whether a type is a slice or a map.
func composite(wanted string) bool {
	return strings.HasPrefix(wanted, "[]") || strings.HasPrefix(wanted, "map[")
}

// decode decodes a text that is one JSON value.
func decode(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more text follows the value")
	}
	return value, nil
}

// noJSON returns the error for a text that is no list or object.
func noJSON(value, wanted string, err error) error {
	if strings.HasPrefix(wanted, "map[") {
		return fmt.Errorf(`%s is no object as JSON has them, such as {"a": 1}: %w`, value, err)
	}
	return fmt.Errorf(`%s is no list as JSON has them, such as [1, 2] or ["a", "b"]: %w`, value, err)
}

// jsonLiteral returns a JSON value as an expression of a type. If the type is "" or any, the value
// determines it.
func jsonLiteral(value any, wanted string) (string, error) {
	free := wanted == "" || wanted == "any"
	switch value := value.(type) {
	case nil:
		if !free && basic(wanted) {
			return "", fmt.Errorf("null is no value of %s", wanted)
		}
		return "nil", nil
	case []any:
		element, list := strings.CutPrefix(wanted, "[]")
		switch {
		case free:
			element = elementType(slices.Values(value))
			wanted = "[]" + element
		case strings.HasPrefix(wanted, "map["), basic(wanted):
			return "", fmt.Errorf("a list is no value of %s", wanted)
		case !list:
			element = "" // the literal has a declared type
		}
		return sequence(value, wanted, element)
	case map[string]any:
		if free {
			wanted = "map[string]" + elementType(maps.Values(value))
		}
		if strings.HasPrefix(wanted, "[]") || basic(wanted) {
			return "", fmt.Errorf("an object is no value of %s", wanted)
		}
		return object(value, wanted)
	}
	if composite(wanted) {
		return "", fmt.Errorf("%s is no value of %s", shownJSON(value), wanted)
	}
	return scalar(value, wanted)
}

// basic reports whether a type is a predeclared one but any.
func basic(wanted string) bool {
	switch strings.TrimRight(wanted, "0123456789") {
	case "bool", "string", "int", "uint", "float", "byte", "rune":
		return true
	}
	return false
}

// sequence returns a list as a literal.
func sequence(list []any, wanted, element string) (string, error) {
	parts := make([]string, len(list))
	for i, value := range list {
		part, err := jsonLiteral(value, element)
		if err != nil {
			return "", fmt.Errorf("element %d: %w", i+1, err)
		}
		parts[i] = part
	}
	return wanted + "{" + strings.Join(parts, ", ") + "}", nil
}

// object returns a JSON object as a map literal.
func object(values map[string]any, wanted string) (string, error) {
	key, element := "string", ""
	if rest, ok := strings.CutPrefix(wanted, "map["); ok {
		key, element, _ = strings.Cut(rest, "]") // the key type has no brackets: typeText knows no arrays
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		part, err := jsonLiteral(values[name], element)
		if err != nil {
			return "", fmt.Errorf("the value of %q: %w", name, err)
		}
		at, err := keyLiteral(name, key)
		if err != nil {
			return "", err
		}
		parts = append(parts, at+": "+part)
	}
	return wanted + "{" + strings.Join(parts, ", ") + "}", nil
}

// keyLiteral returns a key of a JSON object, which is a text, as a value of a type.
func keyLiteral(name, wanted string) (string, error) {
	if !basic(wanted) || wanted == "string" {
		return strconv.Quote(name), nil
	}
	if err := fits(name, wanted); err != nil {
		return "", fmt.Errorf("the key %w", err)
	}
	return Literal(name, wanted)
}

// scalar returns a JSON number, string or bool as an expression of a type.
func scalar(value any, wanted string) (string, error) {
	kind := strings.TrimRight(wanted, "0123456789")
	ok := true
	switch value.(type) {
	case bool:
		ok = kind == "bool" || !basic(wanted)
	case string:
		ok = kind == "string" || !basic(wanted)
	case json.Number:
		ok = kind != "bool" && kind != "string" && fits(shownJSON(value), wanted) == nil
	}
	if !ok {
		return "", fmt.Errorf("%s is no value of %s", shownJSON(value), wanted)
	}
	return shownJSON(value), nil
}

// shownJSON returns a number, string or bool in the form that Go and JSON have in common.
func shownJSON(value any) string {
	switch value := value.(type) {
	case string:
		return strconv.Quote(value)
	case json.Number:
		return value.String()
	}
	return fmt.Sprint(value)
}

// elementType returns the Go type common to all elements of a list or object, or any.
func elementType(values iter.Seq[any]) string {
	common := ""
	for value := range values {
		kind := "any"
		switch value := value.(type) {
		case bool:
			kind = "bool"
		case string:
			kind = "string"
		case json.Number:
			kind = "float64"
			if _, err := value.Int64(); err == nil {
				kind = "int"
			}
		case []any:
			kind = "[]" + elementType(slices.Values(value))
		case map[string]any:
			kind = "map[string]" + elementType(maps.Values(value))
		}
		switch {
		case common == "" || common == kind:
			common = kind
		case common == "int" && kind == "float64" || common == "float64" && kind == "int":
			common = "float64"
		default:
			return "any"
		}
	}
	if common == "" {
		return "any"
	}
	return common
}
