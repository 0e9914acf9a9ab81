package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// hintRules are tried in order. The first rule that produces a text applies. Specific patterns
// therefore precede general ones.
//
// Patterns are anchored where the message begins or ends with fixed words. Operands in a message
// are source text of any form, so a pattern must not depend on them.
var hintRules []hintRule

func init() { // the functions refer to the rules themselves, which a literal could not
	hintRules = []hintRule{
		computedHint(`does not satisfy error \(|does not match |arguments in call to must|^cannot use generic function must | as error value in argument to must`, mustHint),
		computedHint(`^undefined: (\pL[\pL\d_]*)$`, undefinedName),
		computedHint(`^undefined: (\w+)\.(\w+)$`, undefinedMember),
		computedHint(`undefined \(type .* has no field or method \w+(?:, but does have (?:field|method) \w+)?\)$`, missingSelection),
		computedHint(`^undefined: (\w+)\.\w+ \(but have (\w+)\)$`, func(m *mistake) string {
			return fmt.Sprintf("did you mean %s.%s?", m.parts[1], m.parts[2])
		}),
		computedHint(`^unknown field (\w+) in struct literal of type .*[^X]$`, unknownField),
		computedHint(`^invalid operation: (?s:.*) \(mismatched types (.+) and (.+)\)$`, mismatch),
		computedHint(`^cannot use .* as (.+) value in .*: .* \(method \w+ has pointer receiver\)$`, func(m *mistake) string {
			return "the method belongs to the pointer: write & before the value"
		}),
		computedHint(`^cannot use nil as (.+) value`, func(m *mistake) string {
			return fmt.Sprintf("only pointers, slices, maps, channels, functions and interfaces can be nil; the empty %[1]s is %[1]s{}, or 0, \"\", false for simple types", m.parts[1])
		}),
		computedHint(`^cannot use .* as (\S+) value in .*: need type assertion$`, func(m *mistake) string {
			return fmt.Sprintf("take it out with an assertion: %s.(%s)", m.source(), m.parts[1])
		}),
		computedHint(`^cannot use .* as (\S+) value in .* \(truncated\)$`, func(m *mistake) string {
			return fmt.Sprintf("an %s has no fraction: use a float64, or round first: int(math.Round(x))", m.parts[1])
		}),
		computedHint(`\(untyped float constant\) truncated to (\w+)$`, func(m *mistake) string {
			if operation := around[*ast.BinaryExpr](m); operation != nil {
				for _, pair := range [][2]ast.Expr{{operation.X, operation.Y}, {operation.Y, operation.X}} {
					if t := m.pass.info.TypeOf(pair[1]); pair[0].Pos() == m.error.Pos && t != nil && types.TypeString(t, nil) == "time.Duration" {
						return fmt.Sprintf("a duration is an integer: time.Duration(%s %s float64(%s))", types.ExprString(pair[0]), operation.Op, types.ExprString(pair[1]))
					}
				}
			}
			if operation := around[*ast.BinaryExpr](m); operation != nil && operation.Y.Pos() == m.error.Pos {
				return fmt.Sprintf("convert the other side: float64(%s) %s %s", types.ExprString(operation.X), operation.Op, types.ExprString(operation.Y))
			}
			return fmt.Sprintf("an %s has no fraction: convert it with float64(x)", m.parts[1])
		}),
		computedHint(`^cannot use .* \((?:variable|value|constant|untyped \w+ constant).*\) as (\S+) value in `, wrongType),
		computedHint(`^cannot convert .* \(untyped string constant\) to type (\S+)$`, func(m *mistake) string {
			if text := constantText(m, m.parts[1]); text != "" {
				return text
			}
			return parseHint(m.parts[1])
		}),
		computedHint(`^assignment mismatch: (\d+) variables? but (.+) returns (\d+) values?$`, wrongCount),
		computedHint(`^multiple-value (.+) \(value of type \((.+)\)\) in single-value context$`, func(m *mistake) string {
			names := resultNames(m.parts[2])
			assigned := "assign its results first: " + strings.Join(names, ", ") + " := " + m.parts[1]
			if len(names) == 2 && names[1] == "err" && m.pass.work.hasMust() {
				return fmt.Sprintf("must(%s) is its result without the error; or %s", m.parts[1], assigned)
			}
			return assigned
		}),
	}
	hintRules = append(hintRules, rulesOfTypeParameters()...)
	hintRules = append(hintRules, rulesOfHabits()...)
	hintRules = append(hintRules, rulesOfStatements()...)
}

