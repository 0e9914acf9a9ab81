package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"gosphere/runtime/cell"
)

// tolerates reports whether an error of go/types is not an error in a cell. That is so for unused
// variables at the top level, for a last expression, whose value is shown, and for the continuation
// lines of errors. A session variable may be used by a later cell, so it is never unused. go/types
// reports some errors in several parts, of which those after the first begin with a tab.
func (p *pass) tolerates(e types.Error) bool {
	switch {
	case strings.HasPrefix(e.Msg, "\t"), strings.HasSuffix(e.Msg, " not exported by package "+holderName):
		return true
	case strings.HasPrefix(e.Msg, "declared and not used: "):
		return p.work.survey.places[e.Pos]
	case p.toleratesPredeclared(e):
		return true
	case strings.HasSuffix(e.Msg, " is not used"):
		// The message begins with the text of the expression, so an unused part of it, for instance
		// a statement in a function literal, is not tolerated.
		value := p.work.cell.Value
		if value == nil || e.Pos < value.Pos() || e.Pos > value.End() {
			return false
		}
		return strings.HasPrefix(e.Msg, types.ExprString(value.X)) || strings.HasPrefix(e.Msg, types.ExprString(ast.Unparen(value.X)))
	}
	return false
}

// toleratesPredeclared reports whether an error says that the package declares a name that
// predeclare has inserted in the scope of a file. Only an object of no package is inserted so.
func (p *pass) toleratesPredeclared(e types.Error) bool {
	return len(p.predeclared) > 0 && strings.HasSuffix(e.Msg, " already declared through dot-import of "+fmt.Sprint((*types.Package)(nil)))
}

// withoutShow returns a message without the function that receives the last expression. A generic
// function as this expression has the message that it has elsewhere.
func (p *pass) withoutShow(message string) string {
	if strings.HasPrefix(message, "in call to "+showName+", cannot infer ") {
		return "cannot use generic function " + types.ExprString(p.work.cell.Value.X) + " without instantiation"
	}
	return withoutMust(strings.ReplaceAll(message, " in argument to "+showName, ""))
}

// errorIn converts an error of go/types to an error in a cell. It removes what only this package
// has added to the code, and replaces "undefined" for a function that exists but is broken. For
// instance "undefined: f" becomes "f no longer compiles: Cell [2]:1:20: ...".
func (w *work) errorIn(c *cell.Cell, e types.Error) cell.Error {
	message := strings.ReplaceAll(e.Msg, hiddenSuffix, "")
	if name, ok := strings.CutPrefix(message, "undefined: "); ok {
		if reason := w.brokenReason(name); reason != nil {
			message = fmt.Sprintf("%s no longer compiles: %v", name, reason)
		}
	}
	return c.ErrorAt(w.fset.Position(e.Pos), message)
}

// brokenReason returns the reason why an earlier function of this name can no longer be used, or
// nil.
func (w *work) brokenReason(name string) error {
	r := w.session.current[name]
	if r == nil {
		return nil
	}
	if reason := w.dropped[r]; reason != nil {
		return reason
	}
	return r.symbol.Broken
}

// cellErrors returns the errors of a pass in the cell itself. Hints are computed only here, so that
// the passes of clean do not spend time on them. Errors that follow from others are omitted unless
// nothing else remains.
func (w *work) cellErrors(p *pass) error {
	var list, noise cell.Errors
	for _, e := range p.errors {
		converted := w.errorIn(w.cell, e)
		if w.brokenReason(strings.TrimPrefix(e.Msg, "undefined: ")) == nil {
			converted.Hint = p.hint(e)
		}
		// An error that follows from an earlier one mentions the placeholder type that go/types has
		// substituted.
		if strings.Contains(e.Msg, "invalid type") && !strings.Contains(e.Msg, "invalid type conversion") {
			noise = append(noise, converted)
			continue
		}
		list = append(list, converted)
	}
	if len(list) == 0 {
		list = noise
	}
	return list.Sort()
}
