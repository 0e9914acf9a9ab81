package check

import (
	"go/ast"
	"go/types"
	"sort"

	"gosphere/runtime/internal/source"
)

// A closure is the set of declarations to be checked again together with a cell.
//
// A type that the cell declares differs from its previous version, and so does every type that
// mentions it. These types are renewed: they get new symbols. A type whose set of methods changes
// remains the same type, but go/types cannot change the methods of a completed type. Such a type is
// refreshed, together with everything that mentions it: it gets a new object and keeps its symbol.
// Functions, methods and constants are checked again if they use any of these.
//
// Objects that no name denotes any longer do not change. A variable of a type that has been
// redeclared keeps the old type, even if that type mentions a type that gains methods later. For
// instance, after
//
//	type P struct{ X int }      // cell 1
//	type Q struct{ P P }        // cell 2
//	func f(q Q) int { ... }     // cell 3
//
// a cell that declares P with other fields renews Q and checks f again. A cell that declares a
// method of P refreshes P, Q and f. A cell that only declares another function checks nothing
// again.
type closure struct {
	// A symbol is in at most one of replaced, renewed and refreshed, which are ordered by how much
	// changes: another declaration, the same declaration with another meaning, the same meaning
	// with another object.
	replaced  map[*Symbol]bool // redeclared by the cell
	renewed   map[*Symbol]bool // types with a new symbol
	refreshed map[*Symbol]bool // types with a new object for the same symbol
	again     []*record        // sorted by position
	in        map[*record]bool
	symbols   map[*Symbol]bool // of the records in the field in
	dropped   map[*Symbol]bool // found not to compile any more
}

// newClosure computes the closure for the declarations of the cell and, in a second pass, for its
// variables whose types have changed. Without any effect on earlier declarations, which is the
// usual case, it returns before it looks at the records, so that the cost of a cell does not depend
// on their number.
func (w *work) newClosure(second *secondPass) *closure {
	c := &closure{replaced: map[*Symbol]bool{}, renewed: map[*Symbol]bool{}, refreshed: map[*Symbol]bool{},
		in: map[*record]bool{}, symbols: map[*Symbol]bool{}, dropped: map[*Symbol]bool{}}
	names := map[string]bool{}
	for name := range w.survey.declared {
		names[name] = true
		switch r := w.session.current[name]; {
		case r == nil:
		case !w.isKept(r):
			c.replaced[r.symbol] = true
		case r.symbol.Kind == Type:
			// The cell repeats the declaration, which makes a new object for the same symbol.
			c.refreshed[r.symbol] = true
		}
	}
	for name := range w.survey.variables {
		names[name] = true
	}
	for r := range w.dropped {
		c.dropped[r.symbol] = true
	}
	// Only the first pass determines the types of the cell's variables.
	if second != nil {
		for _, v := range second.variables {
			if v.old != nil && !v.same {
				c.replaced[v.old.symbol] = true
			}
		}
	}
	for _, f := range w.survey.functions {
		w.addMethod(c, f)
	}
	if w.functionsAgain {
		c.addFunctions(w)
	} else if len(c.replaced) == 0 && len(c.refreshed) == 0 && !w.mayHeal(names) {
		return c
	}
	// Adding a record can affect others, so the set grows until it is stable.
	for !w.functionsAgain && c.grow(w, names) {
	}
	for r := range c.in {
		c.again = append(c.again, r)
	}
	sort.Slice(c.again, func(i, j int) bool { return c.again[i].syntax.Pos() < c.again[j].syntax.Pos() })
	return c
}

// addFunctions adds all functions and methods that compile. No other declaration depends on how
// they are compiled. Types, constants and variables keep their objects.
func (c *closure) addFunctions(w *work) {
	w.session.records(func(r *record) {
		if _, function := r.syntax.(*ast.FuncDecl); function && r.symbol.Broken == nil && w.dropped[r] == nil {
			c.in[r], c.symbols[r.symbol] = true, true
		}
	})
}

// addMethod records the effect of a method that the cell declares for a type of an earlier cell. A
// method that replaces one with the same signature leaves the set of methods, and hence the type,
// as it is: only its callers have to be linked again. A receiver may be an alias of the type.
func (w *work) addMethod(c *closure, f *ast.FuncDecl) {
	name := source.Receiver(f)
	if name == nil || w.survey.declared[name.Name] && w.kept[name.Name] == nil {
		return
	}
	base := w.session.current[name.Name]
	if base == nil || base.symbol.Kind != Type {
		return
	}
	if alias, ok := base.symbol.Object.(*types.TypeName); ok && alias.IsAlias() {
		if base = w.session.recordOf(w.session.objects.symbolOf(aliased(alias.Type()))); base == nil {
			return
		}
	}
	old := w.session.methods[base.symbol][f.Name.Name]
	if old != nil {
		c.replaced[old.symbol] = true
	}
	if old == nil || old.symbol.Broken != nil || signatureText(old.syntax.(*ast.FuncDecl)) != signatureText(f) {
		c.refreshed[base.symbol] = true
	}
}

