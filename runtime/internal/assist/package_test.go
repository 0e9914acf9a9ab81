package assist

import (
	"go/token"
	"go/types"
	"testing"

	"gosphere/runtime/check"
)

// oneByOne is addPackageMembers without caching: all members are added and sorted, and the best are
// documented.
func oneByOne(f *finder, p *types.Package) {
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			f.addObject(p.Scope().Lookup(name))
		}
	}
	f.document()
}

func TestMembersOfPackagesAreThoseFoundOneByOne(t *testing.T) {
	a := assistant(t, "")
	for _, path := range []string{"syscall", "math", "net/http", "strings", "go/ast", "time", "errors"} {
		for _, before := range []string{"", "var x int = ", "var e error = ", "var s string = ", "_ = 1.5 + ", "fmt.Println("} {
			for _, prefix := range []string{"", "S", "s", "P", "pi", "EN", "New", "nothing"} {
				name := path[len(path)-len(packageName(path)):]
				code := "import (\"fmt\"; \"" + path + "\")\n" + before + name + "."
				for round := range 2 { // the second finds what the first has kept
					draft := parseDraft(code+placeholder, len(code)+len(placeholder))
					if draft == nil {
						t.Fatalf("%s does not parse", code)
					}
					nodes := cursorIn(draft)
					a.session.Probe(draft, func(p *check.Probe) {
						fast := &finder{assistant: a, prefix: prefix, seen: map[string]bool{}}
						fast.find(p, nodes)
						fast.document()
						slow := &finder{assistant: a, prefix: prefix, seen: map[string]bool{}, probe: p, expected: fast.expected}
						imported, err := a.packages.Import(path)
						if err != nil {
							t.Fatal(err)
						}
						oneByOne(slow, imported)
						if len(fast.best()) != len(slow.best()) {
							t.Fatalf("%s%s: %d members, one by one %d", code, prefix, len(fast.matches), len(slow.matches))
						}
						for i, want := range slow.matches {
							if got := fast.matches[i]; got != want {
								t.Fatalf("%s%s, round %d: member %d is %+v, one by one %+v", code, prefix, round, i, got, want)
							}
						}
					})
					draft.Forget()
				}
			}
		}
	}
}
