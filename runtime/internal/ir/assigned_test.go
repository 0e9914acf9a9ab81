package ir

import (
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// assignedLocals returns the names of the locals of a function that are marked as assigned.
func assignedLocals(f *Func) string {
	var names []string
	for _, l := range f.Locals {
		if l.Assigned {
			names = append(names, l.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestPlacesThatMarkTheirVariable(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(c *scope) Expr
		want  string
	}{
		{"a variable", func(c *scope) Expr { return Use(c.n) }, "n"}, {"a boxed variable", func(c *scope) Expr { return Use(c.point) }, "point"}, {"a field", func(c *scope) Expr { return fieldOf(Use(c.point), 0) }, "point"},
		{"a field of a field", func(c *scope) Expr { return fieldOf(fieldOf(Use(c.line), 1), 0) }, "line"}, {"an element of an array", func(c *scope) Expr { return elemOf(Use(c.grid), Use(c.n)) }, "grid"},
		{"an element of an element", func(c *scope) Expr { return elemOf(elemOf(Use(c.grid), Use(c.n)), number(0)) }, "grid"}, {"an element of a field", func(c *scope) Expr { return elemOf(fieldOf(Use(c.line), 3), Use(c.n)) }, "line"},
		// The memory of these elements is elsewhere, and the mark is without need.
		{"an element of a slice", func(c *scope) Expr { return elemOf(Use(c.slice), Use(c.n)) }, "slice"}, {"an element at a pointer", func(c *scope) Expr { return elemOf(Use(c.gridPointer), Use(c.n)) }, "gridPointer"},
		{"the target of a pointer", func(c *scope) Expr { return deref(Use(c.pointer)) }, ""}, {"a field at a pointer", func(c *scope) Expr { return fieldOf(deref(Use(c.pointer)), 0) }, ""},
		{"an entry", func(c *scope) Expr { return entry(Use(c.table), Use(c.text)) }, ""}, {"a session variable", func(c *scope) Expr { return &GlobalExpr{of(intType), &Global{Name: "n", Type: intType}} }, ""},
		{"an element of a result", func(c *scope) Expr { return elemOf(ZeroOf(sliceType, 0), Use(c.n)) }, ""}, {"an element of a slice of a slice", func(c *scope) Expr {
			return elemOf(&SliceExpr{of(sliceType), Use(c.slice), Use(c.n), nil, nil}, number(0))
		}, ""},
	} {
		for _, assign := range []func(place Expr) Stmt{
			func(place Expr) Stmt { return &Assign{Dst: place, X: ZeroOf(place.Type(), 0)} },
			func(place Expr) Stmt { return &AssignOp{Op: token.ADD, Dst: place, X: ZeroOf(place.Type(), 0)} },
			func(place Expr) Stmt {
				return &For{Label: label(), Body: blockOf(), Post: list(&If{Cond: boolean(), Then: blockOf(&Assign{Dst: place, X: ZeroOf(place.Type(), 0)})})}
			},
			func(place Expr) Stmt {
				return discard(&Seq{of(intType), list(&Assign{Dst: place, X: ZeroOf(place.Type(), 0)}), number(1)})
			},
		} {
			scope := newScope()
			s := assign(c.place(scope))
			f := scope.does(s)
			Inline(programOf(f), unknown)
			if got := assignedLocals(f); got != c.want {
				t.Errorf("an assignment to %s by a %T marks %q, want %q", c.name, s, got, c.want)
			}
		}
	}
}

func TestStatementsThatMarkNoVariable(t *testing.T) {
	for _, form := range settingForms {
		f := declared("main.f")
		l := f.local("l", form.typ)
		f.does(form.of(f, l, blockOf(discard(Use(l)))))
		Inline(programOf(f.Func), unknown)
		marks := strings.HasPrefix(form.name, "assign") || strings.HasSuffix(form.name, "of several values")
		if l.Assigned != marks {
			t.Errorf("a %s marks its variable: %t, want %t", form.name, l.Assigned, marks)
		}
	}
	c := newScope()
	f := c.does(discard(Use(c.n)), discard(address(Use(c.point))), &AssignAll{Dst: []*Local{nil, nil}, X: pairCall()}, &Eval{X: predeclared(nothing, "clear", Use(c.table))}, &Send{Ch: Use(c.channel), X: Use(c.n)})
	Inline(programOf(f), unknown)
	if got := assignedLocals(f); got != "" {
		t.Errorf("uses of variables mark %s", got)
	}
}

// TestAssignmentsMarkVariablesOfTheirFunction has a literal that assigns a captured variable. The
// function also marks variables that it assigns where no path leads.
func TestAssignmentsMarkVariablesOfTheirFunction(t *testing.T) {
	f := declared("main.f")
	shared, own, late := f.boxed("shared", intType), f.param("own", types.NewSlice(intType)), f.param("late", intType)
	l := f.nested("func1")
	inner := l.capture(shared)
	l.does(set(inner, number(1)))
	f.does(&Declare{Local: shared, X: number(2)}, discard(literal(l.Func)), discard(Use(own)), &Return{}, set(late, number(3)))
	cell := statements()
	x := cell.local("x", intType)
	cell.does(&Declare{Local: x}, set(x, number(4)))
	Inline(&Program{Funcs: []*Func{f.Func}, Body: cell.Func}, unknown)
	for _, c := range []struct {
		f    *Func
		want string
	}{{f.Func, "late"}, {l.Func, "shared"}, {cell.Func, "x"}} {
		if got := assignedLocals(c.f); got != c.want {
			t.Errorf("%s marks %s, want %s", c.f.Name, got, c.want)
		}
	}
}
