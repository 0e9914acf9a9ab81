package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// A target is what a call calls: the text before the parenthesis, and the receiver that
// goes first among the arguments of a lowered method.
type target struct {
	callee, receiver string
	declared         bool // a function of cells, called by its name
	value            bool // what a variable, a field or an expression holds
}

func (t target) call(arguments string) string {
	switch {
	case t.receiver == "":
		return t.callee + "(" + arguments + ")"
	case arguments == "":
		return t.callee + "(" + t.receiver + ")"
	}
	return t.callee + "(" + t.receiver + ", " + arguments + ")"
}

// selection is a field or method found in the concrete type of an operand.
type selection struct {
	object types.Object
	index  []int
}

// selection looks a selector up. In generic code this happens again for each instance.
func (e *emitter) selection(x *ast.SelectorExpr) (selection, types.Type) {
	found := e.src.info.Selections[x]
	if e.env == nil && !e.throughLibrary(found.Recv()) {
		return selection{found.Obj(), found.Index()}, found.Recv()
	}
	recv := e.u.s.libraryForm(e.typ(found.Recv()))
	object, index, _ := types.LookupFieldOrMethod(recv, true, found.Obj().Pkg(), found.Obj().Name())
	if object == nil {
		panic(refuse(x.Sel.Pos(), "%s has no %s in cells", recv, x.Sel.Name))
	}
	return selection{object, index}, recv
}

// throughLibrary tells whether a selection starts at a generic type of the standard
// library, which has a form of our own.
func (e *emitter) throughLibrary(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.TypeArgs().Len() > 0
}

func (e *emitter) selector(x *ast.SelectorExpr) string {
	if e.src.info.Selections[x] == nil { // a qualified identifier
		switch o := e.src.info.Uses[x.Sel].(type) {
		case *types.Var:
			return e.variable(o)
		case *types.Func:
			return e.functionValue(x.Sel, o)
		}
		panic(refuse(x.Pos(), "%s cannot be used here in a cell", x.Sel.Name))
	}
	switch e.src.info.Selections[x].Kind() {
	case types.MethodVal:
		return e.methodValue(x)
	case types.MethodExpr:
		return e.methodExpression(x)
	}
	s, recv := e.selection(x)
	operand := e.x(x.X)
	if _, pointer := recv.Underlying().(*types.Pointer); !pointer {
		operand = throughPointer(operand)
	}
	text, _ := e.path(operand, recv, s.index)
	return text
}

// throughPointer leaves the selection of a field to the pointer in (*p): inside a literal
// of a composite type the interpreter fails on (*p).f.
func throughPointer(operand string) string {
	if strings.HasPrefix(operand, "(*") && !strings.HasPrefix(operand, "(*func") && matching(operand) {
		return operand[2 : len(operand)-1]
	}
	return operand
}

// path spells the fields on the way through embedded structs.
func (e *emitter) path(operand string, t types.Type, index []int) (string, types.Type) {
	for _, i := range index {
		t = e.u.s.libraryForm(t)
		structure := t.Underlying()
		if p, ok := structure.(*types.Pointer); ok {
			structure = e.u.s.libraryForm(p.Elem()).Underlying()
		}
		f := structure.(*types.Struct).Field(i)
		if !e.u.hidden(f) { // the next selection reaches through it
			operand += "." + fieldName(f.Name(), i)
		}
		t = f.Type()
	}
	return operand, t
}

// hidden tells whether a field belongs to a struct of a compiled package, which alone can
// name it. What it embeds there is still promoted.
func (u *unit) hidden(f *types.Var) bool {
	if f.Exported() || f.Pkg() == nil || f.Pkg().Path() == "main" {
		return false
	}
	p := u.s.library[f.Pkg().Path()]
	return p == nil || p.types != f.Pkg()
}

// methodPlace is the path to the operand of a method. It ends where only compiled code can
// go on: the method is promoted to there.
func (e *emitter) methodPlace(operand string, t types.Type, index []int) (string, types.Type) {
	path := index[:len(index)-1]
	for n := range path {
		place, at := e.path(operand, t, path[:n])
		structure := e.u.s.libraryForm(at).Underlying()
		if p, ok := structure.(*types.Pointer); ok {
			structure = e.u.s.libraryForm(p.Elem()).Underlying()
		}
		if e.u.hidden(structure.(*types.Struct).Field(path[n])) {
			return place, at
		}
	}
	return e.path(operand, t, path)
}

