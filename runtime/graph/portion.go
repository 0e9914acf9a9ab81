package graph

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A Path leads from a variable of a struct type, or of a type that points to one, to a field of it.
type Path struct {
	Fields string // indices of fields, each as a byte plus one
	Plain  bool   // whether the field refers to no other memory
}

// MaxPath is the length of the longest path. Fields farther inside count as the one that contains
// them.
const MaxPath = 2

// overlaps reports whether one path leads to a part of what the other leads to.
func (p Path) overlaps(q Path) bool {
	return strings.HasPrefix(p.Fields, q.Fields) || strings.HasPrefix(q.Fields, p.Fields)
}

// Disjoint reports whether no path of a list leads to a part of what one of another list leads to.
// An empty list stands for the whole variable.
func Disjoint(a, b []Path) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(p Path) bool { return slices.ContainsFunc(b, p.overlaps) })
}

// A portion is the whole of a variable, or some of its fields.
type portion struct{ paths []Path } // empty for the whole

// maxPaths bounds the number of paths of a portion. With more, it is the whole.
const maxPaths = 16

// with returns the portion that covers two.
func (p portion) with(q portion) portion {
	if len(p.paths) == 0 || len(q.paths) == 0 {
		return portion{}
	}
	all := slices.Clip(p.paths)
	for _, path := range q.paths {
		if !slices.ContainsFunc(all, func(o Path) bool { return o.Fields == path.Fields }) {
			all = append(all, path)
		}
	}
	if len(all) > maxPaths {
		all = nil
	}
	return portion{all}
}

// field returns the session variable and the path of an expression that selects fields, such as
// p.In.N. direct reports whether the field is in the memory of the variable: no pointer leads to
// it.
func (w *walker) field(n *ast.SelectorExpr) (base *ast.Ident, path Path, direct bool) {
	var chain []*types.Selection
	for e := ast.Expr(n); base == nil; {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			s := w.checked.Info.Selections[x]
			if s == nil || s.Kind() != types.FieldVal {
				return nil, path, false
			}
			chain, e = append(chain, s), x.X
		case *ast.Ident:
			base = x
		default:
			return nil, path, false
		}
	}
	v, ok := w.object(base).(*types.Var)
	if !ok || w.nameOf(v) == "" {
		return nil, path, false
	}
	t := v.Type()
	direct = true
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t, direct = p.Elem(), false
	}
	for _, s := range slices.Backward(chain) {
		for _, i := range s.Index() {
			u, ok := t.Underlying().(*types.Struct)
			if !ok {
				return base, path.to(t), false // behind a pointer
			}
			if len(path.Fields) < MaxPath && i < 255 {
				path.Fields, t = path.Fields+string([]byte{byte(i + 1)}), u.Field(i).Type()
				continue
			}
			return base, path.to(t), direct
		}
	}
	return base, path.to(t), direct
}

// to returns a path that leads to a field of a type.
func (p Path) to(t types.Type) Path {
	if _, basic := t.Underlying().(*types.Basic); !basic || t.Underlying() == types.Typ[types.UnsafePointer] {
		p.Plain = !refers(t)
	} else {
		p.Plain = true
	}
	return p
}

// read records that a selector reads a field of a session variable, and reports whether it does.
func (w *walker) read(n *ast.SelectorExpr) bool {
	base, path, _ := w.field(n)
	if base == nil || path.Fields == "" {
		return false
	}
	name := w.nameOf(w.object(base))
	w.out.mentions.add(name, base.Pos())
	if !w.own[name] {
		w.out.reads.merge(position{name, base.Pos(), portion{[]Path{path}}})
	}
	return true
}

// placed returns the fields of a variable that an assignment to a place changes.
func (w *walker) placed(place ast.Expr) portion {
	if n, ok := ast.Unparen(place).(*ast.SelectorExpr); ok {
		if base, path, direct := w.field(n); base != nil && direct && path.Fields != "" {
			return portion{[]Path{path}}
		}
	}
	return portion{}
}
