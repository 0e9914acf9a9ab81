package graph

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/types/typeutil"

	"gosphere/runtime/check"
)

// effects are what a piece of syntax reads and changes. Names are those of a session, such as xs, f
// and Point.Norm.
type effects struct {
	// mentions are the names that the text mentions, and reads those whose value or declaration
	// matters: all but variables that are only assigned.
	mentions, reads positions
	changes         map[string]change
	calls           []call
	unknown         []unknown
	// parameters are the indices of the parameters through which the function may change memory of
	// its caller; the receiver, if any, is first. The value is set if the change is certain.
	parameters map[int]bool
	// shares are pairs of names that may refer to the same memory afterward.
	shares [][2]string
	links  []link // pairs that do not consist of two names
	// addressed are variables to which something may refer, by a pointer or a slice of an array.
	addressed []string
	// variadic is the index of the variadic parameter, or -1.
	variadic int
	// interfaces are the names of methods that are called by way of interfaces.
	interfaces positions
	literals   []*ast.FuncLit // until their effects are recorded
	// held are the names that function literals mention which only a variable holds, and bases the
	// places that are assigned to and whose variables are not read otherwise. They are set only by
	// a walker that defers.
	held  positions
	bases map[string][]string
}

// A change is a change of a variable. certain is unset if only something that may refer to it
// changes; through is set if memory to which the variable refers changes.
//
// The old value of x[i] = v is that of x[i].
type change struct {
	pos              token.Pos
	certain, through bool
	updates          bool // whether the new value depends on the old one, as in x++
	whole            bool // whether nothing of the old value can be left
	portion               // that may change
}

// A call is a call of a function of a cell. roots are, for each argument beginning with the
// receiver, what it may refer to.
type call struct {
	name  string
	pos   token.Pos
	roots [][]root
}

// An unknown is an operation whose effects are not known.
type unknown struct {
	what      string
	pos       token.Pos
	signature string // of a function value that is called, see signatureKey; or ""
}

// A root is what an expression may refer to: a session variable or a parameter.
type root struct {
	name      string // of the variable; "" for a parameter
	parameter int
	doubtful  bool // whether the result of a call may refer to it
}

// A walker collects the effects of syntax.
type walker struct {
	checked *check.Checked
	out     *effects
	// own are the session variables that the cell has defined or assigned as a whole before.
	own map[string]bool
	// locals are what local variables may refer to.
	locals map[types.Object]map[root]bool
	// parameters are those of the function, in order.
	parameters map[types.Object]int
	// defers reports whether function literals that variables hold have no effects before they are
	// called, and top is the current statement of the cell.
	defers bool
	top    ast.Stmt
	bound  int // number of entries of locals
	// conditional counts the statements and literals around the current one that may leave it out:
	// what it assigns to keeps its old value then.
	conditional int
}

func newEffects() *effects {
	return &effects{variadic: -1}
}

// functionEffects returns the effects of calling a function whose parameters are those of a type.
func functionEffects(checked *check.Checked, receiver *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) *effects {
	w := &walker{checked: checked, out: newEffects(), own: map[string]bool{}, parameters: map[types.Object]int{}}
	n := 0
	for _, list := range []*ast.FieldList{receiver, typ.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				w.parameters[checked.Info.Defs[name]] = n
				n++
			}
			if len(field.Names) == 0 {
				n++
			}
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				w.out.variadic = n - 1
			}
			w.mention(field.Type)
		}
	}
	if body != nil {
		w.walk(body)
	}
	return w.out
}

// nameOf returns the session name of an object, or "".
func (w *walker) nameOf(object types.Object) string {
	if object == nil {
		return ""
	}
	return symbolName(w.checked.SymbolOf(object))
}

// symbolName returns the name of a symbol, with its receiver for a method.
func symbolName(s *check.Symbol) string {
	switch {
	case s == nil || s.Name == "_":
		return ""
	case s.Kind == check.Method && s.Receiver != nil:
		return s.Receiver.Name + "." + s.Name
	}
	return s.Name
}

// object returns the object that an identifier denotes.
func (w *walker) object(id *ast.Ident) types.Object { return w.checked.Info.ObjectOf(id) }

// mention records the names in an expression as mentioned and read.
func (w *walker) mention(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			w.identifier(id, true)
		}
		return true
	})
}

// identifier records that an identifier is mentioned, and read if reads is set.
func (w *walker) identifier(id *ast.Ident, reads bool) {
	name := w.nameOf(w.object(id))
	if name == "" || w.checked.Info.Defs[id] != nil {
		return
	}
	w.out.mentions.add(name, id.Pos())
	if reads && !w.own[name] {
		w.out.reads.add(name, id.Pos())
	}
}