// methodOf finds the function behind a method of the operand.
func (e *emitter) methodOf(operand string, recv types.Type, f *types.Func, index []int) target {
	place, t := e.methodPlace(operand, recv, index)
	if isInterface(t) {
		return target{callee: place + "." + e.interfaceMethod(t, f)}
	}
	_, pointer := t.Underlying().(*types.Pointer)
	named := namedOf(t)
	if named == nil {
		panic(fmt.Sprintf("method %s of %s", f.Name(), t))
	}
	_, wantsPointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	if !e.u.s.ours(named) {
		if wantsPointer && !pointer {
			place = "(" + address(place) + ")"
		}
		if name := guardedMethods[f.FullName()]; name != "" {
			return target{callee: support + "." + name, receiver: place}
		}
		return target{callee: place + "." + f.Name()}
	}
	switch {
	case wantsPointer && !pointer:
		place = address(place)
	case !wantsPointer && pointer:
		place = "*" + place
	}
	if !wantsPointer {
		place = carried(place, t)
		if pointer {
			place = carried(place, named)
		}
	}
	return target{callee: e.u.methodFunction(e, named, f), receiver: place, declared: true}
}

// guardedMethods are compiled methods that end the process, some on misuse only, or call functions of
// cells from goroutines of their own, or walk over maps, with the support functions that stand for them.
var guardedMethods = map[string]string{
	"(*sync.WaitGroup).Go": "WaitGroupGo",
	"(*os.File).Write":     "FileWrite", "(*os.File).WriteString": "FileWriteString", "(*os.File).ReadFrom": "FileReadFrom",
	"(*os.File).Read": "FileRead", "(*os.File).WriteTo": "FileWriteTo", "(*os.File).Sync": "FileSync", "(*os.File).Close": "FileClose",
	"(*sync.Mutex).Unlock": "Unlock", "(*sync.RWMutex).Unlock": "WriteUnlock", "(*sync.RWMutex).RUnlock": "ReadUnlock",
	"(*log.Logger).Fatal": "LoggerFatal", "(*log.Logger).Fatalf": "LoggerFatalf", "(*log.Logger).Fatalln": "LoggerFatalln",
	"(*flag.FlagSet).Parse":           "FlagSetParse",
	"(*encoding/json.Encoder).Encode": "JSONEncode", "(*encoding/json.Decoder).Decode": "JSONDecode",
	"(*encoding/gob.Encoder).Encode": "GobEncode", "(*encoding/gob.Decoder).Decode": "GobDecode",
	"(*encoding/gob.Encoder).EncodeValue": "GobEncodeValue", "(*encoding/gob.Decoder).DecodeValue": "GobDecodeValue",
	"(*text/template.Template).Execute": "TextExecute", "(*text/template.Template).ExecuteTemplate": "TextExecuteNamed",
	"(*html/template.Template).Execute": "HTMLExecute", "(*html/template.Template).ExecuteTemplate": "HTMLExecuteNamed",
}

// namedOf is the named type of t or of what t points to.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// interfaceMethod is the name of a method in the compiled interface type t.
func (e *emitter) interfaceMethod(t types.Type, f *types.Func) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && !e.u.s.ours(n) {
		return f.Name()
	}
	return e.u.methodName(f)
}

// methodValue emits x.M that is not called: a closure that holds a copy of the receiver.
func (e *emitter) methodValue(x *ast.SelectorExpr) string {
	s, recv := e.selection(x)
	f := s.object.(*types.Func)
	place, t := e.methodPlace(e.x(x.X), recv, s.index)
	signature := plain(e.typ(f.Type()).(*types.Signature))
	if isInterface(t) {
		to := target{callee: "r." + e.interfaceMethod(t, f)}
		return e.bound(support+".Live("+place+").("+e.spell(t)+")", t, signature, to)
	}
	_, pointer := t.Underlying().(*types.Pointer)
	_, wantsPointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	named := namedOf(t)
	receiver := types.Type(named)
	switch {
	case wantsPointer && !pointer:
		place, receiver = address(place), types.NewPointer(named)
	case wantsPointer:
		receiver = types.NewPointer(named)
	case pointer:
		place = "*" + place
	}
	return e.bound(place, receiver, signature, e.methodOf("r", receiver, f, []int{0}))
}

// bound emits a function that calls a target on r, which holds the receiver.
func (e *emitter) bound(receiver string, t types.Type, signature *types.Signature, to target) string {
	first := ""
	if leads(t, map[types.Type]bool{}) {
		first = e.hold([]string{"&r"}) + "; "
	}
	return fmt.Sprintf("func(r %s) %s { %sreturn %s }(%s)", e.spell(t), e.spell(signature), first, e.u.forward("func", "", signature, to, ""), receiver)
}

// methodExpression emits T.M as a function with the receiver first.
func (e *emitter) methodExpression(x *ast.SelectorExpr) string {
	s, recv := e.selection(x)
	f := s.object.(*types.Func)
	whole := e.typeOf(x).(*types.Signature)
	signature := plain(e.typ(f.Type()).(*types.Signature))
	to := e.methodOf("r", recv, f, s.index)
	literal := strings.TrimSpace(e.u.forward("func", "r "+e.spell(whole.Params().At(0).Type()), signature, to, ""))
	return e.apart(literal, e.spell(whole))
}
