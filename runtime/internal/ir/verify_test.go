package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// broken lists statements that each violate a rule, with words of the message.
var broken = []struct {
	name string
	of   func(e *brokenEnv) []Stmt
	want string
}{
	{"types differ in an assignment", func(e *brokenEnv) []Stmt { return list(&Assign{Dst: Use(e.n), X: Use(e.text)}) }, "the value assigned: string where int is required"},
	{"an assignment to a value", func(e *brokenEnv) []Stmt { return list(&Assign{Dst: number(1), X: number(2)}) }, "an assignment to what is not a variable"},
	{"a variable without its type", func(e *brokenEnv) []Stmt { return list(&Eval{X: &LocalExpr{of(StringType), e.n}}) }, "a variable: string where int is required"},
	{"a local of another function", func(e *brokenEnv) []Stmt { return list(&Eval{X: x()}) }, `the local "x" is of another function`},
	{"a missing operand", func(e *brokenEnv) []Stmt { return list(&Eval{X: &Unary{of(intType), token.SUB, nil}}) }, "an operand is missing"},
	{"a missing statement", func(e *brokenEnv) []Stmt { return []Stmt{nil} }, "a statement is missing"},
	{"an operator of strings", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Binary{of(StringType), token.SUB, Use(e.text), Use(e.text)}})
	}, "- of a string"},
	{"operands of two types", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Binary{of(intType), token.ADD, Use(e.n), Use(e.text)}})
	}, "an operand: string where int is required"},
	{"a shift by a string", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Binary{of(intType), token.SHL, Use(e.n), Use(e.text)}})
	}, "a shift by a string"},
	{"a comparison of slices", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Compare{of(boolType), token.EQL, Use(e.slice), Use(e.slice)}})
	}, "== of a []int"},
	{"an order of booleans", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Compare{of(boolType), token.LSS, BoolConst(true, 0), BoolConst(true, 0)}})
	}, "< of a bool"},
	{"a condition that is no boolean", func(e *brokenEnv) []Stmt { return list(&If{Cond: Use(e.n), Then: &Block{}}) }, "a condition of type int"},
	{"a constant that does not fit", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Const{of(types.Typ[types.Int8]), constant.MakeInt64(128)}})
	}, "the constant 128 is not a int8"},
	{"an untyped constant", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Const{of(types.Typ[types.UntypedInt]), constant.MakeInt64(1)}})
	}, "is not the type of a value"},
	{"a type parameter", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: ZeroOf(types.NewSlice(types.NewTypeParam(types.NewTypeName(0, nil, "T", nil), AnyType)), 0)})
	}, "has a type parameter"},
	{"an implicit conversion to an interface", func(e *brokenEnv) []Stmt { return list(&Assign{Dst: Use(e.any), X: Use(e.n)}) }, "the value assigned: int where any is required"},
	{"an interface that is not implemented", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &MakeInterface{of(types.Universe.Lookup("error").Type()), Use(e.n)}})
	}, "a int does not implement error"},
	{"an assertion about a number", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Assert{of(intType), Use(e.n), intType, false}})
	}, "an assertion about a int"},
	{"a conversion that does not exist", func(e *brokenEnv) []Stmt { return list(&Eval{X: &Convert{of(e.slice.Type), Use(e.n)}}) }, "a int cannot become a []int"},
	{"a field that does not exist", func(e *brokenEnv) []Stmt { return list(&Eval{X: &Field{of(intType), Use(e.point), 2}}) }, "field 2 of what has no such field"},
	{"an index that is no integer", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Elem{of(intType), Use(e.slice), Use(e.text)}})
	}, "an index of type string"},
	{"an element that is listed twice", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Composite{of(e.slice.Type), []Element{{Value: number(1)}, {Value: number(2)}}, 2}})
	}, "the element 0 stands twice"},
	{"the address of a variable in the frame", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &AddrOf{of(types.NewPointer(intType)), Use(e.n)}})
	}, "the address of n, which has no heap cell"},
	{"the address of a value", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &AddrOf{of(types.NewPointer(intType)), number(1)}})
	}, "the address of what is not a variable"},
	{"an argument too few", func(e *brokenEnv) []Stmt { return list(&Eval{X: e.call()}) }, "0 arguments of a function with 1 parameters"},
	{"an argument of another type", func(e *brokenEnv) []Stmt { return list(&Eval{X: e.call(Use(e.text))}) }, "an argument: string where int is required"},
	{"a call of nothing", func(e *brokenEnv) []Stmt { return list(&Eval{X: &Call{Typed: of(types.NewTuple())}}) }, "a call of 0 functions"},
	{"a predeclared function that does not exist", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Builtin{Typed: of(intType), Name: "length", Args: []Expr{Use(e.text)}}})
	}, "no predeclared function is named length"},
	{"a predeclared function of a wrong value", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Builtin{Typed: of(intType), Name: "len", Args: []Expr{Use(e.n)}}})
	}, "len of (int) gives no int"},
	{"recover without notice", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Builtin{Typed: of(AnyType), Name: "recover"}})
	}, "recover in a function that does not say"},
	{"defer without notice", func(e *brokenEnv) []Stmt { return list(&Defer{Call: e.call(number(1))}) }, "defer statement in a function that does not say"},
	{"go with a value", func(e *brokenEnv) []Stmt { return list(&Go{Call: number(1)}) }, "a go or defer statement has a *ir.Const"},
	{"a result too many", func(e *brokenEnv) []Stmt { return list(&Return{Values: []Expr{number(1), number(2)}}) }, "a function with 1 results returns 2"},
	{"a result of another type", func(e *brokenEnv) []Stmt { return list(&Return{Values: []Expr{Use(e.text)}}) }, "a result: string where int is required"},
	{"break outside", func(e *brokenEnv) []Stmt { return list(&Break{Label: &Label{ID: 7}}) }, "break has no target"},
	{"continue with a switch", func(e *brokenEnv) []Stmt {
		l := &Label{ID: 1}
		return list(&Switch{Label: l, Cases: []*Case{{Default: true, Body: &Block{List: list(&Continue{Label: l})}}}})
	}, "continue has no loop"},
	{"goto into a block", func(e *brokenEnv) []Stmt {
		l := &Label{ID: 1, Jumped: true}
		return list(&Goto{Label: l}, &Block{List: list(&Labeled{Label: l, Body: &Block{}})})
	}, "goto has no target"},
	{"a target without notice", func(e *brokenEnv) []Stmt {
		l := &Label{ID: 1}
		return list(&Labeled{Label: l, Body: &Block{}}, &Goto{Label: l})
	}, "does not know that a goto statement names it"},
	{"a label of two loops", func(e *brokenEnv) []Stmt {
		l := &Label{ID: 1}
		return list(&For{Label: l, Cond: BoolConst(false, 0), Body: &Block{}}, &For{Label: l, Body: &Block{}})
	}, "two statements have the label"},
	{"two defaults", func(e *brokenEnv) []Stmt {
		return list(&Switch{Label: &Label{ID: 1}, Cases: []*Case{{Default: true, Body: &Block{}}, {Default: true, Body: &Block{}}}})
	}, "a switch with 2 defaults"},
	{"fallthrough at the end", func(e *brokenEnv) []Stmt {
		return list(&Switch{Label: &Label{ID: 1}, Cases: []*Case{{Default: true, Fallthrough: true, Body: &Block{}}}})
	}, "fallthrough in the last case"},
	{"a loop over the wrong operand", func(e *brokenEnv) []Stmt {
		return list(&RangeMap{Label: &Label{ID: 1}, X: Use(e.slice), Body: &Block{}})
	}, "a loop over a map has another operand"},
	{"an iteration variable of another type", func(e *brokenEnv) []Stmt {
		return list(&RangeSlice{Label: &Label{ID: 1}, X: Use(e.slice), Elem: e.text, Body: &Block{}})
	}, "an iteration value: int where string is required"},
	{"a send to a number", func(e *brokenEnv) []Stmt { return list(&Send{Ch: Use(e.n), X: number(1)}) }, "a send needs a channel"},
	{"a receive that cannot be", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: &Recv{of(intType), ZeroOf(types.NewChan(types.SendOnly, intType), 0), false}})
	}, "a receive needs a channel that can be received from"},
	{"several values for one", func(e *brokenEnv) []Stmt {
		return list(&AssignAll{Dst: []*Local{e.n}, X: &Assert{of(Pair(intType)), Use(e.any), intType, true}})
	}, "1 destinations of 2 values"},
	{"a use before the value", func(e *brokenEnv) []Stmt { return list(&Eval{X: Use(e.later)}) }, "later is used before it has a value"},
	{"a value on one of two ways", func(e *brokenEnv) []Stmt {
		return list(&If{Cond: BoolConst(true, 0), Then: &Block{List: list(&Assign{Dst: Use(e.later), X: number(1)})}}, &Eval{X: Use(e.later)})
	}, "later is used before it has a value"},
	{"a value that a jump leaves out", func(e *brokenEnv) []Stmt {
		l := &Label{ID: 1, Jumped: true}
		jump := &If{Cond: BoolConst(true, 0), Then: &Block{List: list(&Goto{Label: l})}}
		return list(jump, &Assign{Dst: Use(e.later), X: number(1)}, &Labeled{Label: l, Body: &Block{}}, &Eval{X: Use(e.later)})
	}, "later is used before it has a value"},
	{"a value of a loop that may not run", func(e *brokenEnv) []Stmt {
		return list(&RangeInt{Label: &Label{ID: 1}, N: Use(e.n), Key: e.later, Body: &Block{}}, &Eval{X: Use(e.later)})
	}, "later is used before it has a value"},
	{"a heap cell that nothing makes", func(e *brokenEnv) []Stmt {
		e.later.Boxed = true
		return list(&Assign{Dst: Use(e.later), X: number(1)})
	}, "later has a heap cell that nothing makes"},
	{"a heap cell that is made too late", func(e *brokenEnv) []Stmt {
		e.later.Boxed = true
		return list(&Assign{Dst: Use(e.later), X: number(1)}, &Declare{Local: e.later})
	}, "later is used before it has a value"},
	{"an iteration with a copy of a frame variable", func(e *brokenEnv) []Stmt {
		return list(&For{Label: &Label{ID: 1}, Cond: BoolConst(false, 0), Body: &Block{}, Fresh: []*Local{e.n}})
	}, "each iteration has a copy of n, which has no heap cell"},
	{"a mark with a frame variable", func(e *brokenEnv) []Stmt { return list(&Mark{Vars: []*Local{e.n}, Call: e.any}) }, "the debugger is given n, which has no heap cell"},
	{"a mark without a record", func(e *brokenEnv) []Stmt { return list(&Mark{Call: e.n}) }, "the record of a call: int where any is required"},
	{"a capture that is assigned after its copy", func(e *brokenEnv) []Stmt {
		return list(&Eval{X: e.literal(e.n)}, &Assign{Dst: Use(e.n), X: number(1)})
	}, "an assignment to n, which a function literal has a copy of"},
	{"a capture without a value", func(e *brokenEnv) []Stmt { return list(&Eval{X: e.literal(e.later)}) }, "later is used before it has a value"},
	{"a capture that disagrees", func(e *brokenEnv) []Stmt {
		x := e.literal(e.n)
		x.Func.Captures[0].Boxed = true
		return list(&Eval{X: x})
	}, "disagree about the heap cell"},
	{"a capture of another function", func(e *brokenEnv) []Stmt { return list(&Eval{X: e.literal(local("x", intType))}) }, "has a variable that is not of f"},
	{"a literal without its function", func(e *brokenEnv) []Stmt {
		x := e.literal(e.n)
		x.Func.Parent = nil
		return list(&Eval{X: x})
	}, "does not know the function around it"},
	{"a literal at two places", func(e *brokenEnv) []Stmt {
		x := e.literal(e.n)
		return list(&Eval{X: x}, &Eval{X: x})
	}, "the function stands at two places"},
}

