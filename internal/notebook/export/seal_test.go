package export

import (
	"bytes"
	goformat "go/format"
	"maps"
	"strings"
	"testing"
)

func TestASealBreaksWithAnyEdit(t *testing.T) {
	for form, text := range map[string]string{
		"go": "package main\n\nfunc main() {}\n", "html": "<html>{}</html>\n", "markdown": "# {}\n", "slides": "<html>{}</html>\n", "latex": "\\label{}\n",
	} {
		sealed := string(Seal(form, []byte(text)))
		if !Untouched(form, []byte(sealed)) || !strings.HasPrefix(sealed, text) {
			t.Errorf("%s: not its own:\n%s", form, sealed)
		}
		for name, edited := range map[string]string{
			"no seal":        text,
			"nothing":        "",
			"a line inside":  strings.Replace(sealed, "{}", "{ more }", 1),
			"a line below":   sealed + "more\n",
			"another sum":    strings.Replace(sealed, "Checksum ", "Checksum 0", 1),
			"the seal alone": sealed[len(text):],
		} {
			if Untouched(form, []byte(edited)) {
				t.Errorf("%s, %s: untouched:\n%s", form, name, edited)
			}
		}
	}
}

// Programs exported before pages had seals are still recognized.
func TestTheSealOfAProgramIsGofmtsAndStays(t *testing.T) {
	sealed := Seal("go", []byte("package main\n\nfunc main() {}\n"))
	if formatted, err := goformat.Source(sealed); err != nil || !bytes.Equal(formatted, sealed) {
		t.Errorf("gofmt makes of it, with error %v,\n%s", err, formatted)
	}
	const want = "\n// Checksum 55a60bb97151b2b4: while it fits the lines above, exporting again replaces this file.\n"
	if !bytes.HasSuffix(sealed, []byte(want)) {
		t.Errorf("the seal of\n%s", sealed)
	}
}

func TestSealsOfFormsAreTheirComments(t *testing.T) {
	figures := []File{{Name: "a_files/c-1.png", Content: []byte("one")}, {Name: "a_files/c-2.svg", Content: []byte("two")}}
	want := map[string]string{"c-1.png": Sum([]byte("one")), "c-2.svg": Sum([]byte("two"))}
	for form, around := range map[string][2]string{"markdown": {"<!-- ", " -->"}, "latex": {"% ", ""}} {
		sealed := Seal(form, []byte("text\n"), figures...)
		if got := Figures(sealed); !maps.Equal(got, want) {
			t.Errorf("%s: figures %v, want %v", form, got, want)
		}
		if !Untouched(form, sealed) || Untouched(form, bytes.Replace(sealed, []byte(want["c-1.png"]), []byte(want["c-2.svg"]), 1)) {
			t.Errorf("%s: the sums of figures are not under the seal:\n%s", form, sealed)
		}
		for line := range strings.Lines(strings.TrimPrefix(string(sealed), "text\n")) {
			if line = strings.TrimSuffix(line, "\n"); line == "" && form != "latex" {
				continue
			}
			if !strings.HasPrefix(line, around[0]) || !strings.HasSuffix(line, around[1]) {
				t.Errorf("%s: the line %q would be read", form, line)
			}
		}
	}
	if got := Figures([]byte("Checksum 0123456789abcdef of a.png\n")); len(got) != 0 {
		t.Errorf("a text about checksums has the figures %v", got)
	}
}