// aliased returns the name of the type that t denotes, directly or by a pointer, or nil if the type
// has no name. It resolves type T = *P as well.
func aliased(t types.Type) types.Object {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		t = types.Unalias(pointer.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// signatureText returns the receiver and the type of a method as text. Equal texts mean equal types
// here, because a name has one meaning in a session. If a type that it mentions has changed, the
// method is in the closure anyway. The text of a function type does not contain type parameters.
func signatureText(f *ast.FuncDecl) string {
	text := types.ExprString(f.Recv.List[0].Type) + types.ExprString(f.Type)
	if f.Type.TypeParams == nil {
		return text
	}
	for _, field := range f.Type.TypeParams.List {
		for _, name := range field.Names {
			text += "; " + name.Name
		}
		text += " " + types.ExprString(field.Type)
	}
	return text
}

// mayHeal reports whether a broken function mentions a name that the cell declares. It may compile
// again after the cell. The flag avoids a search in sessions without broken functions. It is never
// reset by healing, only by Reset.
func (w *work) mayHeal(names map[string]bool) bool {
	found := false
	if !w.session.broken {
		return false
	}
	w.session.records(func(r *record) {
		found = found || r.symbol.Broken != nil && r.names.anyOf(names)
	})
	return found
}

// grow adds the records that depend on the current contents of the closure. It reports whether it
// added any. Constants of one declaration come together, because iota and repeated expressions
// depend on the others. Each call makes one round over the records; the number of rounds is at most
// the length of the longest chain of dependences.
func (c *closure) grow(w *work, names map[string]bool) bool {
	grown := false
	groups := map[*ast.GenDecl]bool{}
	for r := range c.in {
		if r.group != nil {
			groups[r.group] = true
		}
	}
	w.session.records(func(r *record) {
		if r.syntax == nil || c.replaced[r.symbol] || w.dropped[r] != nil || w.redeclaresMethod(r) {
			return
		}
		// Its declaration in the cell is checked instead.
		if w.isKept(r) {
			grown = c.giveUp(w, r) || grown
			return
		}
		if !c.in[r] && (c.touches(r, names) || groups[r.group] && r.group != nil) {
			c.in[r], c.symbols[r.symbol] = true, true
			grown = true
		}
		if c.in[r] && c.classify(w, r) {
			grown = true
		}
	})
	return grown
}

// giveUp reports whether a declaration that the cell repeats unchanged nevertheless has a new
// meaning, because of a declaration that it uses. If so, it is no longer treated as unchanged. For
// instance a cell that is run again with both type P struct{ X T } and a changed type T: the text
// of P is unchanged, but its layout is not. Functions and methods do not affect the meaning of a
// type or constant.
func (c *closure) giveUp(w *work, r *record) bool {
	for symbol := range r.uses {
		// A constant that is checked again may have another value, and an array another length.
		changed := c.replaced[symbol] || c.renewed[symbol] || symbol.Kind == Constant && c.symbols[symbol]
		if changed && symbol.Kind != Method && symbol.Kind != Function {
			delete(w.kept, r.symbol.Name)
			delete(c.refreshed, r.symbol)
			c.replaced[r.symbol] = true
			return true
		}
	}
	return false
}

// redeclaresMethod reports whether the cell declares the method r again. The old declaration is
// then replaced and not checked again.
func (w *work) redeclaresMethod(r *record) bool {
	if r.symbol.Kind != Method {
		return false
	}
	for _, f := range w.survey.functions {
		if name := source.Receiver(f); name != nil && name.Name == r.symbol.Receiver.Name && f.Name.Name == r.symbol.Name {
			return true
		}
	}
	return false
}

// touches reports whether a record depends on something in the closure. A broken function has no
// uses; that one of its names is declared is the best sign that it may compile again. A method is
// checked with its type, because the type's new object lists it.
func (c *closure) touches(r *record, names map[string]bool) bool {
	if r.symbol.Broken != nil && r.names.anyOf(names) {
		return true
	}
	if c.refreshed[r.symbol] || r.symbol.Kind == Method && c.changesType(r.symbol.Receiver) {
		return true
	}
	for symbol := range r.uses {
		if c.changes(symbol) {
			return true
		}
	}
	return false
}

// changesType reports whether a symbol denotes a type that gets a new object.
func (c *closure) changesType(symbol *Symbol) bool {
	return c.renewed[symbol] || c.refreshed[symbol] || symbol.Kind == Type && c.replaced[symbol]
}

// changes reports whether a symbol is affected by the closure.
func (c *closure) changes(symbol *Symbol) bool {
	return c.replaced[symbol] || c.symbols[symbol] || c.dropped[symbol] || c.changesType(symbol)
}

// classify determines the effect of a record in the closure on types. It reports whether that
// changes the closure. A type is renewed if a constant or the layout of a type in its declaration
// has changed, for instance the length of an array. It is refreshed if it only mentions a refreshed
// type: it is identical, but its object must refer to the new one. A method whose signature
// mentions a changed type refreshes its receiver, whose set of methods then differs.
func (c *closure) classify(w *work, r *record) bool {
	switch r.symbol.Kind {
	case Type:
		if c.renewed[r.symbol] {
			return false
		}
		for symbol := range r.uses {
			if symbol.Kind <= Constant && c.changes(symbol) || symbol.Kind == Type && (c.replaced[symbol] || c.renewed[symbol]) {
				c.renewed[r.symbol] = true
				delete(c.refreshed, r.symbol)
				return true
			}
		}
		if !c.refreshed[r.symbol] {
			c.refreshed[r.symbol] = true
			return true
		}
	case Method:
		if c.changesType(r.symbol.Receiver) {
			return false
		}
		// A method can be checked without its type if its signature does not change.
		f := r.syntax.(*ast.FuncDecl)
		for name := range mentionsOf(f.Recv, f.Type).names {
			known := w.session.current[name]
			if w.survey.declared[name] || known != nil && c.changesType(known.symbol) {
				c.refreshed[r.symbol.Receiver] = true
				return true
			}
		}
	}
	return false
}
