package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rulesOfHabits returns the rules about what other languages permit, such as arithmetic of lists.
// Code that causes some of the messages:
//
//	len(3)                          invalid argument: 3 (...) for built-in len
//	max(list)                       invalid argument: list (...) cannot be ordered
//	list[1:-1]                      invalid argument: index -1 (constant of type int) ...
//	list + list                     invalid operation: operator + not defined on list ...
//	T.Name                          operand for field selector Name must be value of type T
//	T(1, 2)                         too many arguments in conversion to T
//	int(2.5)                        cannot convert 2.5 (untyped float constant) to type int
//	make([]int)                     invalid operation: make([]int) expects 2 or 3 arguments; found 1
//	len                             len (built-in) must be called
func rulesOfHabits() []hintRule {
	return []hintRule{
		computedHint(`^invalid argument: .* for built-in len$`, func(m *mistake) string {
			return "len is for strings, slices, arrays, maps and channels; the digits of a number are len(fmt.Sprint(" + m.source() + "))"
		}),
		computedHint(`^invalid argument: .* cannot be ordered$`, extremeOfSlice),
		computedHint(`^invalid argument: index (-\d+) \(`, func(m *mistake) string {
			if s := around[*ast.SliceExpr](m); s != nil {
				x := types.ExprString(s.X)
				return fmt.Sprintf("counting from the end: len(%s)%s in the place of %s", x, m.parts[1], m.parts[1])
			}
			return ""
		}),
		computedHint(`^invalid operation: operator (\S+) not defined on .* \(variable of type \[\]`, sliceArithmetic),
		computedHint(`^invalid operation: operator (\S+) not defined on .* \(variable of type (\w+) constrained by `, func(m *mistake) string {
			if m.parts[1] == "+" {
				return fmt.Sprintf("the constraint must permit it: [%s int | float64 | string]", m.parts[2])
			}
			return fmt.Sprintf("the constraint must permit it: [%s int | float64], or cmp.Ordered for comparisons", m.parts[2])
		}),
		fixedHint(`^operand for field selector (\w+) must be value of type (.+)$`, "a value of the type has the field: v := $2{}; v.$1"),
		computedHint(`^too many arguments in conversion to (.+)$`, func(m *mistake) string {
			call := around[*ast.CallExpr](m)
			if call == nil {
				return ""
			}
			arguments := make([]string, len(call.Args))
			for i, a := range call.Args {
				arguments[i] = types.ExprString(a)
			}
			return fmt.Sprintf("a struct is made with braces: %s{%s}", m.parts[1], strings.Join(arguments, ", "))
		}),
		fixedHint(`^cannot convert (\S+) \(untyped float constant(?: .*)?\) to type (u?int\d*)`, "round it first: $2(math.Round($1))"),
		fixedHint(`^invalid operation: make\((\[\].+)\) expects 2 or 3 arguments; found 1$`, "a slice has a length: make($1, 10), or $1{} to append to"),
		fixedHint(`^(\w+) \(built-in\) must be called$`, "write its arguments: $1(x)"),
		computedHint(`^cannot range over (.+) \(.*\)$`, func(m *mistake) string { return memberFor(m, "Rows", "its rows are: range %s.Rows()") }),
		computedHint(`^cannot index (.+) \(.*\)$`, func(m *mistake) string {
			index := around[*ast.IndexExpr](m)
			if index == nil {
				return ""
			}
			return memberFor(m, "Column", "a column is: %s.Column("+types.ExprString(index.Index)+")")
		}),
		computedHint(`^cannot use (.+) \(value of interface type error\) as \S+ value in argument to`, func(m *mistake) string {
			return fmt.Sprintf("the call also returns an error: must(%[1]s) is its result alone, and stops the cell at the error", m.parts[1])
		}),
		computedHint(`^cannot use .* as figure\.Series value in argument`, func(m *mistake) string {
			source := m.text()
			if token.IsIdentifier(source) {
				return fmt.Sprintf("a series has a name: figure.Series{Name: %q, Values: %s}", source, source)
			}
			return fmt.Sprintf("a series holds values, and may have a name: figure.Series{Values: %s}", source)
		}),
		computedHint(`^cannot use .* \((?:variable|value) of type \[\](\w+)\) as \[\](\w+) value in `, func(m *mistake) string {
			if !isNumber(m.parts[1]) || !isNumber(m.parts[2]) {
				return ""
			}
			return fmt.Sprintf("convert each element: ys := make([]%[1]s, 0); for _, v := range %[2]s { ys = append(ys, %[1]s(v)) }", m.parts[2], m.source())
		}),
	}
}

