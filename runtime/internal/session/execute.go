package session

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/internal/assist"
	"gosphere/runtime/internal/guard"
)

// Execute runs one cell and publishes, in order, the input, the outputs, and the value or the
// error. It returns when all output of the cell has been published; goroutines that outlive the
// cell publish later. When ctx is done, the cell is interrupted.
func (s *Session) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	// The questions are answered after the code has run, because they may refer to its declarations.
	code, questions := cutQuestions(request.Code)
	reply := s.execute(ctx, request, code, publish)
	if reply.Status == "ok" && !request.Silent {
		// No cell of this call is running now, so values can be read.
		reply.Payload = append(reply.Payload, s.answer(questions, publish)...)
	}
	return reply
}

// execute implements Execute for the Go code of the request, without its questions.
func (s *Session) execute(ctx context.Context, request protocol.ExecuteRequest, code string, publish func(protocol.Content)) protocol.ExecuteReply {
	e := s.calls.begin(ctx, request, publish)
	defer s.calls.end(e)
	number := e.number
	if !request.Silent {
		publish(protocol.ExecuteInput{Code: request.Code, ExecutionCount: number})
	}
	// The function runs at once if ctx is done already.
	stop := context.AfterFunc(ctx, func() { s.calls.interrupt(e) })
	defer stop()
	end := s.run(e, code)
	// Lists and maps of the protocol must not be null in JSON, so they are made even if empty.
	reply := protocol.ExecuteReply{Status: "ok", ExecutionCount: number, Payload: append([]map[string]any{}, end.payload...), UserExpressions: map[string]any{}}
	if f := end.failure; f != nil {
		if !request.Silent {
			publish(protocol.Error{Ename: f.name, Evalue: f.value, Traceback: f.traceback})
		}
		reply.Status, reply.Ename, reply.Evalue, reply.Traceback = "error", f.name, f.value, f.traceback
		return reply
	}
	// The value precedes the user expressions, which may print.
	if end.shown != nil && !request.Silent {
		publish(protocol.ExecuteResult{ExecutionCount: number, Data: end.shown.data, Metadata: end.shown.metadata})
	}
	// The protocol evaluates them only after a cell that succeeded.
	for name, expression := range request.UserExpressions {
		reply.UserExpressions[name] = expressionEntry(s.valueOf(e, expression))
	}
	return reply
}

// expressionEntry returns the entry of one of the expressions that a client requests together with
// a cell. An error is part of its own entry and does not fail the cell.
func expressionEntry(data protocol.MimeBundle, metadata map[string]any, f *failure) map[string]any {
	if f != nil {
		return map[string]any{"status": "error", "ename": f.name, "evalue": f.value, "traceback": f.traceback}
	}
	return map[string]any{"status": "ok", "data": data, "metadata": metadata}
}

// valueOf returns the value of an expression.
func (s *Session) valueOf(e *call, expression string) (data protocol.MimeBundle, metadata map[string]any, f *failure) {
	e.silent = true
	e.text = expression // the debugger identifies the cell by its text
	end := s.run(e, expression)
	switch {
	case end.failure != nil:
		return nil, nil, end.failure
	case end.shown == nil:
		return protocol.MimeBundle{"text/plain": ""}, map[string]any{}, nil
	}
	return end.shown.data, end.shown.metadata, nil
}

// Evaluate evaluates an expression after the cell with the given number, for a client that
// requests it together with the cell. The reply has only a status and an error.
func (s *Session) Evaluate(ctx context.Context, expression string, number int, publish func(protocol.Content)) (protocol.MimeBundle, protocol.ExecuteReply) {
	e := s.calls.begin(ctx, protocol.ExecuteRequest{Code: expression, Silent: true, Count: number}, publish)
	defer s.calls.end(e)
	stop := context.AfterFunc(ctx, func() { s.calls.interrupt(e) })
	defer stop()
	data, _, f := s.valueOf(e, expression)
	if f != nil {
		return nil, protocol.ExecuteReply{Status: protocol.Failed, Ename: f.name, Evalue: f.value, Traceback: f.traceback}
	}
	return data, protocol.ExecuteReply{Status: protocol.OK}
}

