package session

import (
	"os"
	"path/filepath"
	"testing"

	"gosphere/internal/testing/modulestest"
	"gosphere/kernel/protocol"
)

// Functions of folders and modules stop at breakpoints in their files, also those that were
// compiled before there was a breakpoint.
func TestDebuggerStopsInPackagesFromSource(t *testing.T) {
	p := modulestest.New(t)
	p.Use()
	t.Chdir(t.TempDir())
	p.Add("example.com/lib", "v1.0.0", map[string]string{"l.go": "package lib\n\ntype Pair[T any] struct{ A, B T }\n\nfunc (p Pair[T]) First() T {\n\tfirst := p.A\n\treturn first\n}\n"})
	const helpers = "package helpers\n\nimport \"example.com/lib\"\n\nfunc Twice(n int) int {\n\tp := lib.Pair[int]{n, n}\n\treturn p.First() + p.B\n}\n"
	if err := os.Mkdir("helpers", 0o777); err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs(filepath.Join("helpers", "h.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(helpers), 0o666); err != nil {
		t.Fatal(err)
	}
	g := newDebugging(t)
	g.run("%require example.com/lib\nimport \"./helpers\"\nhelpers.Twice(1)")
	set := g.SetBreakpoints(file, helpers, []protocol.DebugBreakpoint{atLine(5), atLine(7)})
	if len(set) != 2 || !set[0].Verified || set[0].Line != 6 || !set[1].Verified || set[1].Line != 7 {
		t.Fatalf("breakpoints are %+v", set)
	}
	r := begin(t, g.s, "k := 4\nhelpers.Twice(k)")
	g.stops("breakpoint ./helpers.Twice:6 Cell [2]:2")
	g.shows("Locals", "n int = 4")
	frames, err := g.Stack(g.thread)
	if err != nil || frames[0].Path != file {
		t.Errorf("stack %+v, %v", frames, err)
	}
	g.resume(protocol.DebugNext)
	g.stops("breakpoint ./helpers.Twice:7 Cell [2]:2")
	g.evaluates("n + p.B", "8")
	g.walk(stepped{in, "example.com/lib.Pair.First:6 ./helpers.Twice:7 Cell [2]:2"}, stepped{next, "example.com/lib.Pair.First:7 ./helpers.Twice:7 Cell [2]:2"})
	g.resume(protocol.DebugContinue)
	r.ends("ok")
	g.SetBreakpoints(file, helpers, nil)
	g.run("helpers.Twice(k)")
}
