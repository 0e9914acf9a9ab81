package protocol

import "encoding/json"

// The types below are what a debugger and the language tell each other. Names, lines and types
// are those of the cells.

// DebugEvent is an event of the Debug Adapter Protocol, published as debug_event.
type DebugEvent struct{ json.Marshaler }

// MessageType returns "debug_event".
func (DebugEvent) MessageType() string { return "debug_event" }

// A DebugVariable is a variable, a part of one, or the value of an expression.
type DebugVariable struct {
	Name, Value, Type string
	Expression        string // Go that means it, "" if none does
	Reference         int    // asks for its parts, 0 if it has none
	Named, Indexed    int    // how many parts there are
}

// A DebugRange names parts of a variable: Count from Start on, of a Kind that is "named",
// "indexed" or "" for all. A Count of 0 means all of them.
type DebugRange struct {
	Kind         string
	Start, Count int
}

// A DebugFrame is a call in progress.
type DebugFrame struct {
	ID   int
	Name string
	Path string // of the cell, "" if unknown
	Cell string // what people call it, "Cell [3]"
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

// A DebugBreakpoint is one that a client wants, and what became of it.
type DebugBreakpoint struct {
	Line         int    // from 1
	Condition    string // a Go expression, "" for none
	HitCondition string // such as "5", "> 5", "% 5"
	LogMessage   string // printed instead of stopping; {expression} stands for a value

	ID       int
	Verified bool
	Message  string // why not
}

// The kinds of a DebugNotice.
const (
	DebugStopped   = "stopped"
	DebugContinued = "continued"
	DebugChanged   = "breakpoint" // its line or whether it can be hit
)

// A DebugNotice tells what has happened to the debugged cells.
type DebugNotice struct {
	Kind        string
	Thread      int
	Reason      string // of a stop: breakpoint, step, pause or exception
	Description string
	Text        string // of a panic, or the path of a changed breakpoint
	Hit         []int  // ids of breakpoints
	Breakpoint  DebugBreakpoint
}

// The ways in which a stopped goroutine goes on.
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
