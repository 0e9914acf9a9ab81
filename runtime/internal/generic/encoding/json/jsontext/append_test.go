package jsontext

import (
	"bytes"
	"encoding/json/jsontext"
	"fmt"
	"testing"
)

type text string

func TestAppendedTextIsThatOfTheStandardFunctions(t *testing.T) {
	for _, src := range []string{"", "a<b\n", "\xff", `"q\u00e9"`, `"open`, `{"b":1, "a":[1,2]}`, `{"a":1,"a":2}`, "1 2"} {
		for name, got := range map[string]func() ([]byte, error){
			"quote":   func() ([]byte, error) { return AppendQuote([]byte("x"), text(src)) },
			"unquote": func() ([]byte, error) { return AppendUnquote([]byte("x"), []byte(src)) },
			"format":  func() ([]byte, error) { return AppendFormat([]byte("x"), src, jsontext.Multiline(true)) },
		} {
			want := map[string]func() ([]byte, error){
				"quote":   func() ([]byte, error) { return jsontext.AppendQuote([]byte("x"), text(src)) },
				"unquote": func() ([]byte, error) { return jsontext.AppendUnquote([]byte("x"), []byte(src)) },
				"format":  func() ([]byte, error) { return jsontext.AppendFormat([]byte("x"), src, jsontext.Multiline(true)) },
			}[name]
			a, errA := got()
			b, errB := want()
			if !bytes.Equal(a, b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
				t.Errorf("%s of %q: %q, %v; want %q, %v", name, src, a, errA, b, errB)
			}
		}
	}
}
