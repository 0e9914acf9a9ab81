package session

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/link"
)

// linked compiles a checked cell, if its statements of %%sql can be run.
func linked(s *Session, number int, source string, checked *check.Checked) (*link.Program, error) {
	if err := checkSQL(s, number, source); err != nil {
		return nil, err
	}
	return s.link.Cell(checked)
}

// checkSQL returns the first mistake in a cell of %%sql. SQLite compiles the statements for the
// current values of the variables that they name. The caller holds the execution lock.
func checkSQL(s *Session, number int, source string) error {
	if !strings.Contains(source, "%%sql") || s.options.Embedded != nil {
		return nil
	}
	c, ok := magics.SQLOf(source)
	if !ok {
		return nil
	}
	problem := s.options.Notebook.CheckSQL(c, variablesOf(s, c))
	if problem == nil {
		return nil
	}
	at := min(c.At+problem.At, len(source))
	start := strings.LastIndexByte(source[:at], '\n') + 1
	return cell.Errors{{Cell: number, Line: strings.Count(source[:start], "\n") + 1,
		Column: utf8.RuneCountInString(source[start:at]) + 1, Message: problem.Message, Hint: problem.Hint}}
}

// variablesOf returns the values of the variables that a cell of %%sql names.
func variablesOf(s *Session, c magics.SQLCell) map[string]any {
	values := map[string]any{}
	add := func(name string) {
		symbol := s.checker.Lookup(name)
		if symbol == nil || s.checker.VariableType(name) == nil {
			return
		}
		if v, ok := s.link.Variable(symbol); ok && v.CanInterface() {
			values[name] = v.Interface()
		}
	}
	for _, v := range magics.SQLVariables(c.Statements, s.checker.VariableType) {
		add(v.Name())
	}
	if c.IsVariable {
		add(c.Connection)
	}
	return values
}

// completeSQL completes the name before the cursor in a cell of %%sql.
func completeSQL(s *Session, request protocol.CompleteRequest) (reply protocol.CompleteReply, found bool) {
	if !strings.Contains(request.Code, "%%sql") {
		return reply, false
	}
	c, ok := magics.SQLOf(request.Code)
	if !ok {
		return reply, false
	}
	at := len(string([]rune(request.Code)[:min(request.CursorPos, utf8.RuneCountInString(request.Code))]))
	if at < c.At {
		return reply, false
	}
	names := map[string]string{}
	for _, symbol := range s.checker.Symbols() {
		if t := s.checker.VariableType(symbol.Name); t != nil {
			names[symbol.Name] = "variable"
			if magics.IsTable(t) {
				names[symbol.Name] = "table"
			}
		}
	}
	typed, start := s.options.Notebook.CompleteSQL(c, at-c.At, names, tablesWhileStill(s, c))
	reply = protocol.CompleteReply{Status: "ok", Matches: []string{}, CursorStart: utf8.RuneCountInString(request.Code[:c.At+start]), CursorEnd: request.CursorPos}
	for i := range typed {
		typed[i].Start, typed[i].End = reply.CursorStart, reply.CursorEnd
		reply.Matches = append(reply.Matches, typed[i].Text)
	}
	reply.Metadata = map[string]any{protocol.TypedMatches: typed}
	return reply, true
}

// tablesWhileStill returns the values of the variables that a cell of %%sql names. While cells run
// or their goroutines may, tables are not read, and there are none.
func tablesWhileStill(s *Session, c magics.SQLCell) (values map[string]any) {
	if !s.compiling.TryLock() {
		return nil
	}
	defer s.compiling.Unlock()
	if !s.calls.still() {
		return nil
	}
	defer s.guard.Sharing.Hold()()
	if !s.guard.Sharing.Quiet() {
		return nil
	}
	values = variablesOf(s, c)
	for name, value := range values {
		if v := reflect.ValueOf(value); v.Kind() == reflect.Slice {
			values[name] = v.Slice(0, 0).Interface() // only the type matters
		}
	}
	return values
}
