package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"strings"

	"gosphere/internal/golang"
	"gosphere/runtime/cell"
)

// showName is the name of a function that receives the last expression as an argument during the
// check. The expression then has the same type as in a call of fmt.Println. For instance the last
// expression 1 << 3 has the type int, and 'a' the type rune, instead of untyped constants.
const showName = "cell__show"

// A secondPass holds the results of the first pass for the second one.
type secondPass struct {
	first     *pass
	variables []variable
}

// A pass is one run of go/types over the cell and its closure. The files do not contain the
// original syntax of the cell alone: imports are added as needed, bodies may be replaced by stubs,
// and the last expression is an argument. The nodes inside are the originals, so info describes the
// cell's own syntax.
type pass struct {
	work    *work
	second  *secondPass // nil in the first pass
	closure *closure
	stubs   bool // whether functions were checked without their bodies

	info   *types.Info
	errors []types.Error
	scope  *types.Scope // objects of the session; encloses the package
	types  *typeWriter
	files  []*ast.File
	extra  []ast.Decl          // declarations of variables whose types have new objects
	typed  map[string]*record  // the session variables among them
	hidden map[string]bool     // names declared by extra or by the cell's variables
	rename map[*ast.Ident]bool // identifiers in the body that denote objects hidden by the cell's variables
	show   *ast.Ident          // the function in shownBody; removed from the results
	// usesMust reports whether the files may call must, and renamed are the calls of one of its
	// functions by another name.
	usesMust bool
	renamed  []*ast.Ident
	// predeclared maps the paths of imports to functions that complete the scope of the importing
	// file; see predeclare.
	predeclared map[string]func()
}

// hiddenSuffix is appended to the names of objects that the body uses before it defines a variable
// of the same name, if functions refer to that variable. For instance, with x from an earlier cell,
//
//	y := x + 1
//	x := "text"
//	func f() string { return x }
//
// the x in the first line is the earlier variable, and that in f the new one. Both would be found
// in the scope around the package under the same name, so the earlier one is called x__before
// there.
const hiddenSuffix = "__before"

// newPass prepares a pass. Each pass has new maps for the results of go/types, because objects of
// an earlier pass must not be mixed with those of this one. All maps are requested, because later
// packages need types, instances, selections and scopes.
func (w *work) newPass(second *secondPass) *pass {
	return &pass{
		work: w, second: second, closure: w.newClosure(second),
		typed: map[string]*record{}, hidden: map[string]bool{}, rename: map[*ast.Ident]bool{},
		predeclared: map[string]func(){},
		scope:       types.NewScope(types.Universe, token.NoPos, token.NoPos, "session"),
		info: &types.Info{
			Types:      map[ast.Expr]types.TypeAndValue{},
			Instances:  map[*ast.Ident]types.Instance{},
			Defs:       map[*ast.Ident]types.Object{},
			Uses:       map[*ast.Ident]types.Object{},
			Implicits:  map[ast.Node]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
			Scopes:     map[ast.Node]*types.Scope{},
		},
	}
}

// run performs the check. A panic of go/types becomes an error of the cell, because user code must
// not end the session. After other errors a panic is ignored: go/types may stumble over invalid
// code.
func (p *pass) run() {
	defer func() {
		if r := recover(); r != nil && len(p.errors) == 0 {
			p.errors = append(p.errors, types.Error{Fset: p.work.fset, Pos: p.work.cell.Body.Body.Lbrace + 1,
				Msg: fmt.Sprintf("the type checker failed: %v", r)})
		}
	}()
	p.prepareTypes()
	p.addVariables()
	// The scope around the package needs only the names that these files mention.
	names := p.addFiles()
	p.insertSession(names)
	p.insertMust(names)
	defer p.restoreMust()
	// The syntax of the cell is changed during the check only.
	defer p.hideOldNames()()
	main := p.work.session.main
	// The package stays the same and only its scope is replaced, see Session.main. types.Package
	// has no method for this.
	*main.Scope() = *types.NewScope(p.scope, token.NoPos, token.NoPos, "package main")
	// Imports are added for names before a dot, which may turn out to be variables, and those that
	// the cell states serve later cells. So unused ones are no errors.
	config := types.Config{
		GoVersion:                golang.Version,
		Importer:                 p,
		Sizes:                    p.sizes(),
		DisableUnusedImportCheck: true,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && !p.tolerates(e) {
				e.Msg = p.withoutShow(e.Msg)
				p.errors = append(p.errors, e)
			}
		},
	}
	// The errors have gone to config.Error.
	_ = types.NewChecker(&config, p.work.fset, main, p.info).Files(p.files)
	if len(p.errors) == 0 {
		p.addInterfaceCycles()
	}
	// Later packages must not meet the function, which does not exist.
	delete(p.info.Uses, p.show)
}

