package guard

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
)

// The runtime sees the interpreter's functions and not those of cells. What asks it for its
// callers gets the answer that there is none to be had, and not the wrong ones.

// callerUnknown is runtime.Caller for another function than the one that asks.
func callerUnknown(int) (pc uintptr, file string, line int, ok bool) { return 0, "", 0, false }

// callerHere is runtime.Caller(0), whose answer emitted code knows.
func callerHere(file string, line int) (uintptr, string, int, bool) { return 0, file, line, true }

// callersUnknown is runtime.Callers.
func callersUnknown(int, []uintptr) int { return 0 }

// stack is debug.Stack: the functions of cells that a panic has left, if a deferred call
// asks. The others are not known.
func (g *Guard) stack() []byte {
	var b bytes.Buffer
	var head [64]byte
	first, _, _ := strings.Cut(string(head[:runtime.Stack(head[:], false)]), "\n")
	fmt.Fprintln(&b, first)
	frames, line := g.trace.last()
	lines := g.Describe(frames, line)
	for _, text := range lines {
		fmt.Fprintf(&b, "%s\n", text)
	}
	if len(lines) == 0 {
		fmt.Fprintln(&b, "(the calls of functions of cells are known after a panic only)")
	}
	return b.Bytes()
}

// callersSupport are the functions that tell about callers.
func (g *Guard) callersSupport() map[string]any {
	return map[string]any{
		"Caller": callerUnknown, "CallerHere": callerHere, "Callers": callersUnknown,
		"DebugStack":   g.stack,
		"PrintStack":   func() { _, _ = Stderr.Write(g.stack()) },
		"RuntimeStack": func(buf []byte, _ bool) int { return copy(buf, g.stack()) },
	}
}
