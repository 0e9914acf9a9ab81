package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"gosphere/runtime/internal/ir"
)

// A Builder builds functions from checked syntax of one package.
type Builder struct {
	// Subst replaces type parameters in the body of an instance of a generic function. It is nil if
	// there are none.
	Subst func(types.Type) types.Type
	// Value is the expression statement to be replaced by the result of Show. Results is a call
	// with several results, to be replaced by the result of ShowAll.
	Value, Results ast.Expr
	Show           func(x ir.Expr) ir.Stmt
	ShowAll        func(call *ir.Call) ir.Stmt

	// Marks adds marks for a debugger. MarkNames makes each mark list the constants and types that
	// the function has declared.
	Marks, MarkNames bool

	// SharedLoops makes the iterations of a loop share its variables, as before Go 1.22.
	SharedLoops bool

	// Missing is called by functions that have no body. It panics.
	Missing func([]reflect.Value)

	// Initialized is the statement in a cell's body at which the functions Inits run, or nil.
	Initialized ast.Stmt
	Inits       []*ir.FuncRef
	// Embedded holds functions that are called with a pointer to a session variable when it has
	// been declared without a value.
	Embedded map[*types.Var]func([]reflect.Value)

	// After has, by statement of a cell, variables to look at when the statement has run.
	After map[ast.Stmt][]Look

	env  ir.Env
	info *types.Info
	fset *token.FileSet
	pkg  *types.Package
	// Names that are declared directly in top belong to the session and not to the function.
	top *types.Scope // scope of the statements of a cell
}

// NewBuilder returns a builder for syntax of one package.
func NewBuilder(env ir.Env, info *types.Info, fset *token.FileSet, pkg *types.Package) *Builder {
	return &Builder{env: env, info: info, fset: fset, pkg: pkg}
}

// A Look is a variable whose value is passed to a function of the session.
type Look struct {
	Variable *types.Var
	See      func([]reflect.Value)
}

// Unsupported is the error for a construct that has no representation.
type Unsupported struct {
	Pos     token.Pos
	Message string
}

// Error returns the message.
func (u *Unsupported) Error() string { return u.Message }

// unsupported panics with an *Unsupported, which the exported methods of Builder return as an
// error. The message says what to write instead, or begins with "internal" if the construct should
// not have reached this package.
func unsupported(pos token.Pos, format string, arguments ...any) {
	panic(&Unsupported{pos, fmt.Sprintf(format, arguments...)})
}

// A builder builds one function.
type builder struct {
	*Builder
	fn   *ir.Func
	up   *builder // builder of the enclosing function
	vars map[*types.Var]*ir.Local
	list []ir.Stmt // of the current block

	// The usage is computed for the outermost function as a whole, because whether a variable needs
	// a heap cell depends on the function literals inside it.
	usage *usage // of the variables of the outermost function
	// hoisted maps expressions that have been evaluated ahead of the current statement to their
	// temporaries. expr consults it first.
	hoisted map[ast.Expr]ir.Expr
	targets []target // enclosing statements, innermost last
	// fallsThrough is the statement that ends the current clause of a switch statement, or nil.
	fallsThrough *ast.BranchStmt
	labels       map[string]*ir.Label
	labelIDs     *int                // shared by a function and the bodies of its range-over-func loops
	inside       map[literalKind]int // numbers of functions that literalName has named
	defers       *ir.Local           // see deferList
	iterator     *iteration          // the range-over-func loop whose body this function is

	// The following fields are used in functions with marks; see ir.Mark.
	called, around *ir.Local
	used           map[*types.Var]bool
}

// Func builds a declared function or method. The receiver becomes the first parameter.
func (b *Builder) Func(decl *ast.FuncDecl, ref *ir.FuncRef, name string) (f *ir.Func, err error) {
	defer rescue(&err)
	object := b.info.Defs[decl.Name].(*types.Func)
	// For an instance, the parameters below have their substituted types from declareVar, so only
	// the variadic flag of sig is used.
	sig := b.substitute(object.Type()).(*types.Signature)
	recv := object.Signature().Recv()
	in := b.newBuilder(nil, name, decl.Pos(), decl.End())
	in.fn.Ref = ref
	in.usage = b.findUsage(decl)
	var params []*types.Var
	if recv != nil {
		params = append(params, recv)
	}
	for v := range object.Signature().Params().Variables() {
		params = append(params, v)
	}
	in.signature(params, object.Signature().Results(), sig.Variadic())
	if decl.Body == nil {
		if b.Missing == nil {
			unsupported(decl.Pos(), "%s has no body", name)
		}
		// The function panics when it is called. The hook needs some value to pass, so it gets a
		// constant.
		in.body(&ast.BlockStmt{Lbrace: decl.Pos(), Rbrace: decl.End()})
		in.fn.Body.List = append([]ir.Stmt{ir.CallHook(b.Missing, ir.IntConst(0, decl.Pos()))}, in.fn.Body.List...)
		return in.fn, nil
	}
	in.body(decl.Body)
	return in.fn, nil
}

