package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"

	"gosphere/runtime/internal/source"
)

// A resultBuilder converts a pass without errors to a Checked. It changes neither the session nor
// existing symbols: new objects and versions are collected in pending, which commit applies.
//
// A cell that passes the check may still fail in package link. Only Commit, which is called after
// linking, makes the result visible.
type resultBuilder struct {
	work    *work
	pass    *pass
	out     *Checked
	pending *pending
	groups  map[*ast.GenDecl]mentions // names in declarations of constants
}

// result assigns a symbol to every session-level object of a pass. The order matters. Types come
// first, because methods need the symbols of their receivers and functions refer to types.  Uses
// are found when all objects have symbols.
//
// Each step relies on the symbols of the earlier ones. Again-declarations precede those of the
// cell, so that a method that the cell redeclares replaces the one that was checked again.
func (w *work) result(p *pass, variables []variable) *Checked {
	b := &resultBuilder{work: w, pass: p, groups: map[*ast.GenDecl]mentions{}}
	b.pending = &pending{objects: map[*record]types.Object{}, broken: w.dropped, updated: map[*Symbol]types.Object{},
		versions: map[string]int{}, imports: w.imports, dots: w.dots}
	b.out = &Checked{Cell: w.cell, Fset: w.fset, Package: w.session.main, Info: p.info, Body: w.cell.Body,
		symbols: map[types.Object]*Symbol{}, methods: map[methodKey]*Symbol{}, session: w.session, pending: b.pending}
	b.pending.checked = b.out
	b.addTyped()
	b.addAgain(Type)
	b.addOwnTypesAndConstants()
	b.addAgain(Constant)
	b.addAgain(Function)
	b.addAgain(Method)
	b.addOwnFunctions()
	for _, v := range variables {
		b.addVariable(v)
	}
	b.addHidden()
	b.findUses()
	if w.cell.Program {
		b.out.Body = b.programBody()
	}
	b.placeInit()
	b.out.Value, b.out.Results = b.value()
	b.finishLists()
	return b.out
}

// newSymbol returns the next symbol of a name. Versions continue from those of the session, so a
// name with a version is unique for the whole session.
//
// The count is stored in pending and not in the session, since the cell may fail to link.
func (b *resultBuilder) newSymbol(kind Kind, name string, receiver *Symbol, number int) *Symbol {
	key := name
	if receiver != nil {
		key = receiver.Name + "." + name
	}
	if _, ok := b.pending.versions[key]; !ok {
		b.pending.versions[key] = b.work.session.versions[key]
	}
	b.pending.versions[key]++
	return &Symbol{Kind: kind, Name: name, Receiver: receiver, Cell: number, Version: b.pending.versions[key]}
}

// add records the new object of a symbol.
func (b *resultBuilder) add(r *record, object types.Object) {
	b.out.symbols[object] = r.symbol
	b.pending.records = append(b.pending.records, r)
	b.pending.objects[r] = object
}

// addTyped adds session variables whose types have new objects.
func (b *resultBuilder) addTyped() {
	for name, r := range b.pass.typed {
		object := b.work.session.main.Scope().Lookup(name)
		b.out.symbols[object] = r.symbol
		b.pending.updated[r.symbol] = object
	}
}

// addAgain adds the declarations of one kind that were checked again. It copies the record, because
// the session keeps the old one until commit. A renewed type gets a new symbol, and so do its
// methods, whose receiver it is.
func (b *resultBuilder) addAgain(kind Kind) {
	for _, old := range b.pass.closure.again {
		if old.symbol.Kind != kind {
			continue
		}
		r := *old
		object := b.pass.info.Defs[declaredName(old)]
		if object == nil {
			continue
		}
		switch {
		case kind == Type && b.pass.closure.renewed[old.symbol]:
			r.symbol = b.newSymbol(Type, old.symbol.Name, nil, old.symbol.Cell)
		case kind == Method:
			if receiver := b.receiver(old.syntax.(*ast.FuncDecl)); receiver != nil && receiver != old.symbol.Receiver {
				r.symbol = b.newSymbol(Method, old.symbol.Name, receiver, old.symbol.Cell)
			}
		}
		if r.symbol != old.symbol {
			r.symbol.Syntax = old.syntax
			b.pending.gone = append(b.pending.gone, old)
		}
		b.add(&r, object)
		b.declare(&r, true)
	}
}