// rulesOfStatements returns the rules about statements, declarations and instances. Code that
// causes some of the messages:
//
//	x := 1; x := 2                  no new variables on left side of :=
//	p.x := 1                        non-name p.x on left side of :=
//	if n { ... }                    non-boolean condition in if statement
//	m["a"].n = 1                    cannot assign to struct field m["a"].n in map
//	append(list, 1); other()        append(list, 1) ... is not used
//	1.5 % x                         operator % not defined on ...
//	*n                              invalid operation: cannot indirect n
//	list[-1]                        invalid argument: index -1 (constant of type int) ...
//	x := nil                        use of untyped nil in assignment
//	func (n int) Double() int       cannot define new methods on non-local type int
//	count: int = 5                  label count declared and not used
//	int + 1                         int (type) is not an expression
//	var u uint8 = 300               ... (overflows)
//	type T struct{ next T }         invalid recursive type T
func rulesOfStatements() []hintRule {
	return []hintRule{
		fixedHint(`^declared and not used: (\w+)$`, "inside functions and blocks every variable must be used; write _ in the place of $1 to drop it"),
		fixedHint(`^no new variables on left side of :=$`, "the variable exists already: assign with ="),
		fixedHint(`^non-name (.+) on left side of :=$`, "fields and elements are assigned with = : $1 = ..."),
		fixedHint(`^missing return$`, "every way through the function must end with a return"),
		computedHint(`^too many return values`, func(m *mistake) string {
			if f := around[*ast.FuncDecl](m); f != nil && f.Name.Name == m.pass.work.cell.Body.Name.Name {
				return "a cell returns nothing; its last expression is shown"
			}
			return "the result types follow the parameters: func f() int { ... }"
		}),
		fixedHint(`^non-boolean condition in (if|for) statement$`, "a condition is a comparison, such as n != 0 or p != nil"),
		computedHint(`^cannot assign to (.+) \(neither addressable nor a map index expression\)$`, notAssignable),
		computedHint(`^cannot assign to struct field (.+)\.(\w+) in map$`, func(m *mistake) string {
			return fmt.Sprintf("change a copy and store it: v := %[1]s; v.%[2]s = ...; %[1]s = v", m.parts[1], m.parts[2])
		}),
		computedHint(`^append\((\w+),.* is not used$`, func(m *mistake) string {
			return fmt.Sprintf("append gives a new slice: %[1]s = append(%[1]s, ...)", m.parts[1])
		}),
		fixedHint(` is not used$`, "only the last expression of a cell is shown: print this one with fmt.Println, or drop it"),
		fixedHint(`^invalid map key type `, "keys are compared with == : use a string, a number, an array or a struct of such"),
		fixedHint(`^cannot index (\w+) \(variable of interface type`, "take the value out with an assertion first: $1.(map[string]int), with the type that it has"),
		fixedHint(`^invalid operation: operator % not defined on .*float`, "the remainder of floats is math.Mod(x, y)"),
		fixedHint(`^invalid operation: operator \^ not defined on`, "powers are math.Pow(x, y); ^ is the exclusive or of integers"),
		computedHint(`^invalid operation: cannot indirect `, indirection),
		computedHint(`^invalid argument: index (-\d+) \(`, func(m *mistake) string {
			if index := around[*ast.IndexExpr](m); index != nil {
				x := types.ExprString(index.X)
				return fmt.Sprintf("counting from the end: %s[len(%s)%s]", x, x, m.parts[1])
			}
			return ""
		}),
		fixedHint(`^result parameter (\w+) not in scope at return$`, "an inner $1 hides the result: assign with = instead of :="),
		fixedHint(`^use of untyped nil in`, "nil alone has no type: var x *T, or x := (*T)(nil)"),
		fixedHint(`^cannot define new methods on non-local type (\w+)$`, "declare a type of your own: type Mine $1"),
		computedHint(`^label (\w+) declared and not used$`, func(m *mistake) string {
			if s := around[*ast.LabeledStmt](m); s != nil {
				if _, ok := s.Stmt.(*ast.ForStmt); !ok {
					return fmt.Sprintf("the type follows the name without a colon: var %s int = 5", m.parts[1])
				}
			}
			return "labels are for break, continue and goto; leave it out"
		}),
		fixedHint(`^(\w+) \(type\) is not an expression$`, "a value of the type is made by a conversion, $1(x), or a literal"),
		fixedHint(`^(struct\{.*\}|map\[.*|\[.*) \(type\) is not an expression$`, "a value of the type is a literal: $1{...}"),
		fixedHint(` \(type\) is not an expression$`, "a variable of the type is declared with var: var x ..."),
		fixedHint(`^(\w+) already declared through (?:import|dot-import) of package`, "in one cell $1 has one meaning: choose another name, or import the package under another one"),
		fixedHint(`^(\w+) redeclared in this block$`, "in one cell $1 has one meaning; a later cell may declare it again"),
		fixedHint(`\(variable of .*type (\w+) \(of cell \d+\)\) as (\w+) value`, "$1 was declared again since: make the value again with the new type"),
		fixedHint(`^cannot use .* \(missing method (\w+)\)$`, "declare the method: func (x T) $1(...) ..."),
		fixedHint(` does not satisfy (.+) \(`, "the type argument must be one of: $1"),
		computedHint(`\(overflows\)$`, overflowHint),
		fixedHint(`^shifted operand|invalid operation: shifted operand`, "only integers are shifted"),
		fixedHint(`\(no value\) used as value$`, "the function has no result"),
		fixedHint(`^(?:break|continue) not in`, "it leaves a loop, and there is none around it"),
		computedHint(`^not enough arguments in call to |^too many arguments in call to `, func(m *mistake) string { return signatureHint(m) }),
		fixedHint(`^invalid operation: cannot send to receive-only channel`, "the channel is declared with <-chan: declare it with chan to send as well"),
		fixedHint(`^invalid recursive type: anonymous interface`, "write the name of an interface in the place of the inner one: type T interface{ M() T }"),
		fixedHint(`^invalid recursive type`, "hold it by a pointer: *T"),
		fixedHint(`^func main must have no arguments`, "arguments are in os.Args"),
	}
}

