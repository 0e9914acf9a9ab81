package ir

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/irtest"
)

// An operandForm is a statement of a function f. It obtains each of its operands from a call of
// use, in the order in which a walk visits them.
type operandForm struct {
	name string
	of   func(f sketch, use func(t types.Type) Expr) Stmt
}

// evaluated is a form that evaluates an expression.
func evaluated(name string, x func(use func(t types.Type) Expr) Expr) operandForm {
	return operandForm{name, func(_ sketch, use func(t types.Type) Expr) Stmt { return &Eval{X: x(use)} }}
}

type operandOf = func(t types.Type) Expr

var channelType, pointerType, rawType = types.NewChan(types.SendRecv, intType), types.NewPointer(pointType), types.Typ[types.UnsafePointer]

var partForms = []operandForm{
	evaluated("variable", func(use operandOf) Expr { return use(intType) }),
	evaluated("deref", func(use operandOf) Expr { return deref(use(pointerType)) }),
	evaluated("field", func(use operandOf) Expr { return fieldOf(use(pointType), 1) }),
	evaluated("element", func(use operandOf) Expr { return elemOf(use(arrayType), use(uint8Type)) }),
	evaluated("entry", func(use operandOf) Expr { return entry(use(mapType), use(StringType)) }),
	evaluated("address", func(use operandOf) Expr { return address(elemOf(use(sliceType), use(intType))) }),
	evaluated("slice", func(use operandOf) Expr {
		return &SliceExpr{of(sliceType), use(sliceType), use(intType), use(intType), use(intType)}
	}),
	evaluated("unary", func(use operandOf) Expr { return &Unary{of(intType), token.SUB, use(intType)} }),
	evaluated("binary", func(use operandOf) Expr { return sum(use(StringType), use(StringType)) }),
	evaluated("shift", func(use operandOf) Expr { return &Binary{of(intType), token.SHL, use(intType), use(uint8Type)} }),
	evaluated("compare", func(use operandOf) Expr { return equal(use(pointType), use(pointType)) }),
	evaluated("logic", func(use operandOf) Expr { return &Logic{of(boolType), token.LAND, use(boolType), use(boolType)} }),
	evaluated("convert", func(use operandOf) Expr { return &Convert{of(float64Type), use(intType)} }),
	evaluated("make interface", func(use operandOf) Expr { return &MakeInterface{of(AnyType), use(pointType)} }),
	evaluated("change interface", func(use operandOf) Expr { return &ChangeInterface{of(AnyType), use(errorType)} }),
	evaluated("assert", func(use operandOf) Expr { return &Assert{of(intType), use(AnyType), intType, false} }),
	evaluated("test of a type", func(use operandOf) Expr { return &IsType{of(boolType), use(AnyType), intType} }),
	evaluated("receive", func(use operandOf) Expr { return &Recv{of(intType), use(channelType), false} }),
	evaluated("composite of a struct", func(use operandOf) Expr {
		return &Composite{of(pointType), []Element{{1, nil, nil, use(intType)}, {0, nil, nil, use(intType)}}, 0}
	}),
	evaluated("composite of an array", func(use operandOf) Expr {
		return &Composite{of(arrayType), []Element{{2, nil, nil, use(intType)}, {0, nil, nil, use(intType)}}, 3}
	}),
	evaluated("composite of a map", func(use operandOf) Expr {
		return &Composite{of(mapType), []Element{{0, nil, use(StringType), use(intType)}, {0, nil, use(StringType), use(intType)}}, 0}
	}),
	evaluated("sequence", func(use operandOf) Expr {
		x := use(intType) // visited before the statements
		return &Seq{of(intType), list(discard(use(intType)), discard(use(intType))), x}
	}),
	evaluated("call", func(use operandOf) Expr {
		return &Call{Typed: of(nothing), Ref: refOf(intType, StringType), Args: []Expr{use(intType), use(StringType)}}
	}),
	evaluated("call of a compiled function", func(use operandOf) Expr {
		return &Call{Typed: of(nothing), Extern: &ExternExpr{of(signature([]types.Type{intType})), stringMethod, nil}, Args: []Expr{use(intType)}}
	}),
	evaluated("call of a method", func(use operandOf) Expr {
		add := types.NewFunc(0, nil, "Add", signature([]types.Type{intType, boolType}))
		return &Call{Typed: of(nothing), Method: &MethodCall{use(types.NewInterfaceType([]*types.Func{add}, nil).Complete()), add}, Args: []Expr{use(intType), use(boolType)}}
	}),
	evaluated("call of a value", func(use operandOf) Expr {
		return &Call{Typed: of(nothing), Value: use(signature([]types.Type{intType})), Args: []Expr{use(intType)}}
	}),
	evaluated("method value", func(use operandOf) Expr { return &Bind{of(emptySig), refOf(intType), use(intType), nil} }),
	evaluated("method value of an interface", func(use operandOf) Expr {
		return &Bind{of(errorMethod().Signature()), nil, nil, &MethodCall{use(errorType), errorMethod()}}
	}),
	evaluated("predeclared function", func(use operandOf) Expr { return predeclared(intType, "max", use(intType), use(intType), use(intType)) }),
}

