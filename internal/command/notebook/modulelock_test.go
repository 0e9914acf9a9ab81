package notebook

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gosphere/internal/testing/modulestest"
	"gosphere/kernel/nbformat"
)

// TestNotebooksStoreTheirModules runs a notebook twice. Between the runs a newer version appears,
// and then the module is changed.
func TestNotebooksStoreTheirModules(t *testing.T) {
	t.Chdir(t.TempDir())
	p := modulestest.New(t)
	p.Use()
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a\nconst V = 1"})
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "%require example.com/a\nimport (\"example.com/a\"; \"fmt\")\nfmt.Println(a.V)")
	if err := nbformat.WriteFile("a.ipynb", notebook); err != nil {
		t.Fatal(err)
	}
	gosphere := func(arguments ...string) string {
		command := exec.Command(os.Args[0], append([]string{"run"}, arguments...)...)
		command.Env = append(os.Environ(), asProgram+"=1")
		out, _ := command.CombinedOutput()
		return string(out)
	}
	printed := func(file string) string {
		n, err := nbformat.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, o := range n.Cells[0].Outputs {
			if o.Name == "stdout" {
				b.WriteString(o.Text)
			}
		}
		return b.String()
	}
	if out := gosphere("a.ipynb", "-o", "b.ipynb"); printed("b.ipynb") != "1\n" {
		t.Fatal(out)
	}
	p.Add("example.com/a", "v1.1.0", map[string]string{"a.go": "package a\nconst V = 2"})
	if out := gosphere("a.ipynb", "-o", "c.ipynb"); printed("c.ipynb") != "2\n" {
		t.Errorf("a notebook without stored modules has the newest: %s", out)
	}
	if out := gosphere("b.ipynb", "-o", "d.ipynb", "--locked"); printed("d.ipynb") != "1\n" {
		t.Errorf("a notebook with stored modules: %s", out)
	}
	if out := gosphere("a.ipynb", "-o", "e.ipynb", "--locked"); !strings.Contains(out, "its modules do not include example.com/a") {
		t.Errorf("--locked without stored modules: %s", out)
	}
	p.Use() // another cache
	p.Add("example.com/a", "v1.0.0", map[string]string{"a.go": "package a\nconst V = 3"})
	if out := gosphere("b.ipynb", "-o", "f.ipynb"); !strings.Contains(out, "checksum mismatch") {
		t.Errorf("a changed module: %s", out)
	}
}
