// Command generate writes the table of compiled functions that leave their arguments alone: those
// through which no memory of the caller changes. Package graph asks it for the possible changes of
// a cell.
//
//	go generate ./runtime/graph
//
// The analysis errs on the side of changes. A function may change an argument if it, or a function
// that it calls, assigns to memory that the argument refers to, keeps a reference to it in a
// variable of a package, sends it, or passes it to code that is not known: assembly, methods of
// interfaces and function values, except those that leave.go lists. The effects of functions that a
// caller passes are the caller's.
//
// Read main.go, then leave.go.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/types"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// patterns are the packages of the table.
var patterns = []string{
	"std", "gonum.org/v1/gonum/...", "gonum.org/v1/plot/...", "gorgonia.org/gorgonia", "gorgonia.org/tensor", "gosphere/runtime/display", "gosphere/runtime/table", "gosphere/plotting/...", "gosphere/asymvlm/...",
}

func main() {
	out := flag.String("out", "alone.txt", "the table")
	flag.Parse()
	log.SetFlags(0)
	all, roots, err := load(patterns)
	if err != nil {
		log.Fatal(err)
	}
	text := table(analyze(all), roots)
	if err := os.WriteFile(*out, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}

// load type-checks packages and those that they import, from source. roots are the paths of the
// first.
func load(patterns []string) (list []*packages.Package, roots map[string]bool, err error) {
	named, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedDeps | packages.NeedImports | packages.NeedFiles}, patterns...)
	if err != nil {
		return nil, nil, err
	}
	roots = map[string]bool{}
	for _, p := range named {
		roots[p.PkgPath] = true
	}
	packages.Visit(named, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			log.Printf("%s: %v", p.PkgPath, e)
		}
		list = append(list, p)
	})
	slices.SortFunc(list, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return list, roots, nil
}

// A function is a function or method with its body.
type function struct {
	object  *types.Func
	syntax  *ast.FuncDecl
	info    *types.Info
	changed mask // parameters, the receiver first, through which it may change memory
}

// A mask is a set of parameters. Those from the 63rd on count as one.
type mask uint64

// bit returns the set of one parameter.
func bit(i int) mask { return 1 << min(i, 63) }

// functions are the functions of all packages.
type functions map[*types.Func]*function

// analyze determines what functions change. It begins with nothing and repeats until no function
// changes more, since functions call each other.
func analyze(all []*packages.Package) functions {
	set := functions{}
	for _, p := range all {
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					if object, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
						set[object] = &function{object: object, syntax: d, info: p.TypesInfo}
					}
				}
			}
		}
	}
	for more := true; more; {
		more = false
		for _, f := range set {
			if changed := set.changes(f); changed != f.changed {
				f.changed, more = f.changed|changed, true
			}
		}
	}
	return set
}

// table returns the text of the table, one line for each of the root packages: its exported
// functions and methods that leave all arguments alone, and those that leave some alone, with the
// indices of the others.
func table(set functions, roots map[string]bool) string {
	lines := map[string][]string{}
	for _, f := range set {
		path := f.object.Pkg().Path()
		if !f.object.Exported() || !roots[path] || strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		list := parameters(f.object.Signature())
		var references mask
		for i, v := range list {
			if refers(v.Type()) {
				references |= bit(i)
			}
		}
		if references == 0 || f.changed&references == references {
			continue
		}
		name := f.object.Name()
		if recv := f.object.Signature().Recv(); recv != nil {
			named := receiver(recv.Type())
			if named == nil || !named.Obj().Exported() {
				continue
			}
			name = named.Obj().Name() + "." + name
		}
		for i := range list {
			if f.changed&references&bit(i) != 0 {
				name += fmt.Sprint("-", i)
			}
		}
		lines[path] = append(lines[path], name)
	}
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(lines)) {
		slices.Sort(lines[path])
		fmt.Fprintf(&b, "%s: %s\n", path, strings.Join(lines[path], " "))
	}
	return b.String()
}

// receiver returns the named type of a receiver, or nil.
func receiver(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// parameters returns the receiver and the parameters of a function.
func parameters(s *types.Signature) (list []*types.Var) {
	if s.Recv() != nil {
		list = append(list, s.Recv())
	}
	for v := range s.Params().Variables() {
		list = append(list, v)
	}
	return list
}
