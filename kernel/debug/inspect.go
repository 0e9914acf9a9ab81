package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"strings"

	"github.com/google/go-dap"

	"gosphere/kernel/protocol"
)

// threads lists the goroutines that a client can select.
func threads(a *Adapter, _ json.RawMessage) (any, error) {
	list := []dap.Thread{}
	for _, t := range a.debuggee.Threads() {
		list = append(list, dap.Thread{Id: t.ID, Name: t.Name})
	}
	return dap.ThreadsResponseBody{Threads: list}, nil
}

// stackTrace returns a part of the calls of a thread. Clients load long stacks in pages of Levels
// frames from StartFrame; Levels of 0 means all. TotalFrames says where the last page ends.
func stackTrace(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.StackTraceArguments](arguments)
	if err != nil {
		return nil, err
	}
	frames, err := a.debuggee.Stack(wanted.ThreadId)
	if err != nil {
		return nil, err
	}
	total := len(frames)
	first := min(max(wanted.StartFrame, 0), total)
	last := total
	if wanted.Levels > 0 {
		last = min(first+wanted.Levels, total)
	}
	list := []dap.StackFrame{}
	for _, f := range frames[first:last] {
		list = append(list, stackFrame(f))
	}
	return dap.StackTraceResponseBody{StackFrames: list, TotalFrames: total}, nil
}

// stackFrame describes a call. A call of compiled code between calls of cells has no source, and
// the client then displays its name only.
func stackFrame(f protocol.DebugFrame) dap.StackFrame {
	frame := dap.StackFrame{Id: f.ID, Name: f.Name, Line: f.Line, Column: 1}
	if f.Path != "" {
		frame.Source = &dap.Source{Name: f.Cell, Path: f.Path}
	}
	return frame
}

// scopes lists the groups of variables of a frame. The hint lets clients expand the local variables
// at once.
func scopes(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.ScopesArguments](arguments)
	if err != nil {
		return nil, err
	}
	found, err := a.debuggee.Scopes(wanted.FrameId)
	list := []dap.Scope{}
	for _, s := range found {
		scope := dap.Scope{Name: s.Name, VariablesReference: s.Reference, NamedVariables: s.Named}
		if s.Locals {
			scope.PresentationHint = "locals"
		}
		list = append(list, scope)
	}
	return dap.ScopesResponseBody{Scopes: list}, err
}

// variables lists the children of a scope or variable. Long slices and maps are loaded in pages:
// the client knows the number of children from the parent.
func variables(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.VariablesArguments](arguments)
	if err != nil {
		return nil, err
	}
	if wanted.Start < 0 || wanted.Count < 0 {
		return nil, fmt.Errorf("variables: start is %d and count is %d, want 0 or more", wanted.Start, wanted.Count)
	}
	found, err := a.debuggee.Variables(wanted.VariablesReference, protocol.DebugRange{Kind: wanted.Filter, Start: wanted.Start, Count: wanted.Count})
	return a.variablesBody(found), err
}

// inspectVariables lists the variables of the session for the variable panel.
func inspectVariables(a *Adapter, _ json.RawMessage) (any, error) {
	return a.variablesBody(a.debuggee.Globals()), nil
}

// variablesBody returns variables in the form that the client expects. Before initialize the client
// is not known, but it is then the variable panel of JupyterLab that asks.
func (a *Adapter) variablesBody(found []protocol.DebugVariable) dap.VariablesResponseBody {
	a.mu.Lock()
	untyped := a.untyped || !a.started
	a.mu.Unlock()
	list := []dap.Variable{}
	for _, v := range found {
		list = append(list, variable(v, untyped))
	}
	return dap.VariablesResponseBody{Variables: list}
}

// variable describes a variable. JupyterLab shows the type instead of the value unless the type is
// named int, float, bool or str. For such clients the type is omitted; that of a composite value is
// written before the value. For instance a []float64 with the value [1 2] is sent without a type
// and with the value "[]float64 [1 2]".
func variable(v protocol.DebugVariable, untyped bool) dap.Variable {
	d := dap.Variable{Name: v.Name, Value: v.Value, Type: v.Type, EvaluateName: v.Expression,
		VariablesReference: v.Reference, NamedVariables: v.Named, IndexedVariables: v.Indexed}
	if !untyped || v.Type == "int" || v.Type == "bool" {
		return d
	}
	switch v.Type {
	case "string", "float64", "":
	default:
		d.Value = v.Type + " " + v.Value
	}
	d.Type = ""
	return d
}

