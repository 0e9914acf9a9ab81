// Package debug implements the Debug Adapter Protocol, as Jupyter wraps it in debug_request,
// debug_reply and debug_event (JEP 47), for a language that implements the interface Debuggee.
//
// Read debug.go (a single request), configure.go (start and end of debugging, breakpoints),
// inspect.go (stacks and variables), console.go (completion), run.go (continue and step), notice.go
// (events), source.go (names of cells).
//
// The types of the protocol are those of github.com/google/go-dap. Jupyter adds commands that DAP
// does not have: debugInfo, dumpCell, inspectVariables, richInspectVariables and copyToGlobals. It
// identifies a cell by a path that depends on nothing but its text, see source.go, because the
// client has no file.
//
// Commands run on the single goroutine that the server reserves for them, events come from any
// goroutine. The adapter holds its lock only for its own fields and never while it calls the
// debuggee, which may call notify meanwhile. It translates and has no state of goroutines or
// variables: that is in the debuggee.
//
// For instance the content of a request and of its reply are
//
//	{"seq":3,"type":"request","command":"variables","arguments":{"variablesReference":7}}
//	{"seq":9,"type":"response","request_seq":3,"command":"variables","success":true,
//	"body":{"variables":[{"name":"n","value":"5","type":"int","variablesReference":0}]}}
package debug

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/go-dap"

	"gosphere/kernel/protocol"
)

// A Debuggee is the language side of a debugger. Its methods may be called at any time, even while
// cells run, but not concurrently. Errors are texts for the user. Requests of DAP and their JSON
// are left to the Adapter. Threads, frames and variables are named by integers that the Debuggee
// chooses. A frame is valid until its goroutine resumes.
type Debuggee interface {
	// BindDebugger sets the function that names the text of a cell and the function that receives
	// notices. It is called before any other method; notify may be called from any goroutine.
	BindDebugger(path func(text string) string, notify func(protocol.DebugNotice))

	// Attach starts debugging and Detach ends it, which removes breakpoints and resumes stopped
	// goroutines.
	Attach()
	Detach()
	// SetBreakpoints replaces the breakpoints of a cell, whose text is "" if unknown, and returns
	// them with their actual lines, in the same order.
	SetBreakpoints(path, text string, wanted []protocol.DebugBreakpoint) []protocol.DebugBreakpoint
	// Lines lists the lines of a cell that can have breakpoints.
	Lines(text string) []int
	// StopOnPanic sets whether panics stop their goroutine.
	StopOnPanic(stop bool)

	// Threads are goroutines. Each stops on its own, the others keep running.
	Threads() []protocol.DebugThread
	// Stopped lists the threads whose stop was announced.
	Stopped() []int
	// Resume resumes a stopped thread. How is one of the constants such as protocol.DebugNext.
	Resume(thread int, how string) error
	// Pause stops the next goroutine of a cell that reaches a statement.
	Pause() error
	Exception(thread int) (protocol.DebugException, error)

	// Stack lists the calls of a stopped thread, innermost first.
	Stack(thread int) ([]protocol.DebugFrame, error)
	Scopes(frame int) ([]protocol.DebugScope, error)
	// Globals returns the variables of the session.
	Globals() []protocol.DebugVariable
	// Variables lists the children of a scope or of a composite value.
	Variables(reference int, which protocol.DebugRange) ([]protocol.DebugVariable, error)
	// Evaluate evaluates Go in a frame, or 0 for none. It rejects statements unless they are
	// allowed.
	Evaluate(frame int, text string, statements bool) (protocol.DebugVariable, error)
	// Complete returns completions for the name before the cursor, in code points, in a frame, or 0
	// for none.
	Complete(frame int, text string, cursor int) ([]protocol.TypedMatch, error)
	// Assign sets a variable of a scope or a child of a variable.
	Assign(reference int, name, value string) (protocol.DebugVariable, error)
	// Copy creates a session variable with the value of a variable of a frame.
	Copy(frame int, source, target string) (protocol.DebugVariable, error)
	// Render returns a variable in all its forms.
	Render(frame int, name string) (data protocol.MimeBundle, metadata map[string]any, err error)
}

// An Adapter serves the debug requests of one kernel. publish is that of the latest request, which
// is the parent of all events: an event has no request of its own, and a client reads events of any
// parent. seq numbers responses and events together.
type Adapter struct {
	debuggee Debuggee
	sources  *sources

	mu          sync.Mutex // guards the fields below
	publish     func(event json.RawMessage)
	seq         int
	started     bool
	untyped     bool                                  // the client shows values of few types, see variable
	breakpoints map[string][]protocol.DebugBreakpoint // by path, in the order in which they were set
}