// source returns the text of the expression at the error.
func (m *mistake) source() string {
	for _, n := range m.path {
		if x, ok := n.(ast.Expr); ok && x.Pos() == m.error.Pos {
			return types.ExprString(x)
		}
	}
	return "x"
}

// unknownField returns a hint for a field that the struct of a literal does not have.
func unknownField(m *mistake) string {
	if literal := around[*ast.CompositeLit](m); literal != nil {
		if t := m.pass.info.TypeOf(literal); t != nil {
			if ambiguous := ambiguousKey(t, m.parts[1]); ambiguous != "" {
				return ambiguous
			}
			if close := nearest(m.parts[1], fieldNames(t)); close != "" {
				return fmt.Sprintf("did you mean %s?", close)
			}
			if fields := fieldsOf(t); fields != "" {
				return "its fields are " + fields
			}
		}
	}
	return ""
}

// fieldsListed is the maximum number of fields in a hint.
const fieldsListed = 8

// fieldsOf returns the names of the fields of a struct that other packages may set. It returns ""
// for other types, and for structs with no or too many such fields.
func fieldsOf(t types.Type) string {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem() // for elements with an elided type
	}
	structure, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	named, _ := types.Unalias(t).(*types.Named)
	var names []string
	for field := range structure.Fields() {
		if field.Exported() || named == nil || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == "main" {
			names = append(names, field.Name())
		}
	}
	if len(names) > fieldsListed {
		return ""
	}
	return strings.Join(names, ", ")
}