// Initializer builds statements outside a function, such as the initialization of a package's
// variables, as a function without parameters.
func (b *Builder) Initializer(body *ast.BlockStmt, ref *ir.FuncRef, name string) (f *ir.Func, err error) {
	defer rescue(&err)
	in := b.newBuilder(nil, name, body.Pos(), body.End())
	in.fn.Ref = ref
	// A declaration without a name serves as the root, since usage is computed for declarations.
	in.usage = b.findUsage(&ast.FuncDecl{Type: &ast.FuncType{}, Body: body})
	in.signature(nil, nil, false)
	in.body(body)
	return in.fn, nil
}

// Body builds the statements of a cell as a function without parameters.
//
// The variables that its statements declare belong to the session. For instance, x, y := 1, "a"
// becomes
//
//	global x = 1
//	global y = "a"
//
// whereas a variable declared in a block within the cell is a local of the function.
func (b *Builder) Body(decl *ast.FuncDecl) (f *ir.Func, err error) {
	defer rescue(&err)
	b.top = b.info.Scopes[decl.Type]
	in := b.newBuilder(nil, ir.CellName, decl.Pos(), decl.End())
	in.usage = b.findUsage(decl)
	in.signature(nil, nil, false)
	in.body(decl.Body)
	return in.fn, nil
}

// rescue stores an *Unsupported panic in err. Other panics are defects and continue.
func rescue(err *error) {
	if r := recover(); r != nil {
		// Package link reports the other panics as defects, with their stack.
		u, ok := r.(*Unsupported)
		if !ok {
			panic(r)
		}
		*err = u
	}
}

// newBuilder returns a builder for a function inside the function of up, or for an outermost
// function if up is nil. Function literals share the usage of their outermost function.
func (b *Builder) newBuilder(up *builder, name string, pos, end token.Pos) *builder {
	// Each function has its own temporaries and labels, so hoisted and labels start empty.
	in := &builder{Builder: b, up: up, vars: map[*types.Var]*ir.Local{}, hoisted: map[ast.Expr]ir.Expr{}, labels: map[string]*ir.Label{}, labelIDs: new(int), inside: map[literalKind]int{}}
	in.fn = &ir.Func{Name: name, Fset: b.fset, Pos: pos, End: end}
	if up != nil {
		in.fn.Parent, in.usage = up.fn, up.usage
	}
	return in
}

// signature declares parameters and results. Parameters without a name and those named _ have
// locals as well, because the frame has a place for each.
func (b *builder) signature(params []*types.Var, results *types.Tuple, variadic bool) {
	var in, out []*types.Var
	for _, v := range params {
		l := b.declareVar(v)
		b.fn.Params = append(b.fn.Params, l)
		in = append(in, types.NewParam(v.Pos(), v.Pkg(), v.Name(), l.Type))
	}
	if results != nil {
		for v := range results.Variables() {
			l := b.declareVar(v)
			b.fn.Results = append(b.fn.Results, l)
			out = append(out, types.NewParam(v.Pos(), v.Pkg(), v.Name(), l.Type))
		}
	}
	b.fn.Sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(in...), types.NewTuple(out...), variadic)
}

// body builds the statements of the function.
func (b *builder) body(body *ast.BlockStmt) {
	b.collectLabels(body)
	b.fn.Body = b.block(body.Pos(), func() { b.stmts(body.List) })
	// Only now is it known whether a range-over-func loop in the body defers calls.
	if b.defers != nil {
		list := &ir.Builtin{Typed: ir.Typed{T: b.defers.Type, P: b.fn.Pos}, Name: "defers"}
		b.fn.Body.List = append([]ir.Stmt{&ir.Declare{At: ir.At{P: b.fn.Pos}, Local: b.defers, X: list}}, b.fn.Body.List...)
	}
}

// declareVar makes a local for a variable. In a function with marks every variable has a heap cell,
// so that a debugger can reach it.
func (b *builder) declareVar(v *types.Var) *ir.Local {
	l := b.newLocal(v.Name(), b.substitute(v.Type()), v.Pos())
	l.Var = v
	l.Boxed = b.needsCell(v, l.Type)
	b.vars[v] = l
	return l
}

// needsCell reports whether a variable of a type must have a heap cell. With marks all variables
// have one, because the debugger reads and sets them by address.
func (b *builder) needsCell(v *types.Var, t types.Type) bool {
	return b.Marks || b.usage.boxed(v) || isLarge(t)
}

// newLocal adds a local to the function. Locals are never reused for another variable.
func (b *builder) newLocal(name string, t types.Type, pos token.Pos) *ir.Local {
	l := &ir.Local{Name: name, Type: t, Pos: pos, Index: len(b.fn.Locals)}
	b.fn.Locals = append(b.fn.Locals, l)
	return l
}