// stoppable are the sizes of types for a check that ends when its cell is stopped. go/types asks
// for sizes at constants of integer types, and has no other place at which a check can end.
type stoppable struct {
	types.Sizes
	stopped func() bool
}

// Sizeof panics if the cell has been stopped, which ends the check.
func (s stoppable) Sizeof(t types.Type) int64 {
	if s.stopped() {
		panic("the cell has been stopped")
	}
	return s.Sizes.Sizeof(t)
}

// sizes returns the sizes of types.
func (p *pass) sizes() types.Sizes {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	if p.work.cell.Stopped == nil {
		return sizes
	}
	return stoppable{sizes, p.work.cell.Stopped}
}

// prepareTypes records the types that get new objects in this pass. They are the refreshed types
// and, in a second pass, those that the first pass has declared: a variable has the type object of
// the first pass, which is not that of the second.
func (p *pass) prepareTypes() {
	p.types = &typeWriter{scope: p.scope, main: p.work.session.main, local: map[types.Object]bool{}, meaning: p.meaning}
	for symbol := range p.closure.refreshed {
		p.types.local[symbol.Object] = true
	}
	if p.second == nil {
		return
	}
	for ident, object := range p.second.first.info.Defs {
		name, ok := object.(*types.TypeName)
		if ok && ident.Name != "_" && p.second.first.declaresType(name) {
			p.types.local[name] = true
		}
	}
}

// declaresType reports whether this pass has declared a type name at package level.
func (p *pass) declaresType(name *types.TypeName) bool {
	if p.work.survey.declared[name.Name()] && name.Parent() == p.work.session.main.Scope() {
		return true
	}
	for _, r := range p.closure.again {
		if spec, ok := r.syntax.(*ast.TypeSpec); ok && p.info.Defs[spec.Name] == name {
			return true
		}
	}
	return false
}

// addVariables declares the variables of the cell in the package, in a second pass, and session
// variables whose types have new objects. Variables whose types mention a refreshed type must be
// declared again too, or a value would have two types of the same name.
func (p *pass) addVariables() {
	if p.second != nil && !p.work.cell.Program {
		for _, v := range p.second.variables {
			p.addVariable(v.object.Pos(), v.name, v.object.Type())
			p.hidden[v.name] = true
		}
	}
	if len(p.closure.refreshed) == 0 {
		return
	}
	for name, r := range p.work.session.current {
		if r.symbol.Kind != Variable || p.hidden[name] || p.work.survey.declared[name] || !p.types.isLocal(r.symbol.Object.Type()) {
			continue
		}
		// The program declares it in the package itself.
		if p.work.cell.Program && p.work.survey.variables[name] {
			continue
		}
		p.addVariable(token.NoPos, name, r.symbol.Object.Type())
		p.typed[name] = r
		p.hidden[name] = true
	}
}

// addVariable declares a package variable. A type that mentions types with new objects must be
// resolved again, so such a variable is declared by syntax, which typeWriter makes, in the package
// itself rather than in the scope around it.
func (p *pass) addVariable(pos token.Pos, name string, t types.Type) {
	if !p.types.isLocal(t) {
		p.scope.Insert(types.NewVar(pos, p.work.session.main, name, t))
		return
	}
	spec := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(name)}, Type: p.types.expr(t)}
	p.extra = append(p.extra, &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{spec}})
}

