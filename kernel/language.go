package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"gosphere/kernel/comm"
	"gosphere/kernel/protocol"
)

// A language is an Interpreter as package server uses it: it counts executions, publishes the input
// and the error of cells, and translates cursors, which clients count in code points.
type language struct {
	Interpreter
	comms *comm.Table
	ask   func(ctx context.Context, prompt string, password bool) (string, error)

	mu    sync.Mutex // guards count
	count int        // of cells so far
}

// BindQuestions sets the function that asks the user.
func (l *language) BindQuestions(ask func(ctx context.Context, prompt string, password bool) (string, error)) {
	l.ask = ask
}

// Execute runs a cell.
func (l *language) Execute(ctx context.Context, r protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	x := &Execution{Code: r.Code, Silent: r.Silent, Stored: r.StoreHistory && !r.Silent, Cell: r.Cell, ctx: ctx, publish: publish, ask: l.ask, comms: l.comms}
	x.Count = l.number(x.Stored)
	if !r.Silent {
		publish(protocol.ExecuteInput{Code: r.Code, ExecutionCount: x.Count})
	}
	err := l.Interpreter.Execute(ctx, x)
	reply := protocol.ExecuteReply{Status: protocol.OK, ExecutionCount: x.Count, UserExpressions: map[string]any{}}
	if err != nil {
		e := asError(err)
		if !r.Silent {
			publish(protocol.Error{Ename: e.Name, Evalue: e.Value, Traceback: e.Traceback})
		}
		reply.Status, reply.Ename, reply.Evalue, reply.Traceback = protocol.Failed, e.Name, e.Value, e.Traceback
		return reply
	}
	if evaluator, ok := l.Interpreter.(Evaluator); ok {
		for name, expression := range r.UserExpressions {
			reply.UserExpressions[name] = evaluate(ctx, evaluator, x, expression)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	reply.Payload = x.payload
	return reply
}

// Settle does the work that follows the reply to a cell.
func (l *language) Settle() {
	if settler, ok := l.Interpreter.(Settler); ok {
		settler.Settle()
	}
}

// number returns the execution count of a cell.
func (l *language) number(stored bool) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !stored {
		return l.count + 1
	}
	l.count++
	return l.count
}

// asError returns an error as clients show it. Names of types are a poor title, so an error that is
// not an *Error is titled Error, or Interrupted.
func asError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		copied := *e
		e = &copied
	case errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled):
		e = &Error{Name: "Interrupted", Value: err.Error()}
	default:
		e = &Error{Name: "Error", Value: err.Error()}
	}
	if len(e.Traceback) == 0 {
		e.Traceback = []string{e.Error()}
	}
	return e
}

// evaluate returns the entry of one expression. An error is part of its own entry and does not fail
// the cell.
func evaluate(ctx context.Context, by Evaluator, x *Execution, expression string) map[string]any {
	b, err := by.Evaluate(ctx, x, expression)
	if err != nil {
		e := asError(err)
		return map[string]any{"status": protocol.Failed, "ename": e.Name, "evalue": e.Value, "traceback": e.Traceback}
	}
	if b == nil {
		b = Text("")
	}
	return map[string]any{"status": protocol.OK, "data": b, "metadata": map[string]any{}}
}

// Complete completes code.
func (l *language) Complete(r protocol.CompleteRequest) protocol.CompleteReply {
	c, ok := l.Interpreter.(Completer)
	if !ok {
		return protocol.CompleteReply{CursorStart: r.CursorPos, CursorEnd: r.CursorPos}
	}
	found := c.Complete(context.Background(), r.Code, byteOffset(r.Code, r.CursorPos))
	reply := protocol.CompleteReply{CursorStart: codePoints(r.Code, found.Start), CursorEnd: codePoints(r.Code, found.End)}
	var typed []protocol.TypedMatch
	for _, m := range found.Matches {
		reply.Matches = append(reply.Matches, m.Text)
		typed = append(typed, protocol.TypedMatch{
			Text: m.Text, Type: m.Type, Signature: m.Signature, Documentation: m.Documentation, Start: reply.CursorStart, End: reply.CursorEnd,
		})
	}
	if len(typed) > 0 {
		reply.Metadata = map[string]any{protocol.TypedMatches: typed}
	}
	return reply
}

// byteOffset returns the byte offset of a cursor in code points, which the server has checked.
func byteOffset(code string, cursor int) int {
	for at := range code {
		if cursor == 0 {
			return at
		}
		cursor--
	}
	return len(code)
}

// codePoints returns the number of code points before a byte offset. An offset outside the code is
// a defect of the language, and is moved to the nearer end.
func codePoints(code string, offset int) int {
	return utf8.RuneCountInString(code[:max(0, min(offset, len(code)))])
}

// Inspect documents the name at the cursor.
func (l *language) Inspect(r protocol.InspectRequest) protocol.InspectReply {
	i, ok := l.Interpreter.(Inspector)
	if !ok {
		return protocol.InspectReply{Status: protocol.OK}
	}
	b := i.Inspect(context.Background(), r.Code, byteOffset(r.Code, r.CursorPos), r.DetailLevel)
	return protocol.InspectReply{Status: protocol.OK, Found: b != nil, Data: b}
}

// IsComplete reports whether the code can be run.
func (l *language) IsComplete(r protocol.IsCompleteRequest) protocol.IsCompleteReply {
	if c, ok := l.Interpreter.(Checker); ok {
		status, indent := c.IsComplete(r.Code)
		return protocol.IsCompleteReply{Status: string(status), Indent: indent}
	}
	return protocol.IsCompleteReply{Status: string(Unknown)}
}

// Interrupt notifies the language of an interrupt. The server cancels the contexts.
func (l *language) Interrupt() {
	if i, ok := l.Interpreter.(Interrupter); ok {
		i.Interrupt()
	}
}

// Info describes the language.
func (l *language) Info() (protocol.LanguageInfo, string, []protocol.HelpLink) {
	i := l.Interpreter.Info()
	return protocol.LanguageInfo{
		Name: i.Name, Version: i.Version, Mimetype: cmp.Or(i.MIMEType, "text/plain"), FileExtension: cmp.Or(i.FileExtension, ".txt"),
		PygmentsLexer: cmp.Or(i.Lexer, i.Name), CodemirrorMode: cmp.Or(i.Mode, i.Name), NbconvertExporter: cmp.Or(i.Exporter, "script"),
	}, i.Banner, i.Links
}

// checkInfo returns an error if a language does not describe itself.
func checkInfo(i Info) error {
	if strings.TrimSpace(i.Name) == "" {
		return fmt.Errorf("kernel: Info has no Name: clients need the name of the language")
	}
	return nil
}