// positions are names with the position of the first mention of each. There are few in most cells.
type positions []position

type position struct {
	name string
	pos  token.Pos
	portion
}

// add adds a name, with the whole of its variable, unless it has a position.
func (p *positions) add(name string, pos token.Pos) { p.merge(position{name: name, pos: pos}) }

// merge adds a name unless it has a position, and joins the portions of its variable.
func (p *positions) merge(q position) {
	for i := range *p {
		if o := &(*p)[i]; o.name == q.name {
			o.portion = o.with(q.portion)
			return
		}
	}
	*p = append(*p, q)
}

// has reports whether a name has a position.
func (p positions) has(name string) bool {
	return slices.ContainsFunc(p, func(q position) bool { return q.name == name })
}

// changed records that a variable changes. A certain change is kept over a possible one.
func (e *effects) changed(name string, c change) {
	if old, ok := e.changes[name]; ok {
		c.pos, c.certain, c.through, c.updates = old.pos, old.certain || c.certain, old.through || c.through, old.updates || c.updates
		c.whole, c.portion = c.whole || old.whole, old.with(c.portion)
	}
	if e.changes == nil {
		e.changes = map[string]change{}
	}
	e.changes[name] = c
}

// walk records the effects of statements and expressions. Local variables that refer to other
// memory are found first, since a loop may assign to one below its use.
func (w *walker) walk(n ast.Node) {
	for range 3 { // chains of local variables are short
		before := w.bound
		ast.Inspect(n, func(n ast.Node) bool { w.refer(n); return true })
		if w.bound == before {
			break
		}
	}
	w.visit(n)
}

// refer records what local variables may refer to after a statement.
func (w *walker) refer(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			right := n.Rhs[0]
			if len(n.Rhs) == len(n.Lhs) {
				right = n.Rhs[i]
			}
			w.bind(left, right)
			w.store(left, right)
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) == len(n.Names) {
				w.bind(name, n.Values[i])
			} else if len(n.Values) == 1 {
				w.bind(name, n.Values[0])
			}
		}
	case *ast.RangeStmt:
		for _, left := range []ast.Expr{n.Key, n.Value} {
			if left != nil {
				w.bind(left, n.X)
			}
		}
	case *ast.TypeSwitchStmt:
		if assign, ok := n.Assign.(*ast.AssignStmt); ok {
			for _, clause := range n.Body.List {
				if object := w.checked.Info.Implicits[clause]; object != nil {
					w.bindObject(object, assign.Rhs[0])
				}
			}
		}
	}
}

// bind records that what an expression refers to is assigned to a variable.
func (w *walker) bind(left, right ast.Expr) {
	base := baseOf(left)
	if base == nil {
		return
	}
	object := w.object(base)
	if object == nil || !refers(w.typeOf(left)) && !refers(object.Type()) {
		return
	}
	w.bindObject(object, right)
}

func (w *walker) bindObject(object types.Object, right ast.Expr) {
	roots := w.roots(right)
	if name := w.nameOf(object); name != "" {
		w.link([]root{{name: name}}, roots)
		return
	}
	if len(roots) == 0 {
		return
	}
	if w.locals == nil {
		w.locals = map[types.Object]map[root]bool{}
	}
	if w.locals[object] == nil {
		w.locals[object] = map[root]bool{}
	}
	for _, r := range roots {
		if !w.locals[object][r] {
			w.locals[object][r] = true
			w.bound++
		}
	}
}

// visit records the effects of a node.
func (w *walker) visit(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if w.branches(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			w.block(n.List)
			return false
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if !w.defers || len(n.Lhs) != len(n.Rhs) || !w.hold(n.Lhs[i], right) {
					w.visit(right)
				}
			}
			for i, left := range n.Lhs {
				updates := n.Tok != token.ASSIGN && n.Tok != token.DEFINE
				if !updates && len(n.Lhs) == len(n.Rhs) {
					updates = w.mentionsPlace(n.Rhs[i], left)
				}
				w.assign(left, updates, n.Tok != token.ASSIGN && n.Tok != token.DEFINE)
			}
			return false
		case *ast.IncDecStmt:
			w.assign(n.X, true, true)
			return false
		case *ast.SendStmt:
			w.change(n.Chan, true)
		case *ast.SliceExpr:
			w.address(n)
		case *ast.UnaryExpr:
			w.address(n)
			if n.Op == token.ARROW {
				w.change(n.X, true)
			}
			if base := baseOf(n.X); n.Op == token.AND && base != nil {
				w.identifier(base, true) // what has the address may read all
			}
		case *ast.GoStmt:
			w.out.unknown = append(w.out.unknown, unknown{what: "starts a goroutine", pos: n.Pos()})
		case *ast.FuncLit:
			w.out.literals = append(w.out.literals, n)
			w.maybe(n.Body)
			return false
		case *ast.CallExpr:
			w.call(n)
		case *ast.Ident:
			w.identifier(n, true)
		case *ast.SelectorExpr:
			if w.read(n) {
				return false
			}
			w.selection(n)
		}
		return true
	})
}