// uses returns a block that evaluates an operand.
func uses(use operandOf) *Block { return blockOf(discard(use(intType))) }

var statementForms = []operandForm{
	{"declare", func(f sketch, use operandOf) Stmt { return &Declare{Local: f.local("l", intType), X: use(intType)} }},
	{"assign", func(f sketch, use operandOf) Stmt {
		return &Assign{Dst: elemOf(use(sliceType), use(intType)), X: use(intType)}
	}},
	{"discard", func(f sketch, use operandOf) Stmt { return discard(use(intType)) }},
	{"assign an operation", func(f sketch, use operandOf) Stmt {
		return &AssignOp{Op: token.ADD, Dst: entry(use(mapType), use(StringType)), X: use(intType)}
	}},
	{"assign an operation to a variable", func(f sketch, use operandOf) Stmt {
		return &AssignOp{Op: token.MUL, Dst: use(intType), X: use(intType)}
	}},
	{"assign all", func(f sketch, use operandOf) Stmt {
		return &AssignAll{Dst: []*Local{nil, nil}, X: &Recv{of(Pair(intType)), use(channelType), true}}
	}},
	{"hook", func(f sketch, use operandOf) Stmt { return &Hook{X: use(intType)} }},
	{"send", func(f sketch, use operandOf) Stmt { return &Send{Ch: use(channelType), X: use(intType)} }},
	{"go", func(f sketch, use operandOf) Stmt { return &Go{Call: &Call{Typed: of(nothing), Value: use(emptySig)}} }},
	{"defer", func(f sketch, use operandOf) Stmt {
		f.Defers = true
		return &Defer{Call: predeclared(nothing, "print", use(intType), use(intType))}
	}},
	{"defer in a list", func(f sketch, use operandOf) Stmt {
		return &Defer{Call: predeclared(nothing, "close", use(channelType)), List: use(rawType)}
	}},
	{"return", func(f sketch, use operandOf) Stmt {
		f.result("", intType)
		f.result("", boolType)
		return returns(use(intType), use(boolType))
	}},
	{"block", func(f sketch, use operandOf) Stmt { return blockOf(discard(use(intType)), uses(use)) }},
	{"labeled", func(f sketch, use operandOf) Stmt { return &Labeled{Label: label(), Body: uses(use)} }},
	{"if", func(f sketch, use operandOf) Stmt { return &If{Cond: use(boolType), Then: uses(use)} }},
	{"if and else", func(f sketch, use operandOf) Stmt {
		return &If{Cond: use(boolType), Then: uses(use), Else: &If{Cond: use(boolType), Then: uses(use), Else: uses(use)}}
	}},
	{"for", func(f sketch, use operandOf) Stmt {
		return &For{Label: label(), Cond: use(boolType), Post: list(discard(use(intType)), discard(use(intType))), Body: uses(use)}
	}},
	{"endless for", func(f sketch, use operandOf) Stmt { return &For{Label: label(), Body: uses(use)} }},
	{"range over an integer", func(f sketch, use operandOf) Stmt {
		return &RangeInt{Label: label(), N: use(uint8Type), Body: uses(use)}
	}},
	{"range over a slice", func(f sketch, use operandOf) Stmt {
		return &RangeSlice{Label: label(), X: use(sliceType), Body: uses(use)}
	}},
	{"range over a string", func(f sketch, use operandOf) Stmt {
		return &RangeString{Label: label(), X: use(StringType), Body: uses(use)}
	}},
	{"range over a map", func(f sketch, use operandOf) Stmt {
		return &RangeMap{Label: label(), X: use(mapType), Body: uses(use)}
	}},
	{"range over a channel", func(f sketch, use operandOf) Stmt {
		return &RangeChan{Label: label(), X: use(channelType), Body: uses(use)}
	}},
	{"switch", func(f sketch, use operandOf) Stmt {
		return &Switch{Label: label(), Cases: []*Case{{Conds: []Expr{use(boolType), use(boolType)}, Body: uses(use)}, {Default: true, Body: uses(use)}, {Conds: []Expr{use(boolType)}, Body: uses(use)}}}
	}},
	{"select", func(f sketch, use operandOf) Stmt {
		return &Select{Label: label(), Cases: []*Comm{{Ch: use(channelType), Value: use(intType), Body: uses(use)}, {Ch: use(channelType), Body: uses(use)}, {Body: uses(use)}}}
	}},
}

func operandForms() []operandForm { return slices.Concat(partForms, statementForms) }

// build returns the function of a form. Its operands are parameters named <0>, <1> and so on. If
// other is not negative, the operand with that index is a variable that the function variable
// makes.
func (form operandForm) build(other int, variable func(f sketch, t types.Type) *Local) (f *Func, operands int) {
	s := declared("main.f")
	stmt := form.of(s, func(t types.Type) Expr {
		operands++
		if operands-1 == other {
			return Use(variable(s, t))
		}
		return Use(s.param(fmt.Sprintf("<%d>", operands-1), t))
	})
	return s.does(stmt), operands
}

