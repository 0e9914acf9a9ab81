package check

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// findUses records what each declaration uses, and the imports of the cell. An import counts as
// added only when it is used for the first time: a declaration that is checked again has stated or
// used it before. For instance func f() int { return g() + n } uses the function g and the variable
// n, so it is checked again if the type of either changes.
//
// The uses are those of syntax and types together: a name in the text may be shadowed, and the text
// of a call does not name the methods that a type argument contributes. They decide the closure of
// later cells.
func (b *resultBuilder) findUses() {
	groups := map[*ast.GenDecl]*record{} // what all constants of a group use
	for _, r := range b.pending.records {
		if r.syntax == nil {
			continue
		}
		// They are those of an earlier check, if the declaration has been checked again.
		known := r.imports
		r.uses, r.imports, r.predeclared = map[*Symbol]bool{}, nil, map[string]bool{}
		if r.group != nil {
			if groups[r.group] == nil {
				groups[r.group] = &record{uses: map[*Symbol]bool{}, predeclared: map[string]bool{}}
				b.usesIn(r.group, groups[r.group])
			}
			r.uses, r.imports = without(groups[r.group].uses, r.symbol), slices.Clone(groups[r.group].imports)
			r.predeclared = groups[r.group].predeclared
		} else {
			b.usesIn(r.syntax, r)
		}
		for i := range r.imports {
			r.imports[i].Added = r.imports[i].Added && len(known) == 0
		}
	}
	stated := &record{uses: map[*Symbol]bool{}, predeclared: map[string]bool{}}
	b.usesIn(b.work.cell.Body, stated)
	if b.work.cell.Program {
		b.usesIn(b.work.cell.Declarations, stated)
	}
	b.out.Imports = append(b.out.Imports, stated.imports...)
	for _, i := range b.work.imports {
		b.out.Imports = append(b.out.Imports, i)
	}
	for _, path := range b.work.dots {
		b.out.Imports = append(b.out.Imports, Import{Name: ".", Path: path})
	}
	for _, r := range b.pending.records {
		b.out.Imports = append(b.out.Imports, r.imports...)
	}
	b.out.Imports = sortImports(b.out.Imports)
}

// without returns a set without one symbol. If the symbol is not in it, the result is the same set.
//
// A constant does not use itself, although its group mentions its name.
func without(set map[*Symbol]bool, symbol *Symbol) map[*Symbol]bool {
	if !set[symbol] {
		return set
	}
	set = maps.Clone(set)
	delete(set, symbol)
	return set
}

// usesIn records the symbols and imports that a syntax tree uses. An object of another package
// without a qualifier comes from a dot import. Fields and methods have no package scope as their
// parent and are not counted.
func (b *resultBuilder) usesIn(root ast.Node, r *record) {
	selected := map[*ast.Ident]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
			if s := b.pass.info.Selections[n]; s != nil {
				// A method of an instance is a method of generic code.
				b.methodsFor(s.Recv(), r)
			}
		case *ast.Ident:
			arguments := b.pass.info.Instances[n].TypeArgs
			for i := range arguments.Len() {
				b.methodsOf(arguments.At(i), r, map[types.Type]bool{})
			}
			object := b.pass.info.Uses[n]
			switch {
			case object == nil:
			case isPackageName(object):
				path := object.(*types.PkgName).Imported().Path()
				r.imports = append(r.imports, Import{Name: n.Name, Path: path, Added: b.added(n.Name, path)})
			case IsMust(object):
				r.predeclared[must] = true
			case object.Pkg() == nil:
				// The method Error of the type error has no package either.
				if object.Parent() == types.Universe {
					r.predeclared[n.Name] = true
				}
			case object.Pkg() != b.work.session.main:
				if !selected[n] && object.Parent() == object.Pkg().Scope() {
					r.imports = append(r.imports, Import{Name: ".", Path: object.Pkg().Path()})
				}
			default:
				if symbol := b.out.SymbolOf(object); symbol != nil && symbol != r.symbol {
					r.uses[symbol] = true
					if symbol.Kind == Variable {
						b.typesOf(object.Type(), r)
					}
				}
			}
		}
		return true
	})
	r.imports = sortImports(r.imports)
}

