package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"gosphere/internal/runtime/cell"
)

// tolerates reports whether an error of go/types is none in a cell: unused variables at the
// top level, a last expression whose value is shown, and the second lines of errors.
func (p *pass) tolerates(e types.Error) bool {
	switch {
	case strings.HasPrefix(e.Msg, "\t"), strings.HasSuffix(e.Msg, " not exported by package "+holderName):
		return true
	case strings.HasPrefix(e.Msg, "declared and not used: "):
		return p.work.survey.places[e.Pos]
	case strings.HasSuffix(e.Msg, " is not used"):
		value := p.work.cell.Value
		if value == nil || e.Pos < value.Pos() || e.Pos > value.End() {
			return false
		}
		return strings.HasPrefix(e.Msg, types.ExprString(value.X)) || strings.HasPrefix(e.Msg, types.ExprString(ast.Unparen(value.X)))
	}
	return false
}

// errorIn returns an error of go/types as one of a cell.
func (w *work) errorIn(c *cell.Cell, e types.Error) cell.Error {
	message := strings.ReplaceAll(e.Msg, " in argument to "+showName, "")
	message = strings.ReplaceAll(message, hiddenSuffix, "")
	if name, ok := strings.CutPrefix(message, "undefined: "); ok {
		if reason := w.brokenReason(name); reason != nil {
			message = fmt.Sprintf("%s no longer compiles: %v", name, reason)
		}
	}
	return c.ErrorAt(w.fset.Position(e.Pos), message)
}

// brokenReason returns why an earlier function of this name can no longer be used.
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

// cellErrors returns the errors of a pass in the cell itself.
func (w *work) cellErrors(p *pass) error {
	var list, noise cell.Errors
	for _, e := range p.errors {
		converted := w.errorIn(w.cell, e)
		if w.brokenReason(strings.TrimPrefix(e.Msg, "undefined: ")) == nil {
			converted.Hint = p.hint(e)
		}
		// What follows from an error reported before mentions the type go/types put in
		// the place of the right one.
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