// branches records the effects of a statement of which parts may not run, and reports whether it is
// one.
func (w *walker) branches(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CaseClause:
		for _, e := range n.List {
			w.visit(e)
		}
		w.maybe(n.Body...)
	case *ast.CommClause:
		w.maybe(append([]ast.Stmt{n.Comm}, n.Body...)...)
	case *ast.IfStmt:
		if n.Init != nil {
			w.step(n.Init)
		}
		w.visit(n.Cond)
		w.maybe(n.Body)
		w.maybe(n.Else)
	case *ast.ForStmt:
		if n.Init != nil {
			w.step(n.Init)
		}
		if n.Cond != nil {
			w.visit(n.Cond)
		}
		w.maybe(n.Body, n.Post)
	case *ast.RangeStmt:
		w.visit(n.X)
		for _, left := range []ast.Expr{n.Key, n.Value} {
			if left != nil && n.Tok == token.ASSIGN {
				w.conditional++ // there may be no element
				w.assign(left, false, false)
				w.conditional--
			}
		}
		if _, ok := under(w.typeOf(n.X)).(*types.Chan); ok {
			w.change(n.X, true)
		}
		w.maybe(n.Body)
	default:
		return false
	}
	return true
}

// block records the effects of the statements of a block. What one of them assigns as a whole is
// not read from outside by those that follow in the block.
func (w *walker) block(list []ast.Stmt) {
	before, conditional := maps.Clone(w.own), w.conditional
	for _, s := range list {
		if s == nil {
			continue
		}
		w.step(s)
		if leaves(s) {
			w.conditional++
		}
	}
	w.own, w.conditional = before, conditional
}

// maybe records the effects of statements that may not run.
func (w *walker) maybe(list ...ast.Stmt) {
	w.conditional++
	w.block(slices.DeleteFunc(list, isNone))
	w.conditional--
}

// isNone reports whether there is no statement.
func isNone(s ast.Stmt) bool {
	b, ok := s.(*ast.BlockStmt)
	return s == nil || ok && b == nil
}

// leaves reports whether the statements after one may be left out because of it.
func leaves(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		}
		return !found
	})
	return found
}

// step records the effects of one statement of a list, and what it assigns as a whole.
func (w *walker) step(s ast.Stmt) {
	w.visit(s)
	for _, id := range assignedWhole(s) {
		if name := w.nameOf(w.object(id)); name != "" {
			w.own[name] = true
		}
	}
}

// mentionsPlace reports whether an expression contains a place, such as m[k] in append(m[k], v).
func (w *walker) mentionsPlace(e, place ast.Expr) (found bool) {
	if id, ok := ast.Unparen(place).(*ast.Ident); ok {
		variable := w.checked.Info.Uses[id]
		ast.Inspect(e, func(n ast.Node) bool {
			part, ok := n.(*ast.Ident)
			found = found || ok && variable != nil && w.checked.Info.Uses[part] == variable
			return !found
		})
		return found
	}
	text := types.ExprString(place)
	ast.Inspect(e, func(n ast.Node) bool {
		part, ok := n.(ast.Expr)
		if _, name := n.(*ast.Ident); !name {
			found = found || ok && types.ExprString(part) == text
		}
		return !found
	})
	return found
}

// selection records a method that a selector denotes. The identifier is visited as well; it denotes
// the method unless the type is an interface.
func (w *walker) selection(n *ast.SelectorExpr) {
	s := w.checked.Info.Selections[n]
	if s == nil || s.Kind() == types.FieldVal {
		return
	}
	if types.IsInterface(s.Recv()) {
		w.out.interfaces.add(n.Sel.Name, n.Pos())
	}
}

