package notebook

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/testing/modulestest"
	"gosphere/kernel/nbformat"
)

// exportedGo exports a notebook of cells as a program to a folder.
func exportedGo(t *testing.T, folder string, overwrite bool, cells ...string) error {
	t.Helper()
	return (&Export{File: saved(t, "a.ipynb", cells...), To: "go", Output: folder, Overwrite: overwrite}).export(&bytes.Buffer{})
}

// edit modifies a file and returns its new text.
func edit(t *testing.T, path, old, by string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), old, by, 1)
	if edited == string(text) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	return edited
}

func TestAnExportedProgramThatWasEditedIsReplacedOnRequestOnly(t *testing.T) {
	bringArchive(t)
	for name, change := range map[string][2]string{"main.go": {"show(x + 1)", "show(x + 2)"}, "go.mod": {"go 1.27", "go 1.27.1"}} {
		folder := filepath.Join(t.TempDir(), "a-go")
		for range 2 { // the second time nothing was touched
			if err := exportedGo(t, folder, false, "x := 1", "x + 1"); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(folder, name)
		edited := edit(t, path, change[0], change[1])
		others, err := os.ReadFile(filepath.Join(folder, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		err = exportedGo(t, folder, false, "x := 1", "x + 3")
		want := path + " was changed after the export, or was not exported: name another file with --output, or replace it with --overwrite"
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != edited {
			t.Errorf("%s is lost: %v\n%s", name, err, text)
		}
		if now, err := os.ReadFile(filepath.Join(folder, "main.go")); err != nil || !bytes.Equal(now, others) {
			t.Errorf("%s: main.go was written: %v", name, err)
		}
		if err := exportedGo(t, folder, true, "x := 1", "x + 3"); err != nil {
			t.Errorf("%s with --overwrite: %v", name, err)
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), change[1]) {
			t.Errorf("%s with --overwrite: %v\n%s", name, err, text)
		}
	}
}

func TestAnExportedProgramFollowsItsNotebookWhileNobodyEditsIt(t *testing.T) {
	bringArchive(t)
	folder := filepath.Join(t.TempDir(), "a-go")
	for _, last := range []string{"x + 1", "x + 2"} {
		if err := exportedGo(t, folder, false, "x := 1", last); err != nil {
			t.Fatal(err)
		}
		if program, err := os.ReadFile(filepath.Join(folder, "main.go")); err != nil || !strings.Contains(string(program), "show("+last+")") {
			t.Errorf("%s: %v in\n%s", last, err, program)
		}
	}
}

func TestExportSparesAModuleThatIsNotItsOwn(t *testing.T) {
	bringArchive(t)
	for _, name := range []string{"main.go", "go.mod"} {
		folder := t.TempDir()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("// mine\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := exportedGo(t, folder, false, "1 + 1"); err == nil || !strings.HasPrefix(err.Error(), path+" was changed") {
			t.Errorf("%s: error %v", name, err)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
			t.Errorf("%s: now there are %v, %v", name, files, err)
		}
	}
}

func TestLinesThatTheGoCommandAddsToSumsAreNoEdits(t *testing.T) {
	bringArchive(t)
	folder := filepath.Join(t.TempDir(), "a-go")
	export := func() error {
		e := Export{File: saved(t, "a.ipynb", "stat.Mean([]float64{1, 2}, nil)"), To: "go", Output: folder, Source: filepath.Join("..", "..", "..")}
		return e.export(&bytes.Buffer{})
	}
	if err := export(); err != nil {
		t.Fatal(err)
	}
	sums := filepath.Join(folder, "go.sum")
	edit(t, sums, "\n", "\nexample.org/more v1.0.0 h1:x\n")
	if err := export(); err != nil {
		t.Errorf("with more sums: %v", err)
	}
	edit(t, sums, "\n", "\nexample.org/more v1.0.0 h1:x\n")
	if err := os.Remove(filepath.Join(folder, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if err := export(); err == nil || !strings.HasPrefix(err.Error(), sums+" was changed") {
		t.Errorf("sums of no export: error %v", err)
	}
}

func TestAnExportedModuleRequiresWhatItsPackagesUse(t *testing.T) {
	bringArchive(t)
	p := modulestest.New(t)
	p.Use()
	p.Add("example.com/shape", "v1.2.0", map[string]string{
		"go.mod": "module example.com/shape\ngo 1.21\nrequire (\n\texample.com/unit v1.0.0\n\texample.com/tests v1.0.0\n)\n",
		"s.go":   "package shape\nimport \"example.com/unit\"\nfunc Area() unit.Area { return 4 }", "s_test.go": "package shape\nimport _ \"example.com/tests\"",
	})
	p.Add("example.com/unit", "v1.0.0", map[string]string{"u.go": "package unit\ntype Area int"})
	p.Add("example.com/tests", "v1.0.0", map[string]string{"t.go": "package tests"})
	folder := filepath.Join(t.TempDir(), "a-go")
	if err := exportedGo(t, folder, false, "%require example.com/shape@v1.2.0\nimport \"example.com/shape\"\nshape.Area()"); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if want := "\nrequire example.com/shape v1.2.0\n\nrequire example.com/unit v1.0.0 // indirect\n"; err != nil || !strings.Contains(string(mod), want) || strings.Contains(string(mod), "\nreplace ") {
		t.Errorf("%v\n%s", err, mod)
	}
	if sum, err := os.ReadFile(filepath.Join(folder, "go.sum")); err != nil || !strings.Contains(string(sum), "example.com/shape v1.2.0 h1:") || !strings.Contains(string(sum), "example.com/unit v1.0.0/go.mod h1:") {
		t.Errorf("%v\n%s", err, sum)
	}
	if main, err := os.ReadFile(filepath.Join(folder, "main.go")); err != nil || strings.Contains(string(main), "gosphere/") || !strings.Contains(string(main), "// %require example.com/shape@v1.2.0") {
		t.Errorf("%v\n%s", err, main)
	}
	local := filepath.Join(t.TempDir(), "b-go")
	if err := exportedGo(t, local, false, "import \"./helpers\""); err == nil {
		t.Error("a folder of this machine is exported")
	}
}

// Folders, packages of the notebook's module and other notebooks become packages of the program,
// which compiled Go runs like the notebook.
func TestAnExportedProgramHasItsLocalPackages(t *testing.T) {
	bringArchive(t)
	notebook := saved(t, "a.ipynb", "import \"./my-tools\"\nimport \"./other.ipynb\"\nimport \"example.com/mine/internal/deep\"\nfmt.Println(tools.Loops(), tools.Text(), other.Twice(4), deep.Name)",
		"//go:embed \"my-tools/data/a.txt\"\nvar embedded string\nfmt.Print(embedded)", "var (\n\tn = len(embedded)\n\t//go:embed my-tools/data\n\ttree embed.FS\n)\nlist, _ := tree.ReadDir(\"my-tools/data\")\nfmt.Println(n, list[0].Name())")
	folder := filepath.Dir(notebook)
	for name, text := range map[string]string{
		"go.mod":               "module example.com/mine\n\ngo 1.20\n",
		"my-tools/tools.go":    "package tools\n\nimport (\n\t_ \"embed\"\n\n\t\"example.com/mine/internal/deep\"\n)\n\n//go:embed data/a.txt\nvar text string\n\nfunc Text() string { return text + deep.Name }\n\nfunc Loops() (out []int) {\n\tvar fs []func() int\n\tfor i := 0; i < 3; i++ {\n\t\tfs = append(fs, func() int { return i })\n\t}\n\tfor _, f := range fs {\n\t\tout = append(out, f())\n\t}\n\treturn out\n}\n",
		"my-tools/t_test.go":   "package tools\n\nimport _ \"example.com/tests\"\n",
		"my-tools/data/a.txt":  "text of ",
		"internal/deep/d.go":   "package deep\n\nvar Name = \"deep\"\n",
		"internal/deep/win.go": "//go:build windows\n\npackage deep\n\nconst OnWindows = true\n",
	} {
		name = filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	other := nbformat.New()
	other.Add(nbformat.Code, "fmt.Println(\"not run\")\nfunc Twice(x int) int { return 2 * x }")
	if err := nbformat.WriteFile(filepath.Join(folder, "other.ipynb"), other); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "program")
	for range 2 { // the second export replaces the first
		if err := (&Export{File: notebook, To: "go", Output: out}).export(&bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "run", ".")
	run.Dir = out
	got, err := run.CombinedOutput()
	if want := "[3 3 3] text of deep 8 deep\ntext of 8 a.txt\n"; err != nil || string(got) != want {
		t.Errorf("the program prints %q, want %q; %v", got, want, err)
	}
	edited := filepath.Join(out, "localinternal", "deep", "d.go")
	edit(t, edited, "deep\"", "changed\"")
	if err := (&Export{File: notebook, To: "go", Output: out}).export(&bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), edited+" was changed") {
		t.Errorf("an edited package: %v", err)
	}
}
