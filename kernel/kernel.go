// Package kernel makes a Jupyter kernel of any language. A language is a value with two methods;
// sockets, signatures, encryption, the order of messages, execution counts, history, subshells,
// interrupts, the heartbeat and the start-up handshake are those of this package.
//
//	func main() { kernel.Main(calculator{}) }
//
//	type calculator struct{}
//
//	func (calculator) Info() kernel.Info { return kernel.Info{Name: "calculator", FileExtension: ".calc"} }
//
//	func (calculator) Execute(ctx context.Context, x *kernel.Execution) error {
//		value, err := calculate(x.Code)
//		if err != nil {
//			return err
//		}
//		x.Result(kernel.Text(value))
//		return nil
//	}
//
// A language that can do more implements more of the interfaces of this package: [Completer],
// [Inspector], [Checker], [Evaluator], [Interrupter] and [Debugger]. Program
// kernel/examples/calculator is a complete example.
//
// A launcher starts the program as a kernelspec says, whose argv ends with {connection_file}:
//
//	{"argv": ["/usr/local/bin/calculator", "{connection_file}"], "display_name": "Calculator", "language": "calculator",
//	 "interrupt_mode": "message", "metadata": {"supported_encryption": ["curve"]}, "kernel_protocol_version": "5.6"}
//
// # Packages
//
// Package protocol has the messages of the Jupyter protocol as Go structs. Package history has the
// interface of histories and one in memory; history/disk keeps that of all sessions in an SQLite
// file, which this package does not link. Package comm routes the messages of comms. Package debug
// implements the Debug Adapter Protocol for a language that can stop and show its variables.
package kernel

import (
	"context"
	"encoding/json"

	"gosphere/kernel/internal/server"
	"gosphere/kernel/protocol"
)

// An Interpreter is a language. Execute is called by one goroutine per shell: a subshell may run
// code while another one does. Info may be called at any time.
type Interpreter interface {
	// Info describes the language. Clients ask often, so it has to be fast.
	Info() Info
	// Execute runs code. Outputs go to x. A non-nil error ends the cell as failed; an *Error
	// chooses the name and the traceback that the client shows. Execute must return soon after ctx
	// is done. After an interrupt, context.Cause(ctx) is ErrInterrupted. A panic of Execute fails the
	// cell and does not end the kernel.
	Execute(ctx context.Context, x *Execution) error
}

// Info describes a language, and the program that implements it, to clients. Only Name is required.
type Info struct {
	Name          string // name of the language, such as "go"
	Version       string // version of the language
	MIMEType      string // such as "text/x-go"; "text/plain" if empty
	FileExtension string // such as ".go"; ".txt" if empty
	Lexer         string // name of the Pygments lexer; Name if empty
	Mode          string // CodeMirror mode; Name if empty
	Exporter      string // exporter of nbconvert; "script" if empty

	Implementation        string // name of the program; Name if empty
	ImplementationVersion string // Version if empty
	Banner                string // shown by consoles
	Links                 []protocol.HelpLink
}

// A Completer is an Interpreter that completes code. The cursor is a byte offset into code.
// Complete may be called while Execute runs, as may all methods below.
type Completer interface {
	Complete(ctx context.Context, code string, cursor int) Completions
}

// Completions are what can stand in place of the bytes of the code from Start to End.
type Completions struct {
	Matches    []Match
	Start, End int
}

// A Match is one completion. Only Text is required.
type Match struct {
	Text          string
	Type          string // kind, such as "function", from which clients choose an icon
	Signature     string
	Documentation string // first sentence
}

// An Inspector is an Interpreter that documents the name at the cursor, a byte offset into code.
// The detail is 0, or 1 for more. Inspect returns nil if there is nothing to say.
type Inspector interface {
	Inspect(ctx context.Context, code string, cursor, detail int) Bundle
}

// A Checker is an Interpreter that knows whether code can be run as it is. A console asks before it
// runs a line or begins another, which it indents by the given text.
type Checker interface {
	IsComplete(code string) (status Completeness, indent string)
}

// Completeness is the answer of a Checker.
type Completeness string

// The answers of a Checker.
const (
	Complete   Completeness = "complete"
	Incomplete Completeness = "incomplete"
	Invalid    Completeness = "invalid"
	Unknown    Completeness = "unknown"
)

// An Evaluator is an Interpreter that can evaluate the expressions that a client requests together
// with a cell. Evaluate is called after a cell that succeeded, with the execution of that cell.
type Evaluator interface {
	Evaluate(ctx context.Context, x *Execution, expression string) (Bundle, error)
}

// A Settler is an Interpreter with work for which the reply to a cell need not wait. Settle is
// called after the reply has been sent and before the kernel is idle. What it publishes by the
// execution of the cell is an output of the cell.
type Settler interface {
	Settle()
}

// An Interrupter is an Interpreter that is notified of interrupts, in addition to the contexts of
// the running cells, which are done soon afterward.
type Interrupter interface {
	Interrupt()
}

// A Debugger is an Interpreter that answers the requests of the Debug Adapter Protocol, which are
// JSON objects. The answer is encoded as JSON. Events that the request causes are passed to event,
// also later. Debug is called by one goroutine. An Adapter of package debug has this method.
type Debugger interface {
	Debug(request json.RawMessage, event func(json.RawMessage)) any
}

// A Bundle holds one value in several forms, by MIME type. Binary forms are base64 strings,
// application/json is an object, and all others are strings.
type Bundle = protocol.MimeBundle

// Text returns a Bundle of plain text.
func Text(text string) Bundle { return Bundle{"text/plain": text} }

// An Error is a failure as a client shows it.
type Error struct {
	Name, Value string
	Traceback   []string // lines, which may contain ANSI colors; Name: Value if empty
}

// Error returns the name and the value.
func (e *Error) Error() string { return e.Name + ": " + e.Value }

// Errors of executions.
var (
	// ErrInterrupted is the cause of the context of an interrupted Execute.
	ErrInterrupted = server.ErrInterrupted
	// ErrNoInput is the error of a question to a client that takes none.
	ErrNoInput = server.ErrNoInput
	// ErrNoCell is the error of a question after its cell has ended.
	ErrNoCell = server.ErrNoCell
)
