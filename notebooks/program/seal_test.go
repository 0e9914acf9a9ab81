package program

import (
	"bytes"
	"go/format"
	"strings"
	"testing"
)

func TestASealBreaksWithAnyEdit(t *testing.T) {
	const program = "package main\n\nfunc main() {}\n"
	sealed := Seal([]byte(program))
	if formatted, err := format.Source(sealed); err != nil || !bytes.Equal(formatted, sealed) {
		t.Errorf("gofmt makes of it, with error %v,\n%s", err, formatted)
	}
	if !Untouched(sealed) {
		t.Errorf("not its own:\n%s", sealed)
	}
	for name, edited := range map[string]string{
		"no seal":        program,
		"nothing":        "",
		"a line inside":  strings.Replace(string(sealed), "{}", "{ println() }", 1),
		"a line below":   string(sealed) + "func f() {}\n",
		"another sum":    strings.Replace(string(sealed), "Checksum ", "Checksum 0", 1),
		"the seal alone": string(sealed[len(program):]),
	} {
		if Untouched([]byte(edited)) {
			t.Errorf("%s: untouched:\n%s", name, edited)
		}
	}
}
