package difference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"testing"
)

// TestAssignmentsPanicAsCompiled compares assignments and operations whose places, keys and
// operands panic: the text, the order of the calls and what remains.
func TestAssignmentsPanicAsCompiled(t *testing.T) {
	compareAll(t, []string{Assignments()})
}

// TestLabelsAndJumps compares labeled statements of all forms, with all jumps, in all surroundings.
// By default it takes some; GOSPHERE_CROSSING=all takes all.
func TestLabelsAndJumps(t *testing.T) {
	types := importer(t)
	count, all := 0, os.Getenv("GOSPHERE_CROSSING") == "all"
	programs := Jumps(func(function string) bool {
		count++
		return (all || count%9 == 0) && compiles(types, function)
	})
	t.Logf("%d programs", len(programs))
	compareAll(t, programs)
}

// compiles reports whether a function compiles.
func compiles(importer Importer, function string) bool {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "jump.go", "package main\nvar count int\nfunc once() bool { return false }\nfunc step(int) {}\n"+function, 0)
	if err != nil {
		return false
	}
	config := types.Config{Importer: importer, Error: func(e error) { err = e }}
	config.Check("main", fset, []*ast.File{file}, nil)
	return err == nil
}

func compareAll(t *testing.T, programs []string) {
	t.Helper()
	needGo(t)
	finds, err := Compare(programs, inWorkers)
	if err != nil {
		t.Fatal(err)
	}
	if len(finds) != len(programs) {
		t.Errorf("%d of %d programs ended well", len(finds), len(programs))
	}
	for _, f := range finds {
		if f.Verdict != Equal {
			keep(t, f, "-statements")
			got, want := f.FirstDifference()
			t.Errorf("%s\ngot:  %s\nwant: %s", f.Outcome.Failure, got, want)
		}
	}
}
