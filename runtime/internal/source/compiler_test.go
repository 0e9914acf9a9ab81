package source

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the errors of the compiler and of the loader to testdata")

// A compilerCase is a program of testdata/compiler.txt with the errors of the loader, and with
// those of the compiler if they have other words or positions.
type compilerCase struct{ name, program, loader, compiler string }

const compilerCases = "testdata/compiler.txt"

func readCompilerCases(t *testing.T) (list []compilerCase) {
	t.Helper()
	text, err := os.ReadFile(compilerCases)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(string(text), "== "), "\n== ") {
		var c compilerCase
		c.name, part, _ = strings.Cut(part, "\n")
		part = strings.TrimSuffix(part, "\n") + "\n"
		part, c.compiler, _ = strings.Cut(part, "-- compiler\n")
		c.program, c.loader, _ = strings.Cut(part, "-- errors\n")
		if c.compiler == "" {
			c.compiler = c.loader
		}
		list = append(list, c)
	}
	return list
}

// whole returns the text of the file. A directive with a version belongs before the package clause.
func (c compilerCase) whole() string { return "package main\n" + c.program }

// loaderErrors returns the errors with which the loader refuses a program.
func (c compilerCase) loaderErrors(t *testing.T) string {
	t.Helper()
	l := newLoader(t, nil)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(c.whole()), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := l.LoadProgram(t.Context(), "command-line-arguments", Place{Dir: dir, Local: true}, []string{"a.go"})
	var wrong *ProgramError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &wrong):
		return err.Error() + "\n"
	}
	return strings.ReplaceAll(wrong.Error()+"\n", dir+string(filepath.Separator), "./")
}

// The programs have what the compiler or go/types refuses, and neighbors that both accept.
func TestProgramsAreRefusedAsByTheCompiler(t *testing.T) {
	for _, c := range readCompilerCases(t) {
		t.Run(c.name, func(t *testing.T) {
			if got := c.loaderErrors(t); got != c.loader && !*update {
				t.Errorf("%s\ngives\n%swant\n%s", c.program, got, c.loader)
			}
		})
	}
}

// The compiler is called without the go command, which needs several times as long.
func TestErrorsOfTheCompilerAreAsRecorded(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if version, _ := exec.Command("go", "env", "GOVERSION").Output(); err != nil || strings.TrimSpace(string(version)) != runtime.Version() {
		t.Skip("needs the go command of the release that built the test")
	}
	packages, err := exec.Command(goCommand, "list", "-export", "-deps", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "fmt", "embed", "strings", "time").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	config := file("importcfg", string(packages))
	embed := file("embedcfg", `{"Patterns": {"a.go": ["a.go"]}, "Files": {"a.go": "`+filepath.ToSlash(filepath.Join(dir, "a.go"))+`"}}`)
	arguments := []string{"tool", "compile", "-p", "main", "-complete", "-importcfg", config, "-embedcfg", embed, "-o", filepath.Join(dir, "a.o"), "./a.go"}
	cases := readCompilerCases(t)
	for i := range cases {
		c := &cases[i]
		file("a.go", c.whole())
		command := exec.Command(goCommand, arguments...)
		command.Dir = dir
		output, _ := command.CombinedOutput()
		got := strings.ReplaceAll(strings.ReplaceAll(string(output), dir+string(filepath.Separator), "./"), "\na.go:", "\n./a.go:")
		got = strings.TrimPrefix("\n"+strings.ReplaceAll(got, "\n\ta.go:", "\n\t./a.go:"), "\n")
		if got = strings.ReplaceAll("\n"+got, "\na.go:", "\n./a.go:")[1:]; *update {
			c.compiler, c.loader = got, c.loaderErrors(t)
		} else if got != c.compiler {
			t.Errorf("%s: the compiler says\n%swant\n%s", c.name, got, c.compiler)
		}
		if (got == "") != (c.loader == "") {
			t.Errorf("%s: the compiler says\n%sthe loader\n%s", c.name, got, c.loader)
		}
	}
	if *update {
		writeCompilerCases(t, cases)
	}
}

func writeCompilerCases(t *testing.T, list []compilerCase) {
	t.Helper()
	var b strings.Builder
	for _, c := range list {
		b.WriteString("== " + c.name + "\n" + c.program)
		if c.loader != "" {
			b.WriteString("-- errors\n" + c.loader)
		}
		if c.compiler != c.loader {
			b.WriteString("-- compiler\n" + c.compiler)
		}
	}
	if err := os.WriteFile(compilerCases, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
