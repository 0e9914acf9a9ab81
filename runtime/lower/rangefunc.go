package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A yield is the body of a range statement over a function: a closure that tells by its
// result whether to go on. Statements that leave the body otherwise note in a variable
// how, and the code behind the call of the function carries it out.
type yield struct {
	body     *ast.BlockStmt
	control  string // variable with the number of the outcome, 0 for none
	state    string // variable that tells whether the body may be called
	outcomes []outcome
}

type outcomeKind int

const (
	leaveFunction outcomeKind = iota
	leaveBreak
	leaveContinue
	leaveGoto
)

type outcome struct {
	kind   outcomeKind
	target *jump
	label  string
}

// currentYield is the innermost body over a function around the code being emitted.
func (e *emitter) currentYield() *yield {
	if n := len(e.fn.yields); n > 0 {
		return e.fn.yields[n-1]
	}
	return nil
}

// leaveBy emits the end of the body with an outcome.
func (y *yield) leaveBy(o outcome) string {
	number := 0
	for i, known := range y.outcomes {
		if known == o {
			number = i + 1
		}
	}
	if number == 0 {
		y.outcomes = append(y.outcomes, o)
		number = len(y.outcomes)
	}
	return fmt.Sprintf("{\n%s = %d\n%s}", y.control, number, y.give("false"))
}

// The states of a body. A function that calls it when it may not panics.
const (
	bodyReady = iota
	bodyRuns
	bodyLeft
	loopOver
)

// give emits the end of the body with its result.
func (y *yield) give(more string) string {
	next := bodyLeft
	if more == "true" {
		next = bodyReady
	}
	return fmt.Sprintf("%s = %d\nreturn %s\n", y.state, next, more)
}

// holds tells whether the label of a goto lies inside the body.
func (y *yield) holds(e *emitter, s *ast.BranchStmt) bool {
	found := false
	ast.Inspect(y.body, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok && e.objectOf(l.Label) == e.objectOf(s.Label) {
			found = true
		}
		return !found
	})
	return found
}

// rangeFunction emits a range statement over a function.
func (e *emitter) rangeFunction(s *ast.RangeStmt, t *types.Signature, label string) string {
	sequence := e.x(s.X)
	signature := coreType(t.Params().At(0).Type()).(*types.Signature)
	y := &yield{body: s.Body, control: e.temporary("leave"), state: e.temporary("state")}
	j := &jump{label: label, loop: true, yield: y}
	e.fn.yields = append(e.fn.yields, y)
	e.fn.targets = append(e.fn.targets, j)
	variables := []ast.Expr{s.Key, s.Value}
	var parameters []string
	var enter strings.Builder
	for i := 0; i < signature.Params().Len(); i++ {
		kind := e.typ(signature.Params().At(i).Type())
		name, first := "", ""
		if i < len(variables) {
			name, first = e.rangeVariable(variables[i], s.Tok, kind)
		}
		if name == "" || name == "_" {
			name = e.temporary("p")
		}
		parameters = append(parameters, name+" "+e.spell(kind))
		enter.WriteString(first)
	}
	before := e.line
	e.line = 0
	around, outer := e.fn.around, e.fn.call
	enter.WriteString(e.bodyVariable())
	body := e.loopBody(s.Body)
	e.fn.around, e.fn.call = around, outer
	e.line = before
	e.fn.targets = e.fn.targets[:len(e.fn.targets)-1]
	e.fn.yields = e.fn.yields[:len(e.fn.yields)-1]
	check := fmt.Sprintf("if %s != %d { %s.NotReady(%s) }\n%s = %d\n", y.state, bodyReady, support, y.state, y.state, bodyRuns)
	text := fmt.Sprintf("%s(func(%s) bool {\n%s%s%s%s%s})", sequence, strings.Join(parameters, ", "), e.poll(s), check, enter.String(), body, y.give("true"))
	after := fmt.Sprintf("\nif %s == %d { %s.NotReady(%s) }\n%s = %d\n", y.state, bodyRuns, support, "-1", y.state, loopOver)
	return "{\n" + y.control + " := 0\n" + y.state + " := 0\n" + text + after + e.outcomes(y) + "_ = " + y.control + "\n}"
}

// outcomes emits what happens behind the call according to how the body was left.
func (e *emitter) outcomes(y *yield) string {
	var b strings.Builder
	for i, o := range y.outcomes {
		fmt.Fprintf(&b, "if %s == %d {\n%s\n}\n", y.control, i+1, e.carryOut(o))
	}
	return b.String()
}

func (e *emitter) carryOut(o outcome) string {
	switch o.kind {
	case leaveFunction:
		return e.leave()
	case leaveGoto:
		if y := e.currentYield(); y != nil {
			return y.leaveBy(o)
		}
		return "goto " + o.label
	}
	tok := token.BREAK
	if o.kind == leaveContinue {
		tok = token.CONTINUE
	}
	for i, j := range e.fn.targets {
		if j == o.target {
			return e.branch(tok, i, j.label != "")
		}
	}
	panic("a loop is left for a statement that does not hold it")
}

// returnsThroughYield tells whether a body returns out of a range statement over a
// function, so that its results need variables.
func (e *emitter) returnsThroughYield(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			if t := e.typeOf(n.X); t != nil {
				if _, function := coreType(t).(*types.Signature); function {
					found = found || returns(n.Body)
				}
			}
		}
		return !found
	})
	return found
}

func returns(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}
