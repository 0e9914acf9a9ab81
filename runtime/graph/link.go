package graph

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"gosphere/runtime/check"
)

// A link is a pair of a session variable or parameter with another one to whose memory it may refer
// afterward.
type link [2]root

// link records that the first of two lists of roots may refer to the memory of the second.
func (w *walker) link(to, from []root) {
	for _, a := range to {
		for _, b := range from {
			switch {
			case a.name != "" && a.name == b.name, a.name == "" && b.name == "" && a.parameter == b.parameter:
			case a.name != "" && b.name != "":
				w.out.shares = append(w.out.shares, [2]string{a.name, b.name})
			case len(w.out.links) < maxLinks && !slices.Contains(w.out.links, link{a, b}):
				w.out.links = append(w.out.links, link{a, b})
			}
		}
	}
}

// maxLinks bounds the links of a function.
const maxLinks = 64

// store records that an assignment makes the memory of a place refer to that of a value, such as
// s.list = append(s.list, p).
func (w *walker) store(place, value ast.Expr) {
	if base := baseOf(place); base != nil && w.throughReference(place) {
		w.link(w.rootsOf(w.object(base)), w.roots(value))
	}
}

// keep records that a function whose body is not known may keep what its arguments refer to in
// other arguments.
func (w *walker) keep(arguments []ast.Expr, f *types.Func, receiver bool) {
	var all []root
	for i, a := range arguments {
		roots := w.argumentRoots(a, f, i == 0 && receiver)
		w.link(all, roots)
		all = append(all, roots...)
	}
}

// address records that something may refer to a variable itself, so that an assignment to the
// variable changes what that refers to.
func (w *walker) address(n ast.Node) {
	var of ast.Expr
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			of = n.X
		}
	case *ast.SliceExpr:
		if _, array := under(w.typeOf(n.X)).(*types.Array); array {
			of = n.X
		}
	}
	if of == nil {
		return
	}
	if base := baseOf(of); base != nil {
		if name := w.nameOf(w.object(base)); name != "" {
			w.out.addressed = append(w.out.addressed, name)
		}
	}
}

// addressOf notes the variables whose address effects take.
func (b *builder) addressOf(e *effects) {
	for _, name := range e.addressed {
		b.addressed[name] = true
	}
}

// joinAll makes the names of each pair share memory.
func (b *builder) joinAll(pairs [][2]string) {
	for _, p := range pairs {
		b.shares.join(p[0], p[1])
	}
}

// linked makes names share memory that the functions which statements call link.
func (b *builder) linked(e *effects) {
	for _, c := range e.calls {
		for _, l := range b.linksOf(c.name, map[string]bool{}) {
			for _, x := range b.at(c, l[0]) {
				for _, y := range b.at(c, l[1]) {
					if x.name != "" && y.name != "" && x.name != y.name {
						b.shares.join(x.name, y.name)
						b.addressed[x.name], b.addressed[y.name] = true, true // a receiver may be addressed
					}
				}
			}
		}
	}
}

// linksOf returns the links of a function and of those that it calls.
func (b *builder) linksOf(name string, active map[string]bool) (list []link) {
	e := b.functions[name]
	if e == nil || active[name] {
		return nil
	}
	active[name] = true
	list = slices.Clip(e.links)
	for _, c := range e.calls {
		for _, l := range b.linksOf(c.name, active) {
			for _, x := range b.at(c, l[0]) {
				for _, y := range b.at(c, l[1]) {
					if len(list) < maxLinks {
						list = append(list, link{x, y})
					}
				}
			}
		}
	}
	delete(active, name)
	return list
}

// at returns what a root in a function is at a call of it.
func (b *builder) at(c call, r root) (list []root) {
	if r.name != "" {
		return []root{r}
	}
	for i, roots := range c.roots {
		if b.parameterOf(c.name, i) == r.parameter {
			list = append(list, roots...)
		}
	}
	return list
}

// results records that the results of a function of a cell may refer to the variables that it
// mentions, by having it share memory with them.
func (b *builder) results(checked *check.Checked, name string, signature *types.Signature, e *effects) {
	if !refers(signature.Results()) {
		return
	}
	for _, m := range e.mentions {
		if n := b.names[m.name]; n != nil && n.Kind == check.Variable {
			b.shares.join(name, m.name)
		}
	}
}