// declaredName returns the identifier that declares a record's symbol.
func declaredName(r *record) *ast.Ident {
	switch syntax := r.syntax.(type) {
	case *ast.FuncDecl:
		return syntax.Name
	case *ast.TypeSpec:
		return syntax.Name
	case *ast.ValueSpec:
		for _, name := range syntax.Names {
			if name.Name == r.symbol.Name {
				return name
			}
		}
	}
	return nil
}

// declare lists the declaration of a record if it needs evaluation. A constant has no code.
func (b *resultBuilder) declare(r *record, again bool) {
	if r.symbol.Kind != Constant {
		b.out.Declarations = append(b.out.Declarations, Declaration{Symbol: r.symbol, Syntax: r.syntax, Again: again})
	}
}

// addOwn adds a declaration of the cell. A declaration that the cell repeats unchanged keeps its
// symbol, and the syntax of the earlier cell stays that of the symbol until commit.
func (b *resultBuilder) addOwn(symbol *Symbol, name *ast.Ident, syntax ast.Node, group *ast.GenDecl) {
	object := b.pass.info.Defs[name]
	if name.Name == "_" || object == nil {
		return
	}
	if kept := b.work.kept[name.Name]; kept != nil && kept.symbol.Kind == symbol.Kind {
		// newSymbol has counted a version that is not used.
		delete(b.pending.versions, name.Name)
		symbol = kept.symbol
	} else {
		symbol.Syntax = syntax
	}
	r := &record{symbol: symbol, cell: b.work.cell, syntax: syntax, group: group}
	if group != nil {
		if b.groups[group].names == nil { // once for all constants of the group
			b.groups[group] = mentionsOf(group)
		}
		r.names = b.groups[group]
	} else {
		r.names = mentionsOf(syntax)
	}
	b.add(r, object)
	b.declare(r, symbol.Syntax != syntax)
}

// addOwnTypesAndConstants adds the types and constants that the cell declares.
func (b *resultBuilder) addOwnTypesAndConstants() {
	number := b.work.cell.Number
	for _, declaration := range b.work.cell.Declarations.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.Name != "_" {
					b.addOwn(b.newSymbol(Type, spec.Name.Name, nil, number), spec.Name, spec, nil)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if group.Tok == token.CONST && name.Name != "_" {
						b.addOwn(b.newSymbol(Constant, name.Name, nil, number), name, spec, group)
					}
				}
			}
		}
	}
}

// addOwnFunctions adds the functions and methods that the cell declares. It runs after the types
// have been added, because methods need the symbols of their receivers.
//
// Functions named _ have no object that could be referred to, but go/types has checked them.
func (b *resultBuilder) addOwnFunctions() {
	number := b.work.cell.Number
	for _, f := range b.work.survey.functions {
		switch {
		case f.Name.Name == "_":
		case f.Recv == nil:
			b.addOwn(b.newSymbol(Function, f.Name.Name, nil, number), f.Name, f, nil)
		default:
			if receiver := b.receiver(f); receiver != nil {
				symbol := b.newSymbol(Method, f.Name.Name, receiver, number)
				b.replaceMethod(receiver, symbol)
				b.addOwn(symbol, f.Name, f, nil)
			}
		}
	}
}

// receiver returns the symbol of a method's receiver type. It is nil if the receiver is not a type
// of the session, which is an error that go/types reports.
func (b *resultBuilder) receiver(f *ast.FuncDecl) *Symbol {
	name := source.Receiver(f)
	if name == nil {
		return nil
	}
	object := b.pass.info.Uses[name]
	if alias, ok := object.(*types.TypeName); ok && alias.IsAlias() {
		object = aliased(alias.Type())
	}
	return b.out.SymbolOf(object)
}