// assign records an assignment. updates is set if the old value matters, as in x = x + 1, and reads
// if the statement reads it without mentioning it on the right, as x += 1 does.
func (w *walker) assign(left ast.Expr, updates, reads bool) {
	left = ast.Unparen(left)
	if id, ok := left.(*ast.Ident); ok {
		w.identifier(id, reads)
		if name := w.nameOf(w.object(id)); name != "" && w.checked.Info.Defs[id] == nil {
			w.out.changed(name, change{pos: id.Pos(), certain: true, updates: updates && !w.own[name], whole: w.conditional == 0})
		}
		return
	}
	if text := constantPlace(w.checked.Info, left); text != "" && w.top != nil && !updates {
		name := w.nameOf(w.object(baseOf(left)))
		if name != "" && !w.own[name] {
			w.out.mentions.add(name, left.Pos())
			if w.out.bases == nil {
				w.out.bases = map[string][]string{}
			}
			w.out.bases[name] = append(w.out.bases[name], text)
			w.changePlace(left, false, false)
			return
		}
	}
	w.visit(left)
	w.changePlace(left, false, updates)
}

// change records that the memory that an expression denotes changes, or, if through is set, memory
// to which its value refers.
func (w *walker) change(place ast.Expr, through bool) { w.changePlace(place, through, false) }

// changePlace is like change. updates is set if the new value depends on the old one.
func (w *walker) changePlace(place ast.Expr, through, updates bool) {
	base := baseOf(place)
	through = through || w.throughReference(place)
	if base != nil {
		if name := w.nameOf(w.object(base)); name != "" {
			w.out.changed(name, change{pos: base.Pos(), certain: true, through: through, updates: updates, portion: w.placed(place)})
			return
		}
	}
	if !through {
		return // a local variable
	}
	var roots []root
	if base != nil {
		roots = w.rootsOf(w.object(base))
	} else {
		roots = w.roots(innermost(place))
	}
	w.changeRoots(roots, place.Pos(), base != nil && len(roots) == 1)
}

// changeRoots records that memory to which the roots refer changes.
func (w *walker) changeRoots(roots []root, pos token.Pos, certain bool) {
	for _, r := range roots {
		if r.name == "" {
			if w.out.parameters == nil {
				w.out.parameters = map[int]bool{}
			}
			w.out.parameters[r.parameter] = w.out.parameters[r.parameter] || certain && !r.doubtful
		} else {
			w.out.changed(r.name, change{pos: pos, certain: certain && !r.doubtful, through: true})
		}
	}
}

// throughReference reports whether a place is reached by a pointer, slice or map.
func (w *walker) throughReference(place ast.Expr) bool {
	for {
		switch n := ast.Unparen(place).(type) {
		case *ast.StarExpr:
			return true
		case *ast.SelectorExpr:
			if s := w.checked.Info.Selections[n]; s != nil && s.Indirect() {
				return true
			}
			place = n.X
		case *ast.IndexExpr:
			if _, array := under(w.typeOf(n.X)).(*types.Array); !array {
				return true
			}
			place = n.X
		case *ast.SliceExpr:
			place = n.X
		default:
			return false
		}
	}
}

// baseOf returns the variable of which a place is a part, or nil.
func baseOf(place ast.Expr) *ast.Ident {
	id, _ := innermost(place).(*ast.Ident)
	return id
}

// innermost removes selectors, indices and dereferences from a place.
func innermost(place ast.Expr) ast.Expr {
	for {
		switch n := ast.Unparen(place).(type) {
		case *ast.SelectorExpr:
			place = n.X
		case *ast.IndexExpr:
			place = n.X
		case *ast.SliceExpr:
			place = n.X
		case *ast.StarExpr:
			place = n.X
		default:
			return n
		}
	}
}

// call records the effects of a call.
func (w *walker) call(n *ast.CallExpr) {
	if w.checked.Info.Types[n.Fun].IsType() {
		return // a conversion
	}
	callee := typeutil.Callee(w.checked.Info, n)
	if builtin, ok := callee.(*types.Builtin); ok {
		switch builtin.Name() {
		case "delete", "clear", "close", "copy":
			w.change(n.Args[0], true)
		}
		return
	}
	if _, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
		return // its body is visited where it stands
	}
	arguments := n.Args
	var receiver ast.Expr
	if selector, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		if s := w.checked.Info.Selections[selector]; s != nil && s.Kind() == types.MethodVal {
			receiver = selector.X
			arguments = append([]ast.Expr{receiver}, arguments...)
		}
	}
	f, _ := callee.(*types.Func)
	if f == nil {
		w.callValue(n, callee)
		return
	}
	if receiver != nil && types.IsInterface(w.typeOf(receiver)) {
		// The methods of cells with this name are followed; others are like compiled functions.
		w.keep(arguments, f, true)
		w.changeArguments(f, arguments, receiver)
		w.methodsOfArguments(n.Args)
		return
	}
	if name := w.nameOf(f.Origin()); name != "" {
		c := call{name: name, pos: n.Pos()}
		for i, a := range arguments {
			c.roots = append(c.roots, w.argumentRoots(a, f, i == 0 && receiver != nil))
		}
		w.out.calls = append(w.out.calls, c)
		return
	}
	w.methodsOfArguments(n.Args)
	if changed := w.changedIn(f, arguments, receiver != nil); len(changed) > 0 {
		w.keep(arguments, f, receiver != nil)
		for _, i := range changed {
			w.changeRoots(w.argumentRoots(arguments[i], f, i == 0 && receiver != nil), arguments[i].Pos(), false)
		}
	}
}