// richInspectVariables returns a variable in all its forms: a figure as a picture, a table as HTML.
// A frame of 0, or none, names a variable of the session.
func richInspectVariables(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[struct {
		VariableName string `json:"variableName"`
		FrameID      int    `json:"frameId"`
	}](arguments)
	if err != nil {
		return nil, err
	}
	if wanted.VariableName == "" {
		return nil, errors.New("richInspectVariables: the name of the variable is missing")
	}
	data, metadata, err := a.debuggee.Render(wanted.FrameID, wanted.VariableName)
	if metadata == nil {
		metadata = map[string]any{}
	}
	return map[string]any{"data": data, "metadata": metadata}, err
}

// evaluate evaluates an expression for a watch, a hover or the console. Only the console may run
// statements. A request without a context counts as one of the console. An expression of a watch or
// hover is evaluated whenever the client displays it, so it should not have side effects.
func evaluate(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.EvaluateArguments](arguments)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(wanted.Expression) == "" {
		return nil, errors.New("evaluate: the expression is missing")
	}
	v, err := a.debuggee.Evaluate(wanted.FrameId, wanted.Expression, wanted.Context == "repl" || wanted.Context == "")
	return dap.EvaluateResponseBody{Result: v.Value, Type: v.Type, VariablesReference: v.Reference,
		NamedVariables: v.Named, IndexedVariables: v.Indexed}, err
}

// setVariable assigns to a variable of a scope, an element or a field. The new value is Go source.
func setVariable(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.SetVariableArguments](arguments)
	if err != nil {
		return nil, err
	}
	v, err := a.debuggee.Assign(wanted.VariablesReference, wanted.Name, wanted.Value)
	return dap.SetVariableResponseBody{Value: v.Value, Type: v.Type, VariablesReference: v.Reference,
		NamedVariables: v.Named, IndexedVariables: v.Indexed}, err
}

// setExpression assigns to any expression of a frame and returns its new value. It evaluates the
// expression twice, as "x = v" and as "x".
func setExpression(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.SetExpressionArguments](arguments)
	if err != nil {
		return nil, err
	}
	if _, err := a.debuggee.Evaluate(wanted.FrameId, wanted.Expression+" = "+wanted.Value, true); err != nil {
		return nil, err
	}
	v, err := a.debuggee.Evaluate(wanted.FrameId, wanted.Expression, false)
	return expressionBody(v), err
}

// expressionBody describes a value that was assigned.
func expressionBody(v protocol.DebugVariable) dap.SetExpressionResponseBody {
	return dap.SetExpressionResponseBody{Value: v.Value, Type: v.Type, VariablesReference: v.Reference,
		NamedVariables: v.Named, IndexedVariables: v.Indexed}
}

// copyToGlobals keeps a variable of a frame for later cells. The names become part of Go source, so
// they are checked to be identifiers.
func copyToGlobals(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[struct {
		Source string `json:"srcVariableName"`
		Target string `json:"dstVariableName"`
		Frame  int    `json:"srcFrameId"`
	}](arguments)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{wanted.Source, wanted.Target} {
		if !token.IsIdentifier(name) || name == "_" {
			return nil, fmt.Errorf("copyToGlobals: %q is no name of a variable", name)
		}
	}
	v, err := a.debuggee.Copy(wanted.Frame, wanted.Source, wanted.Target)
	return expressionBody(v), err
}

// exceptionInfo describes the panic at which a thread has stopped.
func exceptionInfo(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.ExceptionInfoArguments](arguments)
	if err != nil {
		return nil, err
	}
	e, err := a.debuggee.Exception(wanted.ThreadId)
	if err != nil {
		return nil, err
	}
	return dap.ExceptionInfoResponseBody{ExceptionId: e.Name, Description: e.Text, BreakMode: "always",
		Details: &dap.ExceptionDetails{Message: e.Text, TypeName: e.Name, StackTrace: strings.Join(e.Stack, "\n")}}, nil
}
