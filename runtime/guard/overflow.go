package guard

import (
	"runtime"
	"slices"
)

// Functions that can call themselves ask at their entry how deep the stack is. Near its end
// they also leave their names, so that an overflow can be told with the calls that led to it.

const (
	// stackLimit is a fifth of the size at which the runtime ends the process (1 GB on 64-bit
	// systems): about 350,000 interpreted calls at 600 bytes each, measured in November 2026.
	stackLimit = 200 << 20
	// nearLimit is where functions begin to leave their names: a few hundred calls before.
	nearLimit = stackLimit - 1<<20
)

const overflowText = "stack overflow: more than 200 MB of nested calls"

// An entry is a call near the end of the stack.
type entry struct {
	function string  // engine name
	used     uintptr // bytes of the stack
	line     int     // what was noted last before the call
	passes   bool    // it stands for the function that it calls
}

// Entry returns what emitted code calls at the entry of a function that can call itself, or
// calls what is not known by name: a function further down must not claim the panic of a
// deferred call. The name is that of Frame.
func (g *Guard) Entry(function string) func() {
	return func() {
		if askers.waiting.Load() != 0 {
			g.Claim("")
		}
		if used := stackUsed(); used > nearLimit {
			g.trace.enters(entry{function, used, *g.line, false})
			if used > stackLimit {
				g.overflow()
			}
		}
		if g.polling.Load() {
			g.Poll(Entered)
		}
	}
}

// Passage returns the entry of functions that only hand their parameters on to the one with
// this name.
func (g *Guard) Passage(function string) func() {
	return func() {
		if used := stackUsed(); used > nearLimit {
			g.trace.enters(entry{function, used, *g.line, true})
			if used > stackLimit {
				g.overflow()
			}
		}
		if g.polling.Load() {
			g.Poll(Entered)
		}
	}
}

// enters notes a call. Those that reached as deep before it have returned.
func (t *traces) enters(e entry) {
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries == nil {
		t.entries = map[uintptr][]entry{}
	}
	list := t.entries[id]
	for len(list) > 0 && list[len(list)-1].used >= e.used {
		list = list[:len(list)-1]
	}
	if n := len(list); n > 0 && !e.passes && list[n-1].passes && list[n-1].function == e.function {
		list = list[:n-1] // one call in two steps
	}
	t.entries[id] = append(list, e)
}

// calls returns and forgets the calls near the end of the stack, innermost first.
func (t *traces) calls() []Frame {
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	var frames []Frame
	line := 0
	for _, e := range slices.Backward(t.entries[id]) {
		frames = append(frames, Frame{Function: e.function, Calling: line})
		line = e.line
	}
	delete(t.entries, id)
	return frames
}

// overflow ends a goroutine whose stack has become too deep. A panic would be caught and
// raised again in every interpreted function, which takes minutes at this depth.
func (g *Guard) overflow() {
	g.overflowed(g.trace.calls())
}

// overflowed ends the calling goroutine, which was in the calls of the frames.
func (g *Guard) overflowed(frames []Frame) {
	if c := Current(); c != nil {
		if goroutine() == c.main {
			c.outcome.Kind, c.outcome.Frames = Overflowed, frames
		} else {
			text := "goroutine ended: " + overflowText + "\n"
			for _, line := range g.Describe(frames, 0) {
				text += "    " + line + "\n"
			}
			c.Write("stderr", text)
		}
	}
	runtime.Goexit()
}