// addFiles sets the files to check and returns the names that they mention. There is one file for
// the declarations of the cell, one for its statements, one for each earlier cell with declarations
// to check again, and one for the variables of addVariable. Files have imports of their own, so an
// earlier cell keeps the meaning of its package names. The names of a variable hide imports in
// declarations, but in the body the scope of the variable decides.
func (p *pass) addFiles() mentions {
	w := p.work
	all := newMentions()
	file := func(source *ast.File, imports []Import, declarations []ast.Decl) *ast.File {
		decls := append(importDeclarations(imports), declarations...)
		f := &ast.File{Package: source.Package, Name: &ast.Ident{NamePos: source.Package, Name: "main"},
			Decls: decls, FileStart: source.FileStart, FileEnd: source.FileEnd}
		p.files = append(p.files, f)
		return f
	}
	var declarations []ast.Decl
	own := newMentions()
	for _, d := range w.cell.Declarations.Decls {
		if group, ok := d.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			continue
		}
		own.add(d)
		declarations = append(declarations, p.stubbed(d))
	}
	// A program declares its variables in the files themselves, and importOf knows them.
	hidden := p.hidden
	if w.cell.Program {
		hidden = nil
	}
	file(w.cell.Declarations, w.importsFor(own, hidden), declarations)
	body := mentionsOf(w.cell.Body)
	file(w.cell.Statements, w.importsFor(body, nil), []ast.Decl{p.shownBody()})
	all.merge(own)
	all.merge(body)
	for _, group := range p.againByCell() {
		var imports []Import
		for _, r := range group {
			imports = append(imports, r.imports...)
			all.merge(r.names)
		}
		f := file(group[0].cell.Declarations, imports, p.againDeclarations(group))
		p.predeclare(f, p.hiddenPredeclared(group[0]))
	}
	// Their names and types need no imports: types of packages are written as aliases.
	if len(p.extra) > 0 {
		p.files = append(p.files, &ast.File{Name: ast.NewIdent("main"), Decls: p.extra})
	}
	return all
}

// stubbed returns a declaration in the form in which the pass checks it. In the first pass,
// functions that mention variables of the cell have no body, because the types of these variables
// are not known. A function of an earlier cell may mention them as well, if its cell is checked
// again.
func (p *pass) stubbed(d ast.Decl) ast.Decl {
	f, ok := d.(*ast.FuncDecl)
	if !ok || p.second != nil || p.work.cell.Program || f.Body == nil || !mentionsOf(f.Body).anyOf(p.work.survey.variables) {
		return d
	}
	p.stubs = true
	return stub(f)
}

// shownBody returns the body with the last expression as an argument of the function showName.
// Calls are not wrapped, because they may have no value. The replacement has the positions of the
// expression, so errors point to it. Other calls than those of constant functions have a type
// already.
func (p *pass) shownBody() ast.Decl {
	c := p.work.cell
	if c.Value == nil {
		return c.Body
	}
	if call, ok := ast.Unparen(c.Value.X).(*ast.CallExpr); ok && !p.isConstantBuiltin(call) {
		return c.Body
	}
	list := append([]ast.Stmt(nil), c.Body.Body.List...)
	for i := range list {
		if list[i] == c.Value {
			x := c.Value.X
			p.show = &ast.Ident{NamePos: x.Pos(), Name: showName}
			list[i] = &ast.ExprStmt{X: &ast.CallExpr{Fun: p.show, Lparen: x.Pos(), Args: []ast.Expr{x}, Rparen: x.End()}}
		}
	}
	body := &ast.BlockStmt{Lbrace: c.Body.Body.Lbrace, List: list, Rbrace: c.Body.Body.Rbrace}
	return &ast.FuncDecl{Name: c.Body.Name, Type: c.Body.Type, Body: body}
}