// checkOperands verifies each form, and each form with one operand replaced by a variable that
// violates a rule.
func checkOperands(t *testing.T, variable func(f sketch, t types.Type) *Local, want string) {
	t.Helper()
	for _, form := range operandForms() {
		f, operands := form.build(-1, nil)
		if err := Verify(programOf(f), nil); err != nil {
			t.Errorf("%s: the legal statement is rejected: %v", form.name, err)
		}
		for i := range operands {
			f, _ := form.build(i, variable)
			if err := Verify(programOf(f), nil); err == nil || err.Error() != want {
				t.Errorf("%s: got the error %v about operand %d, want %s", form.name, err, i, want)
			}
		}
	}
}

func TestEveryOperandNeedsAValue(t *testing.T) {
	late := func(f sketch, t types.Type) *Local { return f.local("late", t) }
	checkOperands(t, late, "main.f: late is used before it has a value")
}

func TestEveryOperandIsVerified(t *testing.T) {
	foreign := func(f sketch, t types.Type) *Local { return local("foreign", t) }
	checkOperands(t, foreign, `main.f: the local "foreign" is of another function`)
}

// omit sets the fields of expressions that hold the operand with a name to nil.
func omit(v reflect.Value, name string) {
	eachNode(v, func(node reflect.Value) {
		omitIn(node.Elem(), name)
	})
}

func omitIn(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Interface:
		if l, ok := v.Interface().(*LocalExpr); ok && l.Local.Name == name {
			v.SetZero()
		}
	case reflect.Slice:
		for i := range v.Len() {
			omitIn(v.Index(i), name)
		}
	case reflect.Struct: // the node, or an Element of a Composite
		for i := range v.NumField() {
			omitIn(v.Field(i), name)
		}
	}
}

// TestMissingOperandsAreFound omits each operand of each form. Some operands are optional, and
// without some others the node is of another kind.
func TestMissingOperandsAreFound(t *testing.T) {
	others := map[string]string{
		"declare 0": "", "slice 1": "", "slice 2": "main.f: a slice with a capacity and no end", "slice 3": "", "for 0": "", "defer in a list 1": "main.f: a defer statement in a function that does not say that it has any",
		"call of a value 0": "main.f: a call of 0 functions", "go 0": "main.f: a call of 0 functions", "select 1": "", "select 3": "", "select 0": "main.f: the default of a select has operands",
	}
	for _, form := range operandForms() {
		_, operands := form.build(-1, nil)
		for i := range operands {
			f, _ := form.build(-1, nil)
			omit(reflect.ValueOf(f.Body), fmt.Sprintf("<%d>", i))
			want, other := others[fmt.Sprint(form.name, " ", i)]
			if !other {
				want = "main.f: an operand is missing"
			}
			got := ""
			if err := Verify(programOf(f), nil); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s without operand %d: got the error %q, want %q", form.name, i, got, want)
			}
		}
	}
}

func TestEveryOperandIsVisitedOnceInOrder(t *testing.T) {
	for _, form := range operandForms() {
		f, operands := form.build(-1, nil)
		var got, want []string
		for i := range operands {
			want = append(want, fmt.Sprintf("<%d>", i))
		}
		walk{stmt: func(Stmt) {}, expr: func(x Expr) {
			if l, ok := x.(*LocalExpr); ok {
				got = append(got, l.Local.Name)
			}
		}}.stmts(f.Body.List)
		if !slices.Equal(got, want) {
			t.Errorf("%s: a walk visits the operands %v, want %v", form.name, got, want)
		}
	}
}

func TestEveryOperandIsShownOnce(t *testing.T) {
	for _, form := range operandForms() {
		f, operands := form.build(-1, nil)
		_, body, _ := strings.Cut(f.String(), "\n")
		for i := range operands {
			if name := fmt.Sprintf("<%d>", i); strings.Count(body, name) != 1 {
				t.Errorf("%s: the operand %s is not shown once in\n%s", form.name, name, body)
			}
		}
	}
}

func TestEveryNodeWithOperandsHasAForm(t *testing.T) {
	found := map[string]bool{}
	for _, form := range operandForms() {
		f, _ := form.build(-1, nil)
		eachNode(reflect.ValueOf(f.Body), func(node reflect.Value) { found[node.Type().Elem().Name()] = true })
	}
	leaves := []string{"Const", "Zero", "GlobalExpr", "FuncExpr", "FuncLit", "Break", "Continue", "Goto", "Mark"}
	for _, name := range irtest.Nodes(t, ".") {
		if found[name] == slices.Contains(leaves, name) {
			t.Errorf("%s: has a form: %t, has no operands: %t", name, found[name], slices.Contains(leaves, name))
		}
	}
}