func list(s ...Stmt) []Stmt { return s }

// A brokenEnv is a function f(n int, text string, slice []int, any any, point Point) int with a
// local named later, in which a broken statement is placed.
type brokenEnv struct {
	fn                                *Func
	n, text, slice, any, point, later *Local
}

func newBrokenEnv() *brokenEnv {
	e := &brokenEnv{n: local("n", intType), text: local("text", StringType), slice: local("slice", types.NewSlice(intType)),
		any: local("any", AnyType), point: local("point", pointType), later: local("later", intType)}
	result := local("", intType)
	e.fn = &Func{Name: "f", Params: []*Local{e.n, e.text, e.slice, e.any, e.point}, Results: []*Local{result}}
	e.fn.Locals = append(append(e.fn.Locals, e.fn.Params...), result, e.later)
	var params []*types.Var
	for _, l := range e.fn.Params {
		params = append(params, types.NewParam(0, nil, l.Name, l.Type))
	}
	e.fn.Sig = types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(types.NewParam(0, nil, "", intType)), false)
	for i, l := range e.fn.Locals {
		l.Index = i
	}
	return e
}

// call returns a call of a function with an int parameter.
func (e *brokenEnv) call(args ...Expr) *Call {
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", intType)), nil, false)
	return &Call{Typed: of(types.NewTuple()), Ref: &FuncRef{Name: "g", Sig: sig}, Args: args}
}

