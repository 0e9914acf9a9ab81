package program

import (
	"fmt"
	"go/types"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/modulepath"
	"gosphere/runtime/check"
)

// ownMark is the placeholder for the package of the cells in a written type.
const ownMark = "ˑcellsˑ"

var ownType = lazyregexp.New(ownMark + `\.([\pL_][\pL\pN_]*)`)

// typeText returns a type in the program's names, or the reason why that is impossible.
func (w *writer) typeText(checked *check.Checked, t types.Type) (string, error) {
	known := map[string]string{} // names of cell types in the notebook and in the program
	var problem error
	walk(t, map[types.Type]bool{}, func(object *types.TypeName) {
		if object.Pkg() == nil || problem != nil {
			return
		}
		if object.Pkg() != checked.Package && object.Pkg().Path() != checked.Package.Path() {
			if !object.Exported() {
				problem = fmt.Errorf("its type %s.%s is unexported, so that a program cannot declare it", object.Pkg().Name(), object.Name())
			}
			return
		}
		name := w.nameOf(checked, object)
		if name == "" {
			name = object.Name()
		}
		if before, ok := known[object.Name()]; ok && before != name {
			problem = fmt.Errorf("its type holds two types called %s, of different cells; give one of them another name", object.Name())
		}
		known[object.Name()] = name
	})
	if problem != nil {
		return "", problem
	}
	text := types.TypeString(t, func(p *types.Package) string {
		if p == checked.Package || p.Path() == checked.Package.Path() {
			return ownMark
		}
		return w.names.importName(p.Path(), p.Name())
	})
	return ownType.ReplaceAllStringFunc(text, func(found string) string { return known[found[len(ownMark)+1:]] }), nil
}

// walk calls visit with every declared type name in a type.
func walk(t types.Type, seen map[types.Type]bool, visit func(*types.TypeName)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	next := func(inner types.Type) { walk(inner, seen, visit) }
	switch t := t.(type) {
	case *types.Alias:
		visit(t.Obj())
		for a := range t.TypeArgs().Types() {
			next(a)
		}
	case *types.Named:
		visit(t.Obj())
		for a := range t.TypeArgs().Types() {
			next(a)
		}
	case *types.Pointer:
		next(t.Elem())
	case *types.Slice:
		next(t.Elem())
	case *types.Array:
		next(t.Elem())
	case *types.Chan:
		next(t.Elem())
	case *types.Map:
		next(t.Key())
		next(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			next(field.Type())
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			next(v.Type())
		}
		for v := range t.Results().Variables() {
			next(v.Type())
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			next(method.Type())
		}
		for embedded := range t.EmbeddedTypes() {
			next(embedded)
		}
	}
}

// shows are the methods that give a value forms other than text.
var shows = []string{"MimeBundle", "HTML", "Markdown", "LaTeX", "SVG", "PNG", "JPEG"}

// plain reports whether fmt prints the values of a type as a notebook shows them, or equally well.
// This holds for all types of cells and modules except those with pictures or other rich forms,
// which gosphere displays.
func plain(t types.Type) bool {
	ok := true
	walk(t, map[types.Type]bool{}, func(object *types.TypeName) {
		if object.Pkg() == nil {
			return
		}
		first, _, _ := strings.Cut(object.Pkg().Path(), "/")
		switch {
		case first == "image" || first == "gonum.org" || modulepath.Contains(object.Pkg().Path()):
			ok = false
		case object.Pkg().Path() == "database/sql" || object.Pkg().Path() == "net/http":
			ok = false
		}
		for _, method := range shows {
			if found, _, _ := types.LookupFieldOrMethod(object.Type(), true, object.Pkg(), method); found != nil && first == "main" || found != nil && strings.Contains(first, ".") {
				_, isMethod := found.(*types.Func)
				ok = ok && !isMethod
			}
		}
	})
	return ok
}