// callValue records the call of a function value.
func (w *walker) callValue(n *ast.CallExpr, callee types.Object) {
	text := types.ExprString(n.Fun)
	if name := w.nameOf(callee); name != "" {
		c := call{name: name, pos: n.Pos()}
		for _, a := range n.Args {
			c.roots = append(c.roots, w.argumentRoots(a, nil, false))
		}
		w.out.calls = append(w.out.calls, c)
		return
	}
	if v, ok := callee.(*types.Var); ok && !v.IsField() {
		if _, parameter := w.parameters[v]; !parameter {
			return // a literal of the same function, whose body is visited where it stands
		}
	}
	key := ""
	if signature, ok := under(w.typeOf(n.Fun)).(*types.Signature); ok {
		key = signatureKey(signature)
	}
	w.out.unknown = append(w.out.unknown, unknown{"calls the function value " + text, n.Pos(), key})
	w.keep(n.Args, nil, false)
	for _, a := range n.Args {
		w.changeRoots(w.argumentRoots(a, nil, false), a.Pos(), false)
	}
}

// argumentRoots returns what an argument gives a function the means to change. A receiver that is
// addressed implicitly gives its variable.
func (w *walker) argumentRoots(a ast.Expr, f *types.Func, receiver bool) []root {
	if receiver && f != nil {
		if _, pointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); pointer {
			if base := baseOf(a); base != nil {
				return w.rootsOf(w.object(base))
			}
		}
	}
	return w.roots(a)
}

// changedIn returns the indices of the arguments, the receiver first, through which a call of a
// compiled function may change memory. A function that it is given may change the elements of the
// others.
func (w *walker) changedIn(f *types.Func, arguments []ast.Expr, receiver bool) (list []int) {
	changes := changedBy(f)
	last := f.Signature().Params().Len() - 1
	if f.Signature().Recv() != nil {
		last++
	}
	calls := slices.ContainsFunc(arguments, func(a ast.Expr) bool {
		_, function := under(w.typeOf(a)).(*types.Signature)
		return function
	})
	for i, a := range arguments {
		if changes(min(i, last)) || calls && elementsRefer(w.typeOf(a)) {
			list = append(list, i)
		}
	}
	return list
}

// changeArguments records that a method of an interface may change what its arguments refer to.
func (w *walker) changeArguments(f *types.Func, arguments []ast.Expr, receiver ast.Expr) {
	for i, a := range arguments {
		w.changeRoots(w.argumentRoots(a, f, i == 0 && receiver != nil), a.Pos(), false)
	}
}

// methodsOfArguments records that a compiled function may call the methods of the cell types in its
// arguments, if it takes them as interfaces.
func (w *walker) methodsOfArguments(arguments []ast.Expr) {
	for _, a := range arguments {
		w.methodsOf(w.typeOf(a), a.Pos(), 0)
	}
}

// methodsOf records that the methods of the cell types in a type may be called.
func (w *walker) methodsOf(t types.Type, pos token.Pos, depth int) {
	if t == nil || depth > 4 {
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if name := w.nameOf(t.Obj()); name != "" {
			w.out.reads.add(name, pos)
			for m := range t.Origin().Methods() {
				if method := w.nameOf(m); method != "" && !w.own[method] {
					w.out.reads.add(method, pos)
				}
			}
			if s, ok := t.Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					w.methodsOf(f.Type(), pos, depth+1)
				}
			}
		}
	case *types.Pointer:
		w.methodsOf(t.Elem(), pos, depth+1)
	case *types.Slice:
		w.methodsOf(t.Elem(), pos, depth+1)
	case *types.Array:
		w.methodsOf(t.Elem(), pos, depth+1)
	case *types.Map:
		w.methodsOf(t.Key(), pos, depth+1)
		w.methodsOf(t.Elem(), pos, depth+1)
	}
}
