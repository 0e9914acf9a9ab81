package nbformat

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Python's json module writes and reads three numbers that JSON does not have, and so do nbformat
// and papermill. In a Notebook they are json.Number values with these texts, whose Float64 is the
// number.
var constants = []string{"NaN", "Infinity", "-Infinity"}

// hideConstants replaces Python's constants by numbers that do not occur in the content, because
// encoding/json refuses them. The result maps these numbers to the constants; it is nil if there
// are none.
func hideConstants(content []byte) ([]byte, map[json.Number]json.Number) {
	if !bytes.Contains(content, []byte("NaN")) && !bytes.Contains(content, []byte("Infinity")) {
		return content, nil
	}
	hidden, byConstant := map[json.Number]json.Number{}, map[string]string{}
	number := "1e1"
	for _, constant := range constants {
		for number += "0"; bytes.Contains(content, []byte(number)); number += "0" {
		}
		hidden[json.Number(number)], byConstant[constant] = json.Number(constant), number
	}
	var result bytes.Buffer
	inString := false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\' && i+1 < len(content):
			result.WriteByte(c)
			i++
		case !inString && (c == 'N' || c == 'I' || c == '-'):
			if constant := constantAt(content, i); constant != "" {
				result.WriteString(byConstant[constant])
				i += len(constant) - 1
				continue
			}
		}
		result.WriteByte(content[i])
	}
	return result.Bytes(), hidden
}

// constantAt returns the constant that is the whole value at a position, or "".
func constantAt(content []byte, i int) string {
	if i > 0 && !strings.ContainsRune(" \t\r\n:[,", rune(content[i-1])) {
		return ""
	}
	for _, constant := range constants {
		rest, found := bytes.CutPrefix(content[i:], []byte(constant))
		if found && (len(rest) == 0 || strings.ContainsRune(" \t\r\n,]}", rune(rest[0]))) {
			return constant
		}
	}
	return ""
}

// showConstants returns a value with the hidden constants put back.
func showConstants(value any, hidden map[json.Number]json.Number) any {
	switch value := value.(type) {
	case json.Number:
		if constant, found := hidden[value]; found {
			return constant
		}
	case []any:
		for i := range value {
			value[i] = showConstants(value[i], hidden)
		}
	case map[string]any:
		for name := range value {
			value[name] = showConstants(value[name], hidden)
		}
	}
	return value
}
