package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
)

// pending is what Commit does to the session.
type pending struct {
	checked  *Checked
	records  []*record // new or checked again, with their objects
	objects  map[*record]types.Object
	gone     []*record
	broken   map[*record]error
	updated  map[*Symbol]types.Object // variables whose types were made anew
	versions map[string]int
	imports  map[string]Import
	dots     []string
}

// A resultBuilder turns a pass without errors into a Checked.
type resultBuilder struct {
	work *work
	pass *pass
	out  *Checked
	todo *pending
}

// result gives every session-level object of a pass its symbol.
func (w *work) result(p *pass, variables []variable) *Checked {
	b := &resultBuilder{work: w, pass: p}
	b.todo = &pending{objects: map[*record]types.Object{}, broken: w.dropped, updated: map[*Symbol]types.Object{},
		versions: map[string]int{}, imports: w.imports, dots: w.dots}
	b.out = &Checked{Cell: w.cell, Fset: w.fset, Package: w.session.main, Info: p.info, Body: w.cell.Body,
		symbols: map[types.Object]*Symbol{}, session: w.session, pending: b.todo}
	b.todo.checked = b.out
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
	b.out.Value = b.value()
	b.finishLists()
	return b.out
}

// newSymbol returns the next symbol of a name.
func (b *resultBuilder) newSymbol(kind Kind, name string, receiver *Symbol, number int) *Symbol {
	key := name
	if receiver != nil {
		key = receiver.Name + "." + name
	}
	if _, ok := b.todo.versions[key]; !ok {
		b.todo.versions[key] = b.work.session.versions[key]
	}
	b.todo.versions[key]++
	return &Symbol{Kind: kind, Name: name, Receiver: receiver, Cell: number, Version: b.todo.versions[key]}
}

// add notes a record and the object that now stands for its symbol.
func (b *resultBuilder) add(r *record, object types.Object) {
	b.out.symbols[object] = r.symbol
	b.todo.records = append(b.todo.records, r)
	b.todo.objects[r] = object
}

// addTyped adds session variables whose types were made anew.
func (b *resultBuilder) addTyped() {
	for name, r := range b.pass.typed {
		object := b.work.session.main.Scope().Lookup(name)
		b.out.symbols[object] = r.symbol
		b.todo.updated[r.symbol] = object
	}
}

// addAgain adds what was checked again, of one kind.
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
			b.todo.gone = append(b.todo.gone, old)
		}
		b.add(&r, object)
		b.declare(&r, true)
	}
}

// declaredName returns the identifier that a record's syntax declares.
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

// declare lists a record's declaration if there is something to evaluate.
func (b *resultBuilder) declare(r *record, again bool) {
	if r.symbol.Kind != Constant {
		b.out.Declarations = append(b.out.Declarations, Declaration{Symbol: r.symbol, Syntax: r.syntax, Again: again})
	}
}

// addOwn adds a declaration of the cell.
func (b *resultBuilder) addOwn(symbol *Symbol, name *ast.Ident, syntax ast.Node, group *ast.GenDecl) {
	object := b.pass.info.Defs[name]
	if name.Name == "_" || object == nil {
		return
	}
	symbol.Syntax = syntax
	r := &record{symbol: symbol, cell: b.work.cell, syntax: syntax, group: group}
	if group != nil {
		r.names = mentionsOf(group)
	} else {
		r.names = mentionsOf(syntax)
	}
	b.add(r, object)
	b.declare(r, false)
}

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

// receiver returns the symbol of a method's receiver type.
func (b *resultBuilder) receiver(f *ast.FuncDecl) *Symbol {
	name := receiverName(f)
	if name == nil {
		return nil
	}
	object := b.pass.info.Uses[name]
	if alias, ok := object.(*types.TypeName); ok && alias.IsAlias() {
		t := types.Unalias(alias.Type())
		if pointer, ok := t.(*types.Pointer); ok {
			t = types.Unalias(pointer.Elem())
		}
		if named, ok := t.(*types.Named); ok {
			object = named.Obj()
		}
	}
	return b.out.SymbolOf(object)
}

