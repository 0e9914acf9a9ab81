package protocol

import "encoding/json"

// The types below are exchanged between a debugger and the language. Names, lines and types are
// those of the cells.

// DebugEvent is an event of the Debug Adapter Protocol, published as debug_event.
type DebugEvent struct{ json.Marshaler }

// MessageType returns "debug_event".
func (DebugEvent) MessageType() string { return "debug_event" }

// A DebugVariable is a variable, a child of one, or the value of an expression.
type DebugVariable struct {
	Name, Value, Type string
	Expression        string // Go expression for it, or "" if there is none
	Reference         int    // reference for its children, 0 if it has none
	Named, Indexed    int    // numbers of children
}

// A DebugRange selects children of a variable: Count of them from Start, of a Kind that is "named",
// "indexed" or "" for all. A Count of 0 selects all.
type DebugRange struct {
	Kind         string
	Start, Count int
}

// A DebugFrame is a call in progress.
type DebugFrame struct {
	ID   int
	Name string
	Path string // path of the cell, "" if unknown
	Cell string // displayed name of the cell, such as "Cell [3]"
	Line int
}

// A DebugScope is a group of the variables of a frame.
type DebugScope struct {
	Name      string
	Reference int
	Named     int
	Locals    bool
}

// A DebugThread is a goroutine.
type DebugThread struct {
	ID   int
	Name string
}

// A DebugBreakpoint is a breakpoint requested by a client, and its state.
type DebugBreakpoint struct {
	Line         int    // from 1
	Condition    string // a Go expression, "" for none
	HitCondition string // such as "5", "> 5", "% 5"
	LogMessage   string // printed instead of stopping; {expression} is replaced by its value

	ID       int
	Verified bool
	Message  string // reason why it cannot be hit
}

// Kinds of a DebugNotice.
const (
	DebugStopped   = "stopped"
	DebugContinued = "continued"
	DebugChanged   = "breakpoint" // the line of a breakpoint, or whether it can be hit, has changed
)

// A DebugNotice reports an event of the debugged cells.
type DebugNotice struct {
	Kind        string
	Thread      int
	Reason      string // reason of a stop: breakpoint, step, pause or exception
	Description string
	Text        string // text of a panic, or path of a changed breakpoint
	Hit         []int  // ids of breakpoints
	Breakpoint  DebugBreakpoint
}

// Ways to resume a stopped goroutine.
const (
	DebugContinue = "continue"
	DebugNext     = "next"
	DebugStepIn   = "stepIn"
	DebugStepOut  = "stepOut"
)

// A DebugException is the panic at which a goroutine has stopped.
type DebugException struct {
	Name, Text string
	Stack      []string
}