// extremeOfSlice returns a hint for max and min of a slice.
func extremeOfSlice(m *mistake) string {
	call := around[*ast.CallExpr](m)
	if call == nil || len(call.Args) != 1 {
		return ""
	}
	if t := m.pass.info.TypeOf(call.Args[0]); t != nil {
		if _, ok := t.Underlying().(*types.Slice); ok {
			function := strings.ToUpper(types.ExprString(call.Fun)[:1]) + types.ExprString(call.Fun)[1:]
			return fmt.Sprintf("of a slice: slices.%s(%s)", function, types.ExprString(call.Args[0]))
		}
	}
	return ""
}

// sliceArithmetic returns a hint for an operator between two slices.
func sliceArithmetic(m *mistake) string {
	b := around[*ast.BinaryExpr](m)
	if b == nil {
		return ""
	}
	x, y := types.ExprString(b.X), types.ExprString(b.Y)
	if b.Op == token.ADD {
		return fmt.Sprintf("to join them: append(%[1]s, %[2]s...); to add their elements: floats.Add(%[1]s, %[2]s), for []float64", x, y)
	}
	return fmt.Sprintf("slices have no arithmetic: for i := range %[1]s { %[1]s[i] %[3]s= %[2]s[i] }", x, y, b.Op)
}

// mismatchOfSlice returns a hint for an operator between a slice and a number, or "".
func mismatchOfSlice(b *ast.BinaryExpr, left, right string) string {
	slice, number := b.X, b.Y
	switch {
	case strings.HasPrefix(left, "[]") && isNumber(right):
	case strings.HasPrefix(right, "[]") && isNumber(left):
		slice, number = b.Y, b.X
	default:
		return ""
	}
	x, y := types.ExprString(slice), types.ExprString(number)
	if (left == "[]float64" || right == "[]float64") && b.Op == token.MUL {
		return fmt.Sprintf("slices have no arithmetic: floats.Scale(%s, %s) changes all elements", y, x)
	}
	return fmt.Sprintf("slices have no arithmetic: for i := range %[1]s { %[1]s[i] %[3]s= %[2]s }", x, y, b.Op)
}

// memberFor returns a text with the operand of the mistake if its type has a method.
func memberFor(m *mistake, method, format string) string {
	for _, n := range m.path {
		x, ok := n.(ast.Expr)
		if !ok || x.Pos() != m.error.Pos {
			continue
		}
		if index, ok := x.(*ast.IndexExpr); ok {
			x = index.X
		}
		if t := m.pass.info.TypeOf(x); t != nil {
			if object, _, _ := types.LookupFieldOrMethod(t, true, nil, method); object != nil {
				return fmt.Sprintf(format, types.ExprString(x))
			}
		}
	}
	return ""
}

// text returns the source of the operand of the mistake, which types.ExprString would abbreviate.
func (m *mistake) text() string {
	for _, n := range m.path {
		if x, ok := n.(ast.Expr); ok && x.Pos() == m.error.Pos {
			if text := textOf(m.pass.work.cell, x); len(text) <= 60 && !strings.Contains(text, "\n") {
				return text
			}
		}
	}
	return m.source()
}

// constantText returns a hint for a string constant where a number belongs: as an index, or as the
// new value of a variable.
func constantText(m *mistake, wanted string) string {
	if !isNumber(wanted) {
		return ""
	}
	for i := len(m.path) - 1; i >= 0; i-- {
		switch n := m.path[i].(type) {
		case *ast.IndexExpr:
			if n.Index.Pos() == m.error.Pos {
				return fmt.Sprintf("the elements of %[1]s have numbers: %[1]s[0]; names of entries belong to maps", types.ExprString(n.X))
			}
		case *ast.AssignStmt:
			for k, x := range n.Rhs {
				if id, ok := n.Lhs[min(k, len(n.Lhs)-1)].(*ast.Ident); ok && x.Pos() == m.error.Pos {
					return fmt.Sprintf("%[1]s is of type %[2]s; %[1]s := %[3]s at the top of a cell declares it anew", id.Name, wanted, m.text())
				}
			}
		}
	}
	return ""
}