// literal returns a function literal that captures a variable.
func (e *brokenEnv) literal(outer *Local) *FuncLit {
	c := &Local{Name: outer.Name, Type: outer.Type, Outer: outer, Boxed: outer.Boxed}
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	return &FuncLit{of(sig), &Func{Name: "f.func1", Sig: sig, Parent: e.fn, Locals: []*Local{c}, Captures: []*Local{c}, Body: &Block{}}}
}

func TestBrokenProgramsAreRejected(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			e := newBrokenEnv()
			e.fn.Body = &Block{List: c.of(e)}
			err := Verify(&Program{Funcs: []*Func{e.fn}}, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "f") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
		})
	}
}

func TestBrokenFunctionsAreRejected(t *testing.T) {
	for _, c := range []struct {
		breaks func(f *Func)
		want   string
	}{
		{func(f *Func) { f.Params = f.Params[1:] }, "4 parameters, its signature 5"},
		{func(f *Func) { f.Results = nil }, "0 results, its signature 1"},
		{func(f *Func) { f.Params[0].Type = StringType }, "parameters: string where int is required"},
		{func(f *Func) { f.Locals[1].Index = 0 }, "local 1 has another index"},
		{func(f *Func) { f.Sig = nil }, "no signature"},
		{func(f *Func) { f.Body = nil }, "no body"},
		{func(f *Func) { f.Ref = &FuncRef{Sig: types.NewSignatureType(nil, nil, nil, nil, nil, false)} }, "the signatures of the function and its reference"},
		{func(f *Func) { f.Captures = f.Locals[6:] }, "the capture later has no variable"},
		{func(f *Func) { f.Pos = 1 }, "a *ir.Return has no position"},
	} {
		e := newBrokenEnv()
		e.fn.Body = &Block{List: list(&Return{Values: []Expr{Use(e.n)}})}
		if err := Verify(&Program{Funcs: []*Func{e.fn}}, nil); err != nil {
			t.Fatal(err)
		}
		c.breaks(e.fn)
		if err := Verify(&Program{Funcs: []*Func{e.fn}}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got the error %v, want %q", err, c.want)
		}
	}
}