// temporary makes a local that has no name in the source.
func (b *builder) temporary(t types.Type, pos token.Pos) *ir.Local { return b.newLocal("", t, pos) }

// largest is the size in bytes above which a variable gets a heap cell. It keeps frames small: they
// are retained for reuse.
const largest = 1 << 10

// isLarge reports whether a variable of a type is too large for a frame.
func isLarge(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Array, *types.Struct:
		return ir.Sizes.Sizeof(t) > largest
	}
	return false
}

// variable returns the local for a variable of this function or of an enclosing one. In the second
// case the variable becomes a capture of all functions in between. For instance, if a literal
// inside a literal uses x of the function, both literals capture x, the inner one from the outer
// one.
func (b *builder) variable(v *types.Var) *ir.Local {
	if l := b.vars[v]; l != nil {
		return l
	}
	if b.up == nil {
		unsupported(v.Pos(), "internal: the variable %s is not declared", v.Name())
	}
	// The recursion ends at the function that declares v.
	outer := b.up.variable(v)
	return b.capture(outer, v)
}

// capture makes a variable of the enclosing function a capture of this function. Whether it is a
// copy or shares the heap cell of the variable has been decided for the variable. For instance, the
// literals in return func() int { return n + k }, func() { k++ } have the captures
//
//	captures n int, k boxed int
//	captures k boxed int
//
// because k changes after its declaration and n does not.
func (b *builder) capture(outer *ir.Local, v *types.Var) *ir.Local {
	l := b.newLocal(outer.Name, outer.Type, outer.Pos)
	l.Var, l.Boxed, l.Outer = v, outer.Boxed, outer
	b.fn.Captures = append(b.fn.Captures, l)
	if v != nil {
		b.vars[v] = l
	}
	return l
}

// substitute replaces type parameters by type arguments.
func (b *Builder) substitute(t types.Type) types.Type {
	if b.Subst == nil || t == nil {
		return t
	}
	return b.Subst(t)
}

// typeOf returns the type of an expression. Untyped expressions have their default types.
func (b *Builder) typeOf(e ast.Expr) types.Type {
	t := b.info.TypeOf(e)
	if t == nil {
		if id, ok := e.(*ast.Ident); ok {
			if o := b.info.ObjectOf(id); o != nil {
				t = o.Type()
			}
		}
	}
	if t == nil {
		unsupported(e.Pos(), "internal: an expression without a type")
	}
	return types.Default(b.substitute(t))
}

// add appends a statement to the current block.
func (b *builder) add(s ir.Stmt) { b.list = append(b.list, s) }

// block returns a block of the statements that fill adds. Blocks nest like the Go calls of fill, so
// the list of the enclosing block is saved in a Go variable.
func (b *builder) block(pos token.Pos, fill func()) *ir.Block {
	before := b.list
	b.list = nil
	fill()
	block := &ir.Block{At: ir.At{P: pos}, List: b.list}
	b.list = before
	return block
}

// Use returns an expression for a local.
func Use(l *ir.Local) ir.Expr { return ir.Use(l) }

// set adds an assignment to a place. The Assign evaluates x before the operands of dst.
func (b *builder) set(dst, x ir.Expr, pos token.Pos) {
	b.add(&ir.Assign{At: ir.At{P: pos}, Dst: dst, X: x})
}

// save stores a value in a new temporary and returns the expression that reads it.
func (b *builder) save(x ir.Expr) ir.Expr {
	l := b.temporary(x.Type(), x.Pos())
	b.set(ir.Use(l), x, x.Pos())
	return ir.Use(l)
}

// global returns a reference to a variable of the session or of another package, or nil for a local
// variable.
func (b *builder) global(v *types.Var, pos token.Pos) ir.Expr {
	if g := b.env.Global(v); g != nil {
		// The type is that of the check, in which a type whose methods have changed has another
		// object than when the variable was declared.
		return &ir.GlobalExpr{Typed: ir.Typed{T: b.substitute(v.Type()), P: pos}, Global: g}
	}
	if v.Pkg() != nil && v.Pkg() != b.pkg && v.Parent() == v.Pkg().Scope() {
		return &ir.GlobalExpr{Typed: ir.Typed{T: v.Type(), P: pos}, Global: &ir.Global{Name: v.Name(), Type: v.Type(), Path: v.Pkg().Path()}}
	}
	return nil
}

// varExpr returns a use of a variable. The functions from this one outward are searched first; what
// none of them declares is a variable of the session or of a package.
func (b *builder) varExpr(v *types.Var, pos token.Pos) ir.Expr {
	for in := b; in != nil; in = in.up {
		if l := in.vars[v]; l != nil {
			l = b.variable(v)
			return &ir.LocalExpr{Typed: ir.Typed{T: l.Type, P: pos}, Local: l}
		}
	}
	if g := b.global(v, pos); g != nil {
		return g
	}
	l := b.variable(v)
	return &ir.LocalExpr{Typed: ir.Typed{T: l.Type, P: pos}, Local: l}
}