// replaceMethod makes all objects that represent an earlier declaration of a method lead to the new
// symbol. The method set of a type that did not have to be refreshed still contains such an object.
//
// The symbol of an old object decides which code a call in an earlier cell runs.
func (b *resultBuilder) replaceMethod(receiver, symbol *Symbol) {
	old := b.work.session.methods[receiver][symbol.Name]
	if old == nil {
		return
	}
	b.pending.gone = append(b.pending.gone, old)
	b.out.methods[methodKey{receiver, symbol.Name}] = symbol
}

// addVariable adds a session variable of the cell. The object in the body, and the object that
// functions and later cells use, have the same symbol.
func (b *resultBuilder) addVariable(v variable) {
	// Functions and later cells see a package variable instead of the local one of the body, except
	// in a program.
	var seen types.Object = v.object
	if !b.work.cell.Program {
		seen = b.packageVariable(v)
	}
	if v.same {
		// After a first pass the old object remains valid, since the type is identical.
		if b.pass.second != nil {
			b.pending.updated[v.old.symbol] = seen
		}
		b.out.symbols[v.object] = v.old.symbol
		b.out.symbols[seen] = v.old.symbol
		b.out.Variables = append(b.out.Variables, NewVariable{Symbol: v.old.symbol})
		return
	}
	symbol := b.newSymbol(Variable, v.name, nil, b.work.cell.Number)
	b.out.symbols[v.object] = symbol
	b.add(&record{symbol: symbol, cell: b.work.cell}, seen)
	b.out.Variables = append(b.out.Variables, NewVariable{Symbol: symbol, New: true})
}

// packageVariable returns the object that functions and later cells use for a variable of the body.
// In a second pass it is in the package, if its type had to be written as syntax, or else in the
// scope around it. In a first pass no function refers to it, and it is made here for later cells.
func (b *resultBuilder) packageVariable(v variable) types.Object {
	if b.pass.second != nil {
		if object := b.work.session.main.Scope().Lookup(v.name); object != nil {
			return object
		}
		if object := b.pass.scope.Lookup(v.name); object != nil {
			return object
		}
	}
	return types.NewVar(v.object.Pos(), b.work.session.main, v.name, v.object.Type())
}

// addHidden maps the objects under hidden names to the symbols of the originals.
func (b *resultBuilder) addHidden() {
	for ident := range b.pass.rename {
		if object := b.pass.info.Uses[ident]; object != nil {
			b.out.symbols[object] = b.work.session.current[ident.Name].symbol
		}
	}
}

// value returns the last expression as value if it has exactly one value, and as results if it has
// several. A call without a result, a type or a package name has no value.
func (b *resultBuilder) value() (value, results ast.Expr) {
	if b.work.cell.Value == nil {
		return nil, nil
	}
	x := b.work.cell.Value.X
	found, ok := b.pass.info.Types[x]
	if !ok || found.IsVoid() || !found.IsValue() {
		return nil, nil
	}
	if _, ok := found.Type.(*types.Tuple); ok {
		return nil, x
	}
	return x, nil
}

// finishLists sorts the declarations and lists the dropped functions. A function that was broken
// before is not reported again.
func (b *resultBuilder) finishLists() {
	list := b.out.Declarations
	sort.SliceStable(list, func(i, j int) bool { return list[i].Syntax.Pos() < list[j].Syntax.Pos() })
	for r := range b.pending.broken {
		if r.symbol.Broken != nil {
			continue
		}
		b.out.Dropped = append(b.out.Dropped, r.symbol)
	}
	sort.Slice(b.out.Dropped, func(i, j int) bool { return b.out.Dropped[i].Name < b.out.Dropped[j].Name })
}