// replaceMethod lets the objects of an earlier declaration of a method stand for the new
// symbol: a type that did not have to be refreshed still has the old object in its list.
func (b *resultBuilder) replaceMethod(receiver, symbol *Symbol) {
	old := b.work.session.methods[receiver][symbol.Name]
	if old == nil {
		return
	}
	b.todo.gone = append(b.todo.gone, old)
	b.work.session.objectsMu.RLock()
	defer b.work.session.objectsMu.RUnlock()
	for object, s := range b.work.session.objects {
		if s == old.symbol {
			b.out.symbols[object] = symbol
		}
	}
}

// addVariable adds a session variable of the cell. The body's own object and the one
// that functions and later cells see have one symbol.
func (b *resultBuilder) addVariable(v variable) {
	var seen types.Object = v.object
	if !b.work.cell.Program {
		seen = b.packageVariable(v)
	}
	if v.same {
		if b.pass.second != nil {
			b.todo.updated[v.old.symbol] = seen
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

// packageVariable returns the object that functions and later cells see for a variable
// of the body.
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

// addHidden gives the objects that stood in for hidden ones their symbols.
func (b *resultBuilder) addHidden() {
	for ident := range b.pass.rename {
		if object := b.pass.info.Uses[ident]; object != nil {
			b.out.symbols[object] = b.work.session.current[ident.Name].symbol
		}
	}
}

// findUses records what each declaration uses, and the imports of the cell.
func (b *resultBuilder) findUses() {
	for _, r := range b.todo.records {
		if r.syntax == nil {
			continue
		}
		r.uses = map[*Symbol]bool{}
		r.imports = nil
		var root ast.Node = r.syntax
		if r.group != nil {
			root = r.group
		}
		b.usesIn(root, r)
	}
	stated := &record{uses: map[*Symbol]bool{}}
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
	for _, r := range b.todo.records {
		b.out.Imports = append(b.out.Imports, r.imports...)
	}
	b.out.Imports = sortImports(b.out.Imports)
}

// usesIn records the symbols and imports that a syntax tree uses.
func (b *resultBuilder) usesIn(root ast.Node, r *record) {
	selected := map[*ast.Ident]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.Ident:
			object := b.pass.info.Uses[n]
			switch {
			case object == nil:
			case isPackageName(object):
				path := object.(*types.PkgName).Imported().Path()
				r.imports = append(r.imports, Import{Name: n.Name, Path: path, Added: b.added(n.Name, path)})
			case object.Pkg() == nil:
			case object.Pkg() != b.work.session.main:
				if !selected[n] && object.Parent() == object.Pkg().Scope() {
					r.imports = append(r.imports, Import{Name: ".", Path: object.Pkg().Path()})
				}
			default:
				if symbol := b.out.SymbolOf(object); symbol != nil && symbol != r.symbol {
					r.uses[symbol] = true
				}
			}
		}
		return true
	})
	r.imports = sortImports(r.imports)
}

func isPackageName(object types.Object) bool {
	_, ok := object.(*types.PkgName)
	return ok
}

// added tells whether an import is neither stated nor in force.
func (b *resultBuilder) added(name, path string) bool {
	return b.work.imports[name].Path != path && b.work.session.imports[name] != path
}

// value returns the last expression if it has exactly one value.
func (b *resultBuilder) value() ast.Expr {
	if b.work.cell.Value == nil {
		return nil
	}
	x := b.work.cell.Value.X
	found, ok := b.pass.info.Types[x]
	if !ok || found.IsVoid() || !found.IsValue() {
		return nil
	}
	if _, ok := found.Type.(*types.Tuple); ok {
		return nil
	}
	return x
}