// isNumber reports whether the name of a type in a message denotes a numeric type.
func isNumber(name string) bool {
	object, ok := types.Universe.Lookup(name).(*types.TypeName)
	if !ok {
		return name == "untyped int" || name == "untyped float"
	}
	basic, ok := object.Type().Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// mismatch returns a hint for operands of different types. The operand types in the message are the
// text that go/types prints, such as "untyped int".
func mismatch(m *mistake) string {
	operation := around[*ast.BinaryExpr](m)
	if assign := around[*ast.AssignStmt](m); assign != nil && assign.Tok != token.ASSIGN && assign.Tok != token.DEFINE && assign.TokPos > m.error.Pos && assign.Pos() <= m.error.Pos {
		return mismatchInPlace(assign, m.parts[1], m.parts[2])
	}
	if operation == nil {
		return ""
	}
	x, y := types.ExprString(operation.X), types.ExprString(operation.Y)
	a, b, op := m.parts[1], m.parts[2], operation.Op.String()
	isText := func(name string) bool { return name == "string" || name == "untyped string" }
	if text := mismatchOfSlice(operation, a, b); text != "" {
		return text
	}
	switch {
	case (a == "untyped bool" || a == "bool") && isComparison(operation.X):
		inner := ast.Unparen(operation.X).(*ast.BinaryExpr)
		return fmt.Sprintf("compare twice: %s && %s %s %s", types.ExprString(inner), types.ExprString(inner.Y), op, y)
	case a == "time.Duration" && b == "int" || b == "time.Duration" && a == "int":
		if a == "int" {
			return fmt.Sprintf("convert: time.Duration(%s) %s %s", x, op, y)
		}
		return fmt.Sprintf("convert: %s %s time.Duration(%s)", x, op, y)
	case isText(a) && operation.Op == token.MUL:
		return fmt.Sprintf("strings.Repeat(%s, %s)", x, y)
	case isText(a) && operation.Op == token.REM:
		return fmt.Sprintf("fmt.Sprintf(%s, %s)", x, y)
	case (a == "byte" || a == "rune") && isText(b), isText(a) && (b == "byte" || b == "rune" || b == "untyped rune"), a == "untyped rune" && isText(b):
		return "one character is a number: compare with 'a' in single quotes, or convert it: string(c)"
	case isText(a) && operation.Op == token.ADD:
		return fmt.Sprintf("convert to text: %s + fmt.Sprint(%s)", x, y)
	case isText(b) && operation.Op == token.ADD:
		return fmt.Sprintf("convert to text: fmt.Sprint(%s) + %s", x, y)
	case isText(a) && isNumber(b), isNumber(a) && isText(b):
		return "read the number from the text first: n, err := strconv.Atoi(s)"
	case isNumber(a) && isNumber(b) && !strings.HasPrefix(a, "untyped") && !strings.HasPrefix(b, "untyped"):
		if strings.HasPrefix(b, "float") || !strings.HasPrefix(a, "float") {
			return fmt.Sprintf("convert one of them: %s(%s) %s %s", b, x, op, y)
		}
		return fmt.Sprintf("convert one of them: %s %s %s(%s)", x, op, a, y)
	case a == "any" || a == "interface{}":
		return fmt.Sprintf("take the value out with an assertion first: %s.(int), with the type that it has", x)
	case strings.HasPrefix(a, "func("):
		return fmt.Sprintf("call the function: %s()", x)
	case a == "error" || b == "error":
		return "an error is looked at with if err != nil"
	}
	return ""
}

// mismatchInPlace returns a hint for x op= y with operands of different types. Only y can be
// converted, since the result is assigned to x.
func mismatchInPlace(s *ast.AssignStmt, a, b string) string {
	x, y := types.ExprString(s.Lhs[0]), types.ExprString(s.Rhs[0])
	switch {
	case a == "string" && s.Tok == token.ADD_ASSIGN:
		return fmt.Sprintf("convert to text: %s += fmt.Sprint(%s)", x, y)
	case a == "string":
		return "read the number from the text first: n, err := strconv.Atoi(s)"
	case strings.HasPrefix(b, "float") && isNumber(a) && !strings.HasPrefix(a, "float"):
		return fmt.Sprintf("convert: %s %s %s(%s), which drops the fraction, or declare %s as a %s", x, s.Tok, a, y, x, b)
	case isNumber(a) && isNumber(b), a == "time.Duration" && isNumber(b), isNumber(a) && b == "time.Duration":
		return fmt.Sprintf("convert: %s %s %s(%s)", x, s.Tok, a, y)
	}
	return ""
}

// isComparison reports whether an expression compares, so that its result cannot be compared with a
// number, as in 1 < n < 3.
func isComparison(x ast.Expr) bool {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	return ok && (b.Op == token.LSS || b.Op == token.LEQ || b.Op == token.GTR || b.Op == token.GEQ || b.Op == token.EQL)
}

// wrongType returns a hint for the conversion of a value to the required type. It suggests a
// conversion only where one keeps the value, or says which function parses or formats it.
//
// Operands that are literals are distinguished from others: a wrong literal is corrected, and a
// value is converted.
func wrongType(m *mistake) string {
	wanted, x := m.parts[1], m.source()
	var t types.Type
	for _, n := range m.path {
		if e, ok := n.(ast.Expr); ok && e.Pos() == m.error.Pos {
			t = m.pass.info.TypeOf(e)
		}
	}
	if t == nil {
		return ""
	}
	basic, _ := t.Underlying().(*types.Basic)
	switch {
	case basic == nil:
		return ""
	case wanted == "string" && basic.Info()&types.IsNumeric != 0 && isLiteral(x):
		return fmt.Sprintf("strings are quoted: %q", x)
	case isNumber(wanted) && basic.Info()&types.IsString != 0 && isLiteral(strings.Trim(x, `"`)):
		return "numbers are not quoted: " + strings.Trim(x, `"`)
	case wanted == "string" && basic.Info()&types.IsNumeric != 0:
		return fmt.Sprintf("its text is fmt.Sprint(%s)", x)
	case isNumber(wanted) && basic.Kind() == types.UntypedString && constantText(m, wanted) != "":
		return constantText(m, wanted)
	case isNumber(wanted) && basic.Info()&types.IsString != 0:
		return parseHint(wanted)
	case isNumber(wanted) && basic.Info()&types.IsNumeric != 0 && basic.Info()&types.IsUntyped == 0, wanted == "time.Duration" && basic.Info()&types.IsInteger != 0:
		return fmt.Sprintf("convert: %s(%s)", wanted, x)
	}
	return ""
}

// isLiteral reports whether a text is a number literal of Go.
//
// A text such as "0x" is no literal, for which constant.MakeFromLiteral returns an unknown value.
func isLiteral(text string) bool {
	v := constant.MakeFromLiteral(text, token.FLOAT, 0)
	return v.Kind() == constant.Float || v.Kind() == constant.Int
}

// parseHint returns a hint for parsing a number.
func parseHint(wanted string) string {
	if strings.HasPrefix(wanted, "float") {
		return "read the number: x, err := strconv.ParseFloat(text, 64)"
	}
	if isNumber(wanted) {
		return "read the number: n, err := strconv.Atoi(text)"
	}
	return ""
}

// wrongCount returns a hint for a call whose number of results differs from the number of
// variables. The hint is a short variable declaration with the variables of the cell, followed by
// new ones for the other results.
func wrongCount(m *mistake) string {
	if m.parts[3] == "1" {
		return "the call has one result: write one variable on the left"
	}
	if assignment := around[*ast.AssignStmt](m); assignment != nil && len(assignment.Rhs) == 1 {
		if results, ok := m.pass.info.TypeOf(assignment.Rhs[0]).(*types.Tuple); ok {
			names := resultNames(strings.Trim(types.TypeString(results, nil), "()"))
			for i, left := range assignment.Lhs[:min(len(assignment.Lhs), len(names))] {
				if variable, ok := left.(*ast.Ident); ok {
					names[i] = variable.Name
				}
			}
			if last := len(names) - 1; last > 0 && names[0] == "err" && names[last] == "err" {
				names[0] = "_" // the error is the last result
			}
			return strings.Join(names, ", ") + " := " + types.ExprString(assignment.Rhs[0])
		}
	}
	return ""
}

// resultNames returns conventional variable names for results of the given types. For instance "n
// int, err error" or "int, error" becomes "a, err".
//
// The list is the text of a tuple without its parentheses. A type that itself contains a comma,
// such as a function type, yields more names than results; the hint is then wrong in form but still
// shows what is missing.
func resultNames(list string) []string {
	kinds := strings.Split(list, ", ")
	for i, t := range kinds {
		fields := strings.Fields(t)
		switch t = fields[len(fields)-1]; {
		case t == "error":
			kinds[i] = "err"
		case t == "bool":
			kinds[i] = "ok"
		default:
			kinds[i] = string(rune('a' + i%26))
		}
	}
	return kinds
}

// notAssignable returns a hint that explains why an operand cannot be assigned to.
func notAssignable(m *mistake) string {
	for _, n := range m.path {
		switch x := n.(type) {
		case *ast.IndexExpr:
			if t := m.pass.info.TypeOf(x.X); t != nil && x.Pos() == m.error.Pos {
				if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
					return fmt.Sprintf("texts cannot be changed; take a copy: b := []byte(%s); b[i] = ...; string(b)", types.ExprString(x.X))
				}
			}
		case *ast.Ident:
			if _, ok := m.pass.info.Uses[x].(*types.Const); ok && x.Pos() == m.error.Pos {
				return fmt.Sprintf("%s is a constant; declare it with var or := to change it", x.Name)
			}
		}
	}
	return ""
}