// isConstantBuiltin reports whether a call is of a predeclared function whose result can be an
// untyped constant. For instance max(1, 2) is an untyped constant. len has the type int.
func (p *pass) isConstantBuiltin(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || p.work.survey.declared[name.Name] || p.work.survey.variables[name.Name] || p.work.session.current[name.Name] != nil {
		return false
	}
	switch name.Name {
	case "min", "max", "real", "imag", "complex":
		return true
	}
	return false
}

// againByCell groups the records of the closure by cell, because each cell has its own imports, and
// by the predeclared names that keep their meaning in them.
func (p *pass) againByCell() [][]*record {
	type scope struct {
		cell        *cell.Cell
		predeclared string
	}
	var groups [][]*record
	index := map[scope]int{}
	for _, r := range p.closure.again {
		key := scope{r.cell, strings.Join(p.hiddenPredeclared(r), " ")}
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// againDeclarations returns the syntax of records as top-level declarations. A constant needs the
// whole declaration for iota, so its specs are copied with the other names blank.
func (p *pass) againDeclarations(group []*record) []ast.Decl {
	var list []ast.Decl
	constants := map[*ast.GenDecl]map[*ast.Ident]bool{}
	for _, r := range group {
		switch syntax := r.syntax.(type) {
		case *ast.FuncDecl:
			list = append(list, p.stubbed(syntax))
		case *ast.TypeSpec:
			list = append(list, &ast.GenDecl{TokPos: syntax.Pos(), Tok: token.TYPE, Specs: []ast.Spec{syntax}})
		case *ast.ValueSpec:
			if constants[r.group] == nil {
				constants[r.group] = map[*ast.Ident]bool{}
				list = append(list, nil) // filled in below, when its names are known
				list[len(list)-1] = &ast.GenDecl{TokPos: r.group.TokPos, Tok: token.CONST, Lparen: r.group.Lparen, Rparen: r.group.Rparen}
			}
			for _, name := range syntax.Names {
				if name.Name == r.symbol.Name {
					constants[r.group][name] = true
				}
			}
		}
	}
	for original, names := range constants {
		for _, d := range list {
			if group, ok := d.(*ast.GenDecl); ok && group.Tok == token.CONST && group.TokPos == original.TokPos {
				group.Specs = onlyNames(original, names)
			}
		}
	}
	return list
}

// onlyNames returns the specs of a constant declaration with all but the given names blank. All
// specs are kept, because their positions determine iota.
func onlyNames(group *ast.GenDecl, names map[*ast.Ident]bool) []ast.Spec {
	var specs []ast.Spec
	for _, spec := range group.Specs {
		value := *spec.(*ast.ValueSpec)
		value.Names = append([]*ast.Ident(nil), value.Names...)
		for i, name := range value.Names {
			if !names[name] {
				value.Names[i] = &ast.Ident{NamePos: name.NamePos, Name: "_"}
			}
		}
		specs = append(specs, &value)
	}
	return specs
}

// insertSession inserts the session objects with the given names in the scope around the package.
// Inserting only these keeps the cost independent of the length of the session. The order of the
// look-ups decides the meaning of a name: variables of a debugged function, declarations of the
// session, then dot imports, the latest first. Declarations of the cell need no entry, because the
// package scope is inside this one.
func (p *pass) insertSession(names mentions) {
	s := p.work.session
	if p.work.cell.Value != nil {
		p.scope.Insert(showFunction(s.main))
	}
	for name := range names.names {
		if p.hidden[name] {
			continue
		}
		if o := p.work.around[name]; o != nil {
			p.scope.Insert(o)
			continue
		}
		if r := s.current[name]; r != nil && r.symbol.Broken == nil && p.work.dropped[r] == nil {
			p.scope.Insert(r.symbol.Object)
			continue
		}
		// A dot import declares exported names only.
		if !token.IsExported(name) {
			continue
		}
		for i := len(s.dots) - 1; i >= 0; i-- {
			if imported, err := s.packages.Import(s.dots[i]); err == nil {
				if object := imported.Scope().Lookup(name); object != nil {
					p.scope.Insert(object)
					break
				}
			}
		}
	}
}

// meaning returns the object that a name denotes in the session or the universe, or nil if the cell
// declares it. It differs from a lookup in the scope in that it also finds names that the cell does
// not mention.
func (p *pass) meaning(name string) types.Object {
	s := p.work.session
	if p.hidden[name] || p.work.survey.declared[name] {
		return nil
	}
	if o := p.work.around[name]; o != nil {
		return o
	}
	if r := s.current[name]; r != nil && r.symbol.Broken == nil && p.work.dropped[r] == nil {
		return r.symbol.Object
	}
	return p.work.predeclared(name)
}

// showFunction returns func cell__show(...any).
func showFunction(main *types.Package) *types.Func {
	any := types.Universe.Lookup("any").Type()
	parameter := types.NewVar(token.NoPos, main, "", types.NewSlice(any))
	signature := types.NewSignatureType(nil, nil, nil, types.NewTuple(parameter), nil, true)
	return types.NewFunc(token.NoPos, main, showName, signature)
}

// hideOldNames temporarily renames identifiers in the body that denote an object hidden by a
// variable of the cell. The result undoes the renaming. The first pass has determined what each
// identifier denotes, with Go's rule that a variable begins after its definition. Only identifiers
// in the body that denote the earlier object are renamed.
func (p *pass) hideOldNames() func() {
	if p.second == nil || p.work.cell.Program {
		return func() {}
	}
	var renamed []*ast.Ident
	body := p.work.cell.Body
	for ident, object := range p.second.first.info.Uses {
		// Only the body has an order in which an earlier variable can be meant: a function sees the
		// new one.
		if ident.Pos() < body.Pos() || ident.Pos() >= body.End() || !p.work.survey.variables[ident.Name] || object.Pkg() != p.work.session.main {
			continue
		}
		if r := p.work.session.current[ident.Name]; r == nil || p.second.first.objectNow(r) != object {
			continue
		}
		renamed = append(renamed, ident)
	}
	for _, ident := range renamed {
		p.addOld(p.work.session.current[ident.Name])
		p.rename[ident] = true
	}
	for ident := range p.rename {
		ident.Name += hiddenSuffix
	}
	return func() {
		for ident := range p.rename {
			ident.Name = ident.Name[:len(ident.Name)-len(hiddenSuffix)]
		}
	}
}

// addOld inserts the object of a record under its hidden name. The object is a copy with another
// name and the same type, and addHidden maps it to the same symbol.
func (p *pass) addOld(r *record) {
	main, name := p.work.session.main, r.symbol.Name+hiddenSuffix
	switch object := r.symbol.Object.(type) {
	case *types.Var:
		p.scope.Insert(types.NewVar(object.Pos(), main, name, object.Type()))
	case *types.Const:
		p.scope.Insert(types.NewConst(object.Pos(), main, name, object.Type(), object.Val()))
	case *types.Func:
		p.scope.Insert(types.NewFunc(object.Pos(), main, name, object.Type().(*types.Signature)))
	case *types.TypeName:
		p.scope.Insert(types.NewTypeName(object.Pos(), main, name, object.Type()))
	}
}

// objectNow returns the object for the symbol of a record in this pass. For a variable whose type
// has been refreshed that is the object that addVariable has declared.
func (p *pass) objectNow(r *record) types.Object {
	if p.typed[r.symbol.Name] == r {
		return p.work.session.main.Scope().Lookup(r.symbol.Name)
	}
	return r.symbol.Object
}

// typeNow returns the type of a variable's record in this pass.
func (p *pass) typeNow(r *record) types.Type {
	if object := p.objectNow(r); object != nil {
		return object.Type()
	}
	return r.symbol.Object.Type()
}