// finishLists sorts the declarations and lists what was dropped.
func (b *resultBuilder) finishLists() {
	list := b.out.Declarations
	sort.SliceStable(list, func(i, j int) bool { return list[i].Syntax.Pos() < list[j].Syntax.Pos() })
	for r := range b.todo.broken {
		if r.symbol.Broken != nil {
			continue
		}
		b.out.Dropped = append(b.out.Dropped, r.symbol)
	}
	sort.Slice(b.out.Dropped, func(i, j int) bool { return b.out.Dropped[i].Name < b.out.Dropped[j].Name })
}

// programBody returns the body of a program with the declarations of its variables in
// front, in the order in which Go initializes them.
func (b *resultBuilder) programBody() *ast.FuncDecl {
	names := map[types.Object]*ast.Ident{}
	kinds := map[*ast.Ident]ast.Expr{}
	var list []ast.Stmt
	declare := func(spec *ast.ValueSpec) {
		group := &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}}
		list = append(list, &ast.DeclStmt{Decl: group})
	}
	for _, declaration := range b.work.cell.Declarations.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			for _, name := range spec.Names {
				names[b.pass.info.Defs[name]] = name
				kinds[name] = spec.Type
			}
			if len(spec.Values) == 0 {
				declare(spec)
			}
		}
	}
	for _, initializer := range b.pass.info.InitOrder {
		spec := &ast.ValueSpec{Values: []ast.Expr{initializer.Rhs}}
		for _, object := range initializer.Lhs {
			spec.Names = append(spec.Names, names[object])
			spec.Type = kinds[names[object]]
		}
		if len(spec.Names) > 0 && spec.Names[0] != nil {
			declare(spec)
		}
	}
	body := b.work.cell.Body
	list = append(list, body.Body.List...)
	return &ast.FuncDecl{Name: body.Name, Type: body.Type,
		Body: &ast.BlockStmt{Lbrace: body.Body.Lbrace, List: list, Rbrace: body.Body.Rbrace}}
}

// commit applies what a checked cell changes.
func (t *pending) commit(s *Session) {
	for name, version := range t.versions {
		s.versions[name] = version
	}
	for r, reason := range t.broken {
		r.symbol.Broken = reason
	}
	for _, r := range t.gone {
		if r.symbol.Kind == Method && s.methods[r.symbol.Receiver][r.symbol.Name] == r {
			delete(s.methods[r.symbol.Receiver], r.symbol.Name)
		}
	}
	for symbol, object := range t.updated {
		symbol.Object = object
	}
	for _, i := range t.imports {
		s.imports[i.Name] = i.Path
		delete(s.current, i.Name)
	}
	for _, path := range t.dots {
		s.importAll(path)
	}
	for _, i := range t.checked.Imports {
		if i.Added {
			s.imports[i.Name] = i.Path
		}
	}
	for _, r := range t.records {
		r.symbol.Object = t.objects[r]
		r.symbol.Broken = nil
		t.store(s, r)
	}
}

// store makes a record the one of its name.
func (t *pending) store(s *Session, r *record) {
	if r.symbol.Kind == Method {
		if s.methods[r.symbol.Receiver] == nil {
			s.methods[r.symbol.Receiver] = map[string]*record{}
		}
		s.methods[r.symbol.Receiver][r.symbol.Name] = r
		return
	}
	if r.symbol.Kind == Function && r.symbol.Name == "init" {
		return
	}
	if old := s.current[r.symbol.Name]; old != nil && old.symbol != r.symbol {
		delete(s.methods, old.symbol)
	}
	s.current[r.symbol.Name] = r
	delete(s.imports, r.symbol.Name)
}

// importAll puts a dot import in force. Names of the session that it offers mean the
// package from now on.
func (s *Session) importAll(path string) {
	kept := s.dots[:0:0]
	for _, other := range s.dots {
		if other != path {
			kept = append(kept, other)
		}
	}
	s.dots = append(kept, path)
	imported, err := s.packages.Import(path)
	if err != nil {
		return
	}
	for _, name := range imported.Scope().Names() {
		if token.IsExported(name) {
			delete(s.current, name)
		}
	}
}
