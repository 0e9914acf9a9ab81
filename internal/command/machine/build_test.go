package machine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestModulesAreReadWithVersionOrFolder(t *testing.T) {
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{"go.mod": "module example.com/greek\n"})
	for text, want := range map[string]module{
		"github.com/google/uuid@v1.6.0":     {path: "github.com/google/uuid", version: "v1.6.0"},
		"example.com/greek=" + folder:       {path: "example.com/greek", folder: folder},
		"github.com/go-gota/gota/dataframe": {path: "github.com/go-gota/gota/dataframe", version: "latest"},
	} {
		if got, err := readModule(text); err != nil || got != want {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"uuid@", "@v1", "-x@v1", "example.com/greek=/nowhere", "=" + folder, "a b@v1"} {
		if got, err := readModule(text); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
}

func TestKernelsAreNamedAfterWhatTheyAdd(t *testing.T) {
	for want, paths := range map[string][]string{
		"gosphere-uuid": {"github.com/google/uuid"}, "gosphere-chi-yaml.v3": {"github.com/go-chi/chi/v5", "gopkg.in/yaml.v3"}, "gosphere-a-b-c": {"x.y/A", "x.y/b", "x.y/c", "x.y/d"},
	} {
		var list []module
		for _, path := range paths {
			list = append(list, module{path: path})
		}
		if got := kernelName(list); got != want {
			t.Errorf("%v gives %s, want %s", paths, got, want)
		}
	}
}

func TestCopiesHoldWhatABuildNeeds(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	writeFiles(t, from, map[string]string{
		"go.mod": "module gosphere\n", "runtime/symbols/archive/shared.bin": "x", ".git/HEAD": "y", "bin/gosphere": "z", ".venv/pip": "p",
	})
	if err := copySource(to, from); err != nil {
		t.Fatal(err)
	}
	var got []string
	_ = filepath.WalkDir(to, func(name string, entry os.DirEntry, err error) error {
		if relative, _ := filepath.Rel(to, name); err == nil && !entry.IsDir() {
			got = append(got, filepath.ToSlash(relative))
		}
		return err
	})
	if want := []string{"go.mod", "runtime/symbols/archive/shared.bin"}; !slices.Equal(got, want) {
		t.Errorf("the copy holds %q, want %q", got, want)
	}
}

func TestOnlyPackagesThatCellsCanImportAreTaken(t *testing.T) {
	got := importable("greek example.com/greek\nmain example.com/greek/cmd\nlow example.com/greek/internal/low\nletters example.com/greek/letters\n")
	if want := []string{"example.com/greek", "example.com/greek/letters"}; !slices.Equal(got, want) {
		t.Errorf("taken are %q, want %q", got, want)
	}
}

// TestACustomProgramImportsTheAddedModule builds a complete program, which takes minutes; `make
// check` runs it.
func TestACustomProgramImportsTheAddedModule(t *testing.T) {
	if os.Getenv("GOSPHERE_BUILD") == "" {
		t.Skip("set GOSPHERE_BUILD=1 to build a program with a module of its own")
	}
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{
		"greek/go.mod":              "module example.com/greek\n\ngo 1.27\n",
		"greek/greek.go":            "// Package greek knows letters.\npackage greek\n\nimport \"example.com/greek/internal/low\"\n\n// A Letter has a name.\ntype Letter struct{ Name string }\n\n// String is the letter itself.\nfunc (l Letter) String() string { return low.Letters[l.Name] }\n\n// All is how many there are.\nconst All = 24\n",
		"greek/lists/lists.go":      "// Package lists has lists.\npackage lists\n\nimport \"example.com/greek\"\n\n// A List has items.\ntype List[T any] struct{ items []T }\n\n// Of returns a list.\nfunc Of[T any](items ...T) *List[T] { return &List[T]{items} }\n\n// Len counts the items.\nfunc (l *List[T]) Len() int { return len(l.items) }\n\n// Map calls f for each item.\nfunc Map[T, U any](l *List[T], f func(T) U) (list []U) {\n\tfor _, item := range l.items {\n\t\tlist = append(list, f(item))\n\t}\n\treturn list\n}\n\n// Letter is a letter.\nfunc Letter(name string) greek.Letter { return greek.Letter{Name: name} }\n",
		"lists.cells.go":            "// %%\nimport \"example.com/greek/lists\"\ntype mine struct{ n int }\nl := lists.Of(mine{1}, mine{2})\nfmt.Println(l.Len(), lists.Map(l, func(m mine) string { return fmt.Sprint(m.n * 10) }), lists.Letter(\"kappa\"))\n// %%\n%modules\n",
		"greek/internal/low/low.go": "// Package low is internal.\npackage low\n\n// Letters by name.\nvar Letters = map[string]string{\"kappa\": \"κ\"}\n",
		"cells.go":                  "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/greek\"\n)\n\nfunc main() { fmt.Println(greek.Letter{Name: \"kappa\"}, greek.All) }\n",
	})
	program := filepath.Join(folder, "custom")
	var said strings.Builder
	b := Build{Name: "gosphere-hellenic", With: []string{"example.com/greek=" + filepath.Join(folder, "greek")}, Output: program, Source: filepath.Join("..", "..", "..")}
	if err := b.build(context.Background(), &said); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if text := said.String(); !strings.Contains(text, "\n  example.com/greek\n  example.com/greek/lists\n\n") || !strings.Contains(text, "type parameters:\n  example.com/greek/lists\nbuilding") {
		t.Errorf("the build says\n%s", said.String())
	}
	out, err := exec.Command(program, "run", filepath.Join(folder, "cells.go")).CombinedOutput()
	if err != nil || string(out) != "κ 24\n" {
		t.Errorf("the program prints %q, %v", out, err)
	}
	offline := exec.Command(program, "run", filepath.Join(folder, "lists.cells.go"))
	offline.Env = append(os.Environ(), "GOPROXY=off", "PATH=")
	out, err = offline.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "2 [10 20] κ\n") || !strings.Contains(string(out), "compiled in; some from source") {
		t.Errorf("with types of cells as type arguments the program prints %q, %v", out, err)
	}
	out, err = exec.Command(program, "install", "--prefix", folder).CombinedOutput()
	if _, missing := os.Stat(filepath.Join(folder, "share", "jupyter", "kernels", "gosphere-hellenic", "kernel.json")); err != nil || missing != nil {
		t.Errorf("the program installs itself with %q, %v, %v", out, err, missing)
	}
}