func TestStatementsOfACellHaveNoParameters(t *testing.T) {
	e := newBrokenEnv()
	e.fn.Body = &Block{}
	if err := Verify(&Program{Body: e.fn}, nil); err == nil || !strings.Contains(err.Error(), "no parameters and results") {
		t.Errorf("got the error %v", err)
	}
}

func TestDefinitionsOnAllWaysSuffice(t *testing.T) {
	loop := &Label{ID: 1}
	again := &Label{ID: 2, Jumped: true}
	e := newBrokenEnv()
	set := func() Stmt { return &Assign{Dst: Use(e.later), X: number(1)} }
	e.fn.Body = &Block{List: list(
		&For{Label: loop, Body: &Block{List: list(&If{Cond: BoolConst(true, 0), Then: &Block{List: list(set(), &Break{Label: loop})}, Else: &Block{List: list(&Continue{Label: loop})}})}},
		&Labeled{Label: again, Body: &Block{List: list(&Eval{X: Use(e.later)})}},
		&If{Cond: BoolConst(true, 0), Then: &Block{List: list(&Goto{Label: again})}},
		&Return{Values: []Expr{Use(e.later)}},
		&Eval{X: Use(e.later)},
	)}
	if err := Verify(&Program{Funcs: []*Func{e.fn}}, nil); err != nil {
		t.Error(err)
	}
}
