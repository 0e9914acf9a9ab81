package session

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"gosphere/kernel"
	"gosphere/kernel/comm"
	"gosphere/kernel/debug"
	"gosphere/kernel/protocol"
)

// A Language is Go as package kernel uses it. Comms must be the table of the kernel, see
// kernel.WithComms.
type Language struct {
	*debug.Adapter
	Comms   *comm.Table
	session *Session
	version string
}

// NewLanguage returns the language of a session, whose comms and questions it connects. The version
// is that of the program.
func NewLanguage(s *Session, version string) *Language {
	l := &Language{Adapter: debug.New(s.Debuggee()), Comms: comm.NewTable(), session: s, version: version}
	s.BindComms(l.Comms)
	s.flow.serve(l.Comms)
	s.BindQuestions(ask)
	return l
}

// executionKey is the key of the *kernel.Execution in the context of a cell.
type executionKey struct{}

// ask asks on behalf of the cell whose context it gets.
func ask(ctx context.Context, prompt string, password bool) (string, error) {
	x, ok := ctx.Value(executionKey{}).(*kernel.Execution)
	if !ok {
		return "", kernel.ErrNoCell
	}
	return x.Ask(ctx, prompt, password)
}

// Info describes Go and this program.
func (l *Language) Info() kernel.Info {
	info, banner, links := l.session.Info()
	return kernel.Info{
		Name: info.Name, Version: info.Version, MIMEType: info.Mimetype, FileExtension: info.FileExtension, Lexer: info.PygmentsLexer,
		Mode: info.CodemirrorMode, Exporter: info.NbconvertExporter, Implementation: "gosphere", ImplementationVersion: l.version, Banner: banner, Links: links,
	}
}

// Execute runs a cell. The kernel publishes its input and its error.
func (l *Language) Execute(ctx context.Context, x *kernel.Execution) error {
	request := protocol.ExecuteRequest{Code: x.Code, Silent: x.Silent, StoreHistory: x.Stored, Count: x.Count, Cell: x.Cell}
	reply := l.session.Reply(context.WithValue(ctx, executionKey{}, x), request, func(content protocol.Content) {
		switch content.(type) {
		case protocol.ExecuteInput, protocol.Error:
		default:
			x.Publish(content)
		}
	})
	for _, entry := range reply.Payload {
		x.Payload(entry)
	}
	if reply.Status == protocol.Failed {
		return &kernel.Error{Name: reply.Ename, Value: reply.Evalue, Traceback: reply.Traceback}
	}
	return nil
}

// Settle determines which cells have become stale, after the reply to a cell.
func (l *Language) Settle() { l.session.Settle() }

// Evaluate evaluates an expression after a cell.
func (l *Language) Evaluate(ctx context.Context, x *kernel.Execution, expression string) (kernel.Bundle, error) {
	data, reply := l.session.Evaluate(context.WithValue(ctx, executionKey{}, x), expression, x.Count, x.Publish)
	if reply.Status == protocol.Failed {
		return nil, &kernel.Error{Name: reply.Ename, Value: reply.Evalue, Traceback: reply.Traceback}
	}
	return data, nil
}

// Complete completes the code before the cursor.
func (l *Language) Complete(_ context.Context, code string, cursor int) kernel.Completions {
	reply := l.session.Complete(protocol.CompleteRequest{Code: code, CursorPos: utf8.RuneCountInString(code[:cursor])})
	found := kernel.Completions{Start: offset(code, reply.CursorStart), End: offset(code, reply.CursorEnd)}
	typed, _ := reply.Metadata[protocol.TypedMatches].([]protocol.TypedMatch)
	for i, text := range reply.Matches {
		m := kernel.Match{Text: text}
		if len(typed) == len(reply.Matches) {
			m.Type, m.Signature, m.Documentation = typed[i].Type, typed[i].Signature, typed[i].Documentation
		}
		found.Matches = append(found.Matches, m)
	}
	return found
}

// offset returns the byte offset of a number of code points.
func offset(code string, points int) int {
	for at := range code {
		if points == 0 {
			return at
		}
		points--
	}
	return len(code)
}

// Inspect describes the name at the cursor.
func (l *Language) Inspect(_ context.Context, code string, cursor, detail int) kernel.Bundle {
	reply := l.session.Inspect(protocol.InspectRequest{Code: code, CursorPos: utf8.RuneCountInString(code[:cursor]), DetailLevel: detail})
	if !reply.Found {
		return nil
	}
	return reply.Data
}

// IsComplete reports whether the code can be run.
func (l *Language) IsComplete(code string) (kernel.Completeness, string) {
	reply := l.session.IsComplete(protocol.IsCompleteRequest{Code: code})
	return kernel.Completeness(reply.Status), reply.Indent
}

// Interrupt stops all running cells and callbacks.
func (l *Language) Interrupt() { l.session.Interrupt() }

// Debug answers a request of the debugger. The method of the adapter has it, and this one documents
// that a Language is a kernel.Debugger.
func (l *Language) Debug(request json.RawMessage, event func(json.RawMessage)) any {
	return l.Adapter.Debug(request, event)
}