// typesOf records that r uses the types of cells that a variable has in its type. A type that gains
// a method is another type at run time, and the method may take precedence over a promoted one.
// Types inside a declared type need no record: what mentions a type changes with it.
func (b *resultBuilder) typesOf(t types.Type, r *record) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if symbol := b.out.SymbolOf(t.Obj()); symbol != nil && t.Obj().Pkg() == b.work.session.main {
			r.uses[symbol] = true
		}
		for a := range t.TypeArgs().Types() {
			b.typesOf(a, r)
		}
	case *types.Struct:
		for f := range t.Fields() {
			b.typesOf(f.Type(), r)
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				b.typesOf(v.Type(), r)
			}
		}
	case *types.Map:
		b.typesOf(t.Key(), r)
		b.typesOf(t.Elem(), r)
	case interface{ Elem() types.Type }:
		b.typesOf(t.Elem(), r)
	}
}

// Reaches reports whether the declaration of a function or method uses a symbol, directly or by way
// of declarations that it uses.
func (c *Checked) Reaches(from, symbol *Symbol) bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	seen := map[*Symbol]bool{}
	var reaches func(s *Symbol) bool
	reaches = func(s *Symbol) bool {
		if s == symbol {
			return true
		}
		r := c.recordOf(s)
		if seen[s] || r == nil {
			return false
		}
		seen[s] = true
		for used := range r.uses {
			if reaches(used) {
				return true
			}
		}
		return false
	}
	return reaches(from)
}

// UsedByFunctions reports whether the declaration of any function or method uses a symbol.
func (c *Checked) UsedByFunctions(symbol *Symbol) bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if slices.ContainsFunc(c.pending.records, func(r *record) bool { return r.uses[symbol] }) {
		return true
	}
	found := false
	c.session.records(func(r *record) { found = found || r.uses[symbol] })
	return found
}

// recordOf returns the latest record of a symbol, or nil. The caller holds the session's lock.
func (c *Checked) recordOf(s *Symbol) *record {
	for _, r := range c.pending.records {
		if r.symbol == s {
			return r
		}
	}
	r := c.session.current[s.Name]
	if s.Kind == Method {
		r = c.session.methods[s.Receiver][s.Name]
	}
	if r == nil || r.symbol != s {
		return nil
	}
	return r
}

// isPackageName reports whether an object is the name of an import.
func isPackageName(object types.Object) bool {
	_, ok := object.(*types.PkgName)
	return ok
}

// added reports whether an import is neither stated nor in force.
func (b *resultBuilder) added(name, path string) bool {
	return b.work.imports[name].Path != path && b.work.session.imports[name] != path
}

// methodsFor applies methodsOf to the type arguments of the generic type that a selection starts
// from.
func (b *resultBuilder) methodsFor(t types.Type, r *record) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		for i := range named.TypeArgs().Len() {
			b.methodsOf(named.TypeArgs().At(i), r, map[types.Type]bool{})
		}
	}
}

// methodsOf records that r uses the cell types in a type argument, and all their methods. For
// instance the body of F[T] may convert a T to an interface and call a method of T, which the text
// of r does not name. If the method is redeclared, the code that mentions F[T] must be linked
// again.
func (b *resultBuilder) methodsOf(t types.Type, r *record, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if symbol := b.out.SymbolOf(t.Obj()); symbol != nil && t.Obj().Pkg() == b.work.session.main {
			r.uses[symbol] = true
			for m := range t.Methods() {
				if method := b.out.SymbolOf(m); method != nil && method != r.symbol {
					r.uses[method] = true
				}
			}
			b.methodsOf(t.Underlying(), r, seen)
		}
		for i := range t.TypeArgs().Len() {
			b.methodsOf(t.TypeArgs().At(i), r, seen)
		}
	case *types.Struct:
		for f := range t.Fields() {
			b.methodsOf(f.Type(), r, seen)
		}
	case *types.Map:
		b.methodsOf(t.Key(), r, seen)
		b.methodsOf(t.Elem(), r, seen)
	case interface{ Elem() types.Type }:
		b.methodsOf(t.Elem(), r, seen)
	}
}
