package collect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/internal/collect"
)

// texts returns the files of the package that a file of cells becomes, without the blank lines that
// keep positions.
func texts(t *testing.T, cells string) (text, note string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "my-tools.cells.go")
	if err := os.WriteFile(file, []byte(cells), 0o600); err != nil {
		t.Fatal(err)
	}
	place, note, err := collect.Package(file, sessiontest.Packages(t))
	if err != nil {
		t.Fatal(err)
	}
	if !place.Local || place.File != file || place.Dir != filepath.Dir(file) {
		t.Errorf("the place is %+v", place)
	}
	var b strings.Builder
	for _, f := range place.Files {
		for line := range strings.Lines(f.Text) {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "//line") {
				b.WriteString(strings.TrimSpace(line) + "\n")
			}
		}
	}
	return b.String(), note
}

func TestDeclarationsBecomeFiles(t *testing.T) {
	for name, c := range map[string]struct{ cells, want, note string }{
		"the last declaration":                     {"func F() int { return 1 }\n// %%\nfunc F() int { return 2 }", "package my_tools\nfunc F() int { return 2 }\n", ""},
		"an import of an earlier cell":             {"import \"os\"\n// %%\nvar Args = os.Args", "package my_tools; import  \"os\"\nvar Args = os.Args\n", ""},
		"an import whose path ends with a version": {"import \"math/rand/v2\"\nfunc F() int { return rand.IntN(2) }", "package my_tools; import  \"math/rand/v2\"\nfunc F() int { return rand.IntN(2) }\n", ""},
		"no import":             {"func F() int { return rand.IntN(2) }", "package my_tools; import  \"math/rand/v2\"\nfunc F() int { return rand.IntN(2) }\n", ""},
		"a declaration of must": {"func must() {}\n// %%\nfunc F() { must() }", "package my_tools\nfunc must() {}\npackage my_tools\nfunc F() { must() }\n", ""},
		"statements":            {"const N = 1\n// %%\nprintln(N)", "package my_tools\nconst N = 1\n", "my-tools.cells.go: imported are the declarations of its cells; statements, which 1 of them has, are not run"},
	} {
		if text, note := texts(t, c.cells); text != c.want || note != c.note {
			t.Errorf("%s: %q becomes\n%s\nwith the note %q, want\n%s\nwith %q", name, c.cells, text, note, c.want, c.note)
		}
	}
}

func TestCellsThatCallMustHaveItsFunctions(t *testing.T) {
	text, _ := texts(t, "func F() int { return must(f()) }")
	if !strings.HasPrefix(text, "package my_tools\nfunc F() int { return must(f()) }\npackage my_tools\n") || !strings.Contains(text, "\nfunc must[T any](value T, err error) T {\n") {
		t.Error(text)
	}
}