// Interrupt stops all running cells and callbacks, regardless of their shell. Each Execute returns
// within a few hundredths of a second, and all effects so far are kept. If a cell is being
// compiled, its statements will not run.
func (s *Session) Interrupt() { s.calls.interruptAll() }

// Complete returns the completions at the cursor.
func (s *Session) Complete(request protocol.CompleteRequest) protocol.CompleteReply {
	defer s.guard.BoostForRequest()()
	if reply, found := completeSQL(s, request); found {
		return reply
	}
	return CompleteWith(s.assistant, request)
}

// CompleteWith completes the name before the cursor, which may be that of a magic.
func CompleteWith(a *assist.Assistant, request protocol.CompleteRequest) protocol.CompleteReply {
	if reply, found := completeMagic(request); found {
		return reply
	}
	return a.Complete(onlyGo(request.Code), request.CursorPos).Reply()
}

// Inspect describes the name at the cursor.
func (s *Session) Inspect(request protocol.InspectRequest) protocol.InspectReply {
	defer s.guard.BoostForRequest()()
	return InspectWith(s.assistant, request)
}

// InspectWith describes the name at the cursor, which may be that of a magic.
func InspectWith(a *assist.Assistant, request protocol.InspectRequest) protocol.InspectReply {
	if help := magics.HelpAt(request.Code, request.CursorPos); help != "" {
		return protocol.InspectReply{Status: "ok", Found: true, Data: protocol.MimeBundle{"text/plain": help}, Metadata: map[string]any{}}
	}
	return a.Inspect(onlyGo(request.Code), request.CursorPos, request.DetailLevel).Reply()
}

// IsComplete reports whether the code is complete and could be run.
func (s *Session) IsComplete(request protocol.IsCompleteRequest) protocol.IsCompleteReply {
	if cellMagic, open := magics.IsOpen(request.Code); cellMagic {
		if open {
			return protocol.IsCompleteReply{Status: string(cell.Incomplete)}
		}
		return protocol.IsCompleteReply{Status: string(cell.Complete)}
	}
	code, _ := cutQuestions(request.Code)
	status, indent := cell.IsComplete(magics.Blank(code))
	return protocol.IsCompleteReply{Status: string(status), Indent: indent}
}

// Info returns the language description, the banner and the help links for clients.
func (s *Session) Info() (protocol.LanguageInfo, string, []protocol.HelpLink) {
	version := strings.TrimPrefix(goruntime.Version(), "go")
	return protocol.LanguageInfo{
			Name: "go", Version: version, Mimetype: "text/x-go", FileExtension: ".go",
			PygmentsLexer: "go", CodemirrorMode: "go", NbconvertExporter: "script",
		}, "gosphere: Go " + version + " in notebooks", []protocol.HelpLink{
			{Text: "The Go language specification", URL: "https://go.dev/ref/spec"},
			{Text: "Standard library", URL: "https://pkg.go.dev/std"},
			{Text: "gonum", URL: "https://pkg.go.dev/gonum.org/v1/gonum"},
		}
}

// publisherOf returns the publish function of the calling goroutine's cell, or nil. Package display
// calls it. It also yields to other cells, because displays in a loop are a natural point to do so.
func (s *Session) publisherOf() func(protocol.Content) {
	if c := guard.Current(); c != nil {
		c.Yield()
	}
	if r := currentRecord(); r != nil {
		return r.publish
	}
	return nil
}

// ErrClosed is the panic of a method that compiled code calls for a value of a closed session.
var ErrClosed = errors.New("a method of a type whose session is closed was called")

// Close stops the goroutines of all cells. Values and functions of cells stay valid. Methods of
// types that cells have declared do not, if compiled code calls them, so that the code of the
// session can be collected: they panic with ErrClosed, or end the goroutine if it is one of the
// session.
func (s *Session) Close() {
	s.guard.StopAll()
	s.compiling.Lock()
	defer s.compiling.Unlock()
	name := s.guard.Name()
	cell.ForgetAll(s.positions)
	s.positions = nil
	s.link.Close(func() {
		if c := guard.Current(); c != nil && c.Session() == name {
			goruntime.Goexit()
		}
		panic(ErrClosed)
	})
}