// indirection returns a hint for a star in front of an operand that is not a pointer.
func indirection(m *mistake) string {
	for i, n := range m.path {
		if call, ok := n.(*ast.CallExpr); ok && i+1 < len(m.path) {
			if star, ok := m.path[i+1].(*ast.StarExpr); ok && star.Pos() != call.Fun.Pos() {
				return fmt.Sprintf("a slice is passed as arguments with three dots: %s(%s...)", types.ExprString(call.Fun), types.ExprString(star.X))
			}
		}
		if operation, ok := n.(*ast.BinaryExpr); ok && operation.Op == token.MUL {
			if star, ok := operation.Y.(*ast.StarExpr); ok {
				return fmt.Sprintf("powers are math.Pow(%s, %s)", types.ExprString(operation.X), types.ExprString(star.X))
			}
		}
	}
	return "only pointers can be dereferenced; remove the *"
}

// signatureHint returns a hint with the declaration of the function in a wrong call.
func signatureHint(m *mistake) string {
	if hint := severalResults(m); hint != "" {
		return hint
	}
	call := around[*ast.CallExpr](m)
	if call == nil {
		return ""
	}
	signature, ok := m.pass.info.TypeOf(call.Fun).(*types.Signature)
	if !ok {
		return ""
	}
	name := types.ExprString(call.Fun)
	return "it is declared as " + name + strings.TrimPrefix(types.TypeString(signature, func(p *types.Package) string {
		if p == m.pass.work.session.main {
			return ""
		}
		return p.Name()
	}), "func")
}