func TestBuildsSayHowFarTheyAreAndKeepErrors(t *testing.T) {
	var said, lines strings.Builder
	for i := range 120 {
		fmt.Fprintf(&lines, "example.com/p%d\n", i)
	}
	lines.WriteString("# example.com/broken\nbroken.go:1:2: undefined: x\n")
	others := toolchain{context.Background(), "", &said}.follow(strings.NewReader(lines.String()))
	if want := "# example.com/broken\nbroken.go:1:2: undefined: x\n"; others != want {
		t.Errorf("the errors are %q, want %q", others, want)
	}
	if want := "  50 packages compiled, the last is example.com/p49\n  100 packages compiled, the last is example.com/p99\n"; said.String() != want {
		t.Errorf("the build says %q, want %q", said.String(), want)
	}
}

func TestTheReleaseOfTheSourceIsUsedInEveryEnvironment(t *testing.T) {
	t.Setenv("GOTOOLCHAIN", "local")
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{"go.mod": "module gosphere\n\ngo 1.27\n\ntoolchain go1.27.3\n"})
	for folder, want := range map[string]string{folder: "go1.27.3", t.TempDir(): "auto"} {
		env := toolchain{context.Background(), folder, io.Discard}.command([]string{"build"}).Env
		if got := env[len(env)-1]; got != "GOTOOLCHAIN="+want {
			t.Errorf("the last variable is %s, want GOTOOLCHAIN=%s", got, want)
		}
	}
}

func TestNamesOfKernelsAreChecked(t *testing.T) {
	source := t.TempDir()
	writeFiles(t, source, map[string]string{"go.mod": "module gosphere\n"})
	err := Build{Source: source, Output: filepath.Join(source, "custom"), Name: "a b"}.build(context.Background(), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "--name a b: ") {
		t.Errorf("error %v", err)
	}
}

func writeFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// The source is copied into the build folder and must not replace any files of the user.
func TestAFolderToBuildInIsEmptyOrOfAnEarlierBuild(t *testing.T) {
	source, mine := t.TempDir(), t.TempDir()
	writeFiles(t, source, map[string]string{"go.mod": "module gosphere\n"})
	writeFiles(t, mine, map[string]string{"go.mod": "module mine\n"})
	for work, want := range map[string]string{
		mine:                            "--work " + mine + " contains go.mod and no earlier build",
		source:                          "--work " + source + " is inside the source " + source,
		filepath.Join(source, "a", "b"): "is inside the source " + source,
		filepath.Join(mine, "go.mod"):   "--work " + filepath.Join(mine, "go.mod") + ": ",
	} {
		if err := claim(work, source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", work, err, want)
		}
	}
	work := filepath.Join(t.TempDir(), "new", "folder")
	for range 2 {
		if err := claim(work, source); err != nil {
			t.Error(err)
		}
		writeFiles(t, work, map[string]string{"go.mod": "module gosphere\n"})
	}
	if err := (Build{Source: source, Output: mine}).build(context.Background(), io.Discard); err == nil || err.Error() != "--output "+mine+" is a folder, want a file" {
		t.Errorf("error %v", err)
	}
}