// New returns an adapter for a language. It binds the debuggee at once, so that cells have paths
// before a client starts debugging.
func New(debuggee Debuggee) *Adapter {
	a := &Adapter{debuggee: debuggee, sources: newSources(), breakpoints: map[string][]protocol.DebugBreakpoint{}}
	debuggee.BindDebugger(a.sources.path, a.notify)
	return a
}

// Close removes the files that the adapter has written. It is called when the kernel exits.
func (a *Adapter) Close() error { return a.sources.remove() }

// A response is a response of the protocol. go-dap has a type for each kind of response. Here the
// body decides, and one type is enough.
type response struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// A request is a request of the protocol.
type request struct {
	dap.Request
	Arguments json.RawMessage `json:"arguments"`
}

// A command answers one kind of request with the body of the response.
type command func(a *Adapter, arguments json.RawMessage) (body any, err error)

// always are the commands answered even before a client starts debugging. The variable panel of
// JupyterLab also works while the debugger is off, so all that lists or renders variables is here.
// debugInfo is the first request of a client, which learns from it whether another client has
// started debugging. disconnect cleans up after a client that has gone.
var always = map[string]command{
	"debugInfo":            debugInfo,
	"initialize":           initialize,
	"inspectVariables":     inspectVariables,
	"richInspectVariables": richInspectVariables,
	"variables":            variables,
	"modules":              modules,
	"dumpCell":             dumpCell,
	"source":               source,
	"disconnect":           disconnect,
	"terminate":            disconnect,
	"threads":              threads,
	"evaluate":             evaluate,
	"completions":          completions,
	"setVariable":          setVariable,
}

// started are the commands answered between initialize and disconnect. Before initialize, they
// would refer to breakpoints and stops that do not exist.
var started = map[string]command{
	"attach":                  attach,
	"launch":                  attach,
	"configurationDone":       nothing,
	"setBreakpoints":          setBreakpoints,
	"setFunctionBreakpoints":  noBreakpoints,
	"setExceptionBreakpoints": setExceptionBreakpoints,
	"breakpointLocations":     breakpointLocations,
	"continue":                resume(protocol.DebugContinue),
	"next":                    resume(protocol.DebugNext),
	"stepIn":                  resume(protocol.DebugStepIn),
	"stepOut":                 resume(protocol.DebugStepOut),
	"pause":                   pause,
	"stackTrace":              stackTrace,
	"scopes":                  scopes,
	"setExpression":           setExpression,
	"copyToGlobals":           copyToGlobals,
	"exceptionInfo":           exceptionInfo,
}

// Debug answers a request of the protocol, as package kernel's Debugger. Events caused by the
// request are passed to event, also later. Debug is not called concurrently. It always returns a
// response: an invalid request gets one with success false and a message, because a client waits
// for it.
func (a *Adapter) Debug(content json.RawMessage, event func(json.RawMessage)) any {
	var r request
	if err := json.Unmarshal(content, &r); err != nil {
		return a.failure(r, fmt.Errorf("debug_request: %w", err))
	}
	a.mu.Lock()
	a.publish = event
	answer, known := always[r.Command]
	if !known && a.started {
		answer, known = started[r.Command]
	}
	_, exists := started[r.Command]
	a.mu.Unlock()
	switch {
	case exists && !known:
		return a.failure(r, fmt.Errorf("%s: the debugger has not been started (initialize)", r.Command))
	case !known:
		return a.failure(r, fmt.Errorf("the debugger has no command %q", r.Command))
	}
	body, err := answer(a, r.Arguments)
	if err != nil {
		return a.failure(r, err)
	}
	reply := a.response(r, body)
	if r.Command == "copyToGlobals" {
		reply.Command = "setExpression" // expected by clients of Jupyter
	}
	// The event says that the adapter accepts breakpoints. DAP lets a client send its configuration
	// only after it, and Jupyter's clients wait for it after attach instead of after initialize.
	if r.Command == "attach" || r.Command == "launch" {
		a.event("initialized", nil)
	}
	return reply
}

// response returns the response to a request. request_seq is the client's number of the request,
// seq the adapter's own.
func (a *Adapter) response(r request, body any) response {
	return response{dap.Response{ProtocolMessage: dap.ProtocolMessage{Seq: a.next(), Type: "response"},
		RequestSeq: r.Seq, Command: r.Command, Success: true}, body}
}

// failure returns the response to a request that failed. ShowUser asks the client to display the
// text.
func (a *Adapter) failure(r request, err error) response {
	reply := a.response(r, dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: err.Error(), ShowUser: true}})
	reply.Success, reply.Message = false, err.Error()
	return reply
}

// next returns the next number of a response or event.
func (a *Adapter) next() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq++
	return a.seq
}

// read decodes the arguments of a request, which may be absent. Absent arguments yield the zero
// value, which the commands check for what they require.
func read[T any](arguments json.RawMessage) (into T, err error) {
	if len(arguments) > 0 {
		err = json.Unmarshal(arguments, &into)
	}
	return into, err
}
