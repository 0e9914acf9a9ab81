package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"gosphere/internal/testing/irtest"
)

var (
	intType, StringType, boolType = types.Typ[types.Int], types.Typ[types.String], types.Typ[types.Bool]

	pointType = types.NewNamed(types.NewTypeName(0, types.NewPackage("main", "main"), "Point", nil), types.NewStruct([]*types.Var{
		types.NewField(0, nil, "X", intType, false), types.NewField(0, nil, "Y", intType, false),
	}, nil), nil)
	stringMethod = types.NewFunc(0, types.NewPackage("fmt", "fmt"), "String", types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", StringType)), false))
)

func local(name string, t types.Type) *Local { return &Local{Name: name, Type: t} }

func of(t types.Type) Typed { return Typed{T: t} }

func number(n int64) Expr { return IntConst(n, 0) }

// x and y are variables of type int, s has type []int, p points to a Point, v has type any, ch has
// type chan int, and f is a function.
func x() Expr  { return Use(local("x", intType)) }
func y() Expr  { return Use(local("y", intType)) }
func s() Expr  { return Use(local("s", types.NewSlice(intType))) }
func p() Expr  { return Use(local("p", types.NewPointer(pointType))) }
func v() Expr  { return Use(local("v", AnyType)) }
func ch() Expr { return Use(local("ch", types.NewChan(types.SendRecv, intType))) }
func f() Expr  { return Use(local("f", types.NewSignatureType(nil, nil, nil, nil, nil, false))) }

// callOf returns a call without results.
func callOf(ref string, args ...Expr) *Call {
	return &Call{Typed: of(types.NewTuple()), Ref: &FuncRef{Name: ref}, Args: args}
}

// exprTexts maps expressions of every kind to their texts.
var exprTexts = []struct {
	x    Expr
	want string
}{
	{number(7), "7"},
	{&Const{of(StringType), constant.MakeString("a\n")}, `"a\n"`},
	{&Const{of(types.Typ[types.Int8]), constant.MakeInt64(-7)}, "int8(-7)"},
	{&Const{of(types.Typ[types.Float64]), constant.MakeFloat64(0.5)}, "float64(1/2)"},
	{ZeroOf(types.NewPointer(pointType), 0), "zero[*Point]"},
	{&LocalExpr{of(intType), &Local{Index: 3}}, "$3"},
	{x(), "x"},
	{&GlobalExpr{of(intType), &Global{Name: "n"}}, "global n"},
	{&GlobalExpr{of(intType), &Global{Name: "Discard", Path: "io"}}, "global io.Discard"},
	{&FuncExpr{of(f().Type()), &FuncRef{Name: "main.f"}}, "func main.f"},
	{&ExternExpr{of(f().Type()), stringMethod, nil}, "extern fmt.String"},
	{&ExternExpr{of(f().Type()), stringMethod, []types.Type{intType, pointType}}, "extern fmt.String[int, Point]"},
	{&FuncLit{of(f().Type()), &Func{Name: "main.f.func1", Captures: []*Local{{Name: "z", Outer: local("x", intType)}}}}, "literal main.f.func1{x}"},
	{&Deref{of(pointType), p()}, "(*p)"},
	{&Field{of(intType), &Deref{of(pointType), p()}, 1}, "(*p).Y"},
	{&Elem{of(intType), s(), x()}, "s[x]"},
	{&MapElem{of(intType), Use(local("m", types.NewMap(intType, intType))), x(), false}, "m[x]"},
	{&MapElem{of(Pair(intType)), Use(local("m", types.NewMap(intType, intType))), x(), true}, "(m[x], ok)"},
	{&AddrOf{of(types.NewPointer(intType)), x()}, "&x"},
	{&SliceExpr{of(s().Type()), s(), nil, x(), nil}, "s[:x]"},
	{&SliceExpr{of(s().Type()), s(), number(1), x(), y()}, "s[1:x:y]"},
	{&Unary{of(intType), token.XOR, x()}, "^x"},
	{&Binary{of(intType), token.AND_NOT, x(), y()}, "(x &^ y)"},
	{&Compare{of(boolType), token.LEQ, x(), y()}, "(x <= y)"},
	{&Logic{of(boolType), token.LAND, BoolConst(true, 0), BoolConst(false, 0)}, "(true && false)"},
	{&Convert{of(types.Typ[types.Uint8]), x()}, "convert[uint8](x)"},
	{&MakeInterface{of(AnyType), x()}, "iface[any](x)"},
	{&ChangeInterface{of(AnyType), v()}, "change[any](v)"},
	{&Assert{of(intType), v(), intType, false}, "v.(int)"},
	{&Assert{of(Pair(intType)), v(), intType, true}, "(v.(int), ok)"},
	{&IsType{of(boolType), v(), pointType}, "istype[Point](v)"},
	{&IsType{of(boolType), v(), nil}, "istype[nil](v)"},
	{&Recv{of(intType), ch(), false}, "<-ch"},
	{&Recv{of(Pair(intType)), ch(), true}, "(<-ch, ok)"},
	{&Composite{of(pointType), []Element{{Index: 1, Value: x()}}, 0}, "Point{Y: x}"},
	{&Composite{of(s().Type()), []Element{{Index: 2, Value: x()}}, 3}, "[]int len 3 {2: x}"},
	{&Composite{of(types.NewMap(intType, intType)), []Element{{Key: x(), Value: y()}}, 0}, "map[int]int{x: y}"},
	{&Seq{of(intType), nil, x()}, "seq1\n      \t\tseq1:\n      \t\t\t= x"},
	{callOf("main.f", x(), y()), "call main.f(x, y)"},
	{&Call{Typed: of(types.NewTuple()), Extern: &ExternExpr{of(f().Type()), stringMethod, nil}, Args: []Expr{x()}}, "call extern fmt.String(x)"},
	{&Call{Typed: of(StringType), Method: &MethodCall{p(), stringMethod}}, "call method p.String()"},
	{&Call{Typed: of(StringType), Method: &MethodCall{v(), stringMethod}}, "call dynamic v.String()"},
	{&Call{Typed: of(types.NewTuple()), Value: f()}, "call f()"},
	{&Bind{of(f().Type()), &FuncRef{Name: "main.Point.M"}, p(), nil}, "bind main.Point.M{p}"},
	{&Bind{of(f().Type()), nil, nil, &MethodCall{v(), stringMethod}}, "bind dynamic v.String"},
	{&Builtin{Typed: of(intType), Name: "len", Args: []Expr{s()}}, "len(s)"},
	{&Builtin{Typed: of(s().Type()), Name: "append", Args: []Expr{s(), s()}, Spread: true}, "append(s, s...)"},
	{&Builtin{Typed: of(s().Type()), Name: "make", Args: []Expr{x()}}, "make[[]int](x)"},
}

// stmtTexts maps statements of every kind to their texts. " / " separates lines, and each "." is a
// level of indentation.
var stmtTexts = []struct {
	s    Stmt
	want string
}{
	{&Declare{Local: local("x", intType)}, "declare x"},
	{&Declare{Local: local("x", intType), X: y()}, "declare x = y"},
	{&Assign{Dst: x(), X: y()}, "x = y"},
	{&Assign{X: y()}, "_ = y"},
	{&AssignOp{Op: token.SHL, Dst: x(), X: y()}, "x <<= y"},
	{&AssignAll{Dst: []*Local{local("x", intType), nil}, X: callOf("main.f")}, "x, _ = call main.f()"},
	{&Eval{X: x()}, "eval x"},
	{&Send{Ch: ch(), X: x()}, "ch <- x"},
	{&Go{Call: callOf("main.f")}, "go call main.f()"},
	{&Defer{Call: callOf("main.f")}, "defer call main.f()"},
	{&Defer{Call: callOf("main.f"), List: x()}, "defer to x call main.f()"},
	{&Return{}, "return"},
	{&Return{Values: []Expr{x(), y()}}, "return x, y"},
	{&Break{Label: &Label{ID: 1}}, "break L1"},
	{&Continue{Label: &Label{ID: 2, Name: "outer"}}, "continue L2(outer)"},
	{&Goto{Label: &Label{ID: 3, Name: "again"}}, "goto L3(again)"},
	{block(), "block / .break L1"},
	{&Labeled{Label: &Label{ID: 1, Name: "a", Jumped: true}, Body: block()}, "labeled L1(a) jumped / .block / ..break L1"},
	{&If{Cond: BoolConst(true, 0), Then: block()}, "if true / .break L1"},
	{&If{Cond: BoolConst(true, 0), Then: block(), Else: block()}, "if true / .break L1 / else / .break L1"},
	{&If{Cond: BoolConst(true, 0), Then: block(), Else: &If{Cond: BoolConst(false, 0), Then: block()}}, "if true / .break L1 / else / .if false / ..break L1"},
	{&For{Label: &Label{ID: 1}, Body: block()}, "for L1 / .break L1"},
	{&For{Label: &Label{ID: 1}, Cond: BoolConst(true, 0), Post: []Stmt{&Eval{X: x()}}, Body: block(), Fresh: []*Local{local("i", intType), local("j", intType)}}, "for L1 true fresh i, j / .break L1 / post L1 / .eval x"},
	{&RangeInt{Label: &Label{ID: 1}, N: number(3), Key: local("i", intType), Body: block()}, "range L1 i of int 3 / .break L1"},
	{&RangeSlice{Label: &Label{ID: 1}, X: s(), Elem: local("e", intType), Body: block()}, "range L1 _, e of slice s / .break L1"},
	{&RangeString{Label: &Label{ID: 1}, X: x(), Key: local("i", intType), Body: block()}, "range L1 i, _ of string x / .break L1"},
	{&RangeMap{Label: &Label{ID: 1}, X: x(), Body: block()}, "range L1 _, _ of map x / .break L1"},
	{&RangeChan{Label: &Label{ID: 1}, X: ch(), Elem: local("e", intType), Body: block()}, "range L1 e of chan ch / .break L1"},
	{&Switch{Label: &Label{ID: 1}, Cases: []*Case{{Conds: []Expr{BoolConst(true, 0), BoolConst(false, 0)}, Body: block(), Fallthrough: true}, {Default: true, Body: block()}}}, "switch L1 / case true, false fallthrough / .break L1 / default / .break L1"},
	{&Select{Label: &Label{ID: 1}, Cases: []*Comm{
		{Ch: ch(), Value: x(), Body: block()}, {Ch: ch(), Elem: local("e", intType), Body: block()}, {Body: block()},
	}}, "select L1 / case ch <- x / .break L1 / case e, _ = <-ch / .break L1 / default / .break L1"},
	{CallHook(nil, x()), "hook x"},
	{&Mark{Vars: []*Local{local("x", intType), local("y", intType)}}, "mark x, y"},
}

func block() *Block { return &Block{List: []Stmt{&Break{Label: &Label{ID: 1}}}} }

func TestExpressionsAreShown(t *testing.T) {
	for _, c := range exprTexts {
		got := (&Func{Name: "f", Body: &Block{List: []Stmt{&Assign{X: c.x}}}}).String()
		got, _, _ = strings.Cut(got, "\n\n") // a literal follows
		if want := "      func f()\n      \t_ = " + c.want; strings.TrimSuffix(got, "\n") != want {
			t.Errorf("%T is shown as\n%s\nwant\n%s", c.x, got, want)
		}
	}
}

func TestStatementsAreShown(t *testing.T) {
	for _, c := range stmtTexts {
		got := (&Func{Name: "f", Body: &Block{List: []Stmt{c.s}}}).String()
		want := "      func f()\n"
		for _, line := range strings.Split(c.want, " / ") {
			text := strings.TrimLeft(line, ".")
			want += "      \t" + strings.Repeat("\t", len(line)-len(text)) + text + "\n"
		}
		if got != want {
			t.Errorf("%T is shown as\n%swant\n%s", c.s, got, want)
		}
	}
}

// TestEveryNodeIsShown finds the nodes in the source of the package, which are the structs that
// embed Typed or At.
func TestEveryNodeIsShown(t *testing.T) {
	shown := map[string]bool{"Case": true, "Comm": true} // in Switch and Select
	for _, c := range exprTexts {
		shown[reflect.TypeOf(c.x).Elem().Name()] = true
	}
	for _, c := range stmtTexts {
		shown[reflect.TypeOf(c.s).Elem().Name()] = true
	}
	declared := irtest.Nodes(t, ".")
	if len(declared) < 50 {
		t.Errorf("found only the nodes %v", declared)
	}
	for _, name := range declared {
		if !shown[name] {
			t.Errorf("no test shows a %s", name)
		}
	}
}

func TestNodesWithoutTextPanic(t *testing.T) {
	type foreign struct{ At }
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "foreign") {
			t.Errorf("got %q, want a panic that names the node", r)
		}
	}()
	_ = (&Func{Body: &Block{List: []Stmt{&foreign{}}}}).String()
}

func TestFunctionsShowTheirLocals(t *testing.T) {
	a, b, c := &Local{Name: "a", Type: intType}, &Local{Name: "a", Type: StringType, Index: 1, Boxed: true}, &Local{Type: pointType, Index: 2}
	fn := &Func{Name: "main.f", Params: []*Local{a}, Results: []*Local{c}, Locals: []*Local{a, b, c}, Defers: true, Recovers: true, Wrapper: true,
		Body: &Block{List: []Stmt{&Return{Values: []Expr{Use(a), Use(b), Use(c)}}}}}
	want := "      func main.f(a.0 int) ($2 Point) defers recovers wrapper\n      \tlocals a.1 boxed string\n      \treturn a.0, a.1, $2\n"
	if got := fn.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestMissingOperandsAreShown(t *testing.T) {
	fn := &Func{Name: "f", Body: &Block{List: []Stmt{&Assign{X: &Unary{of(intType), token.SUB, nil}}, &Break{}, &Eval{X: &Call{}}}}}
	want := "      func f()\n      \t_ = -nil?\n      \tbreak L?\n      \teval call nil?()\n"
	if got := fn.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
