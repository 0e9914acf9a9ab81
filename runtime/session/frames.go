package session

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/runtime/engine"
	"gosphere/runtime/guard"
	"gosphere/runtime/lower"
)

// describe writes the frames of a panic or a stack overflow that belong to cells, innermost
// first. The line is that of the statement that panicked, 0 if unknown.
func (s *Session) describe(frames []guard.Frame, line int) []string {
	var list []string
	var called string // the function of a cell that the frame before tells about
	left := false
	for i, f := range frames {
		if f.Text != "" {
			list = append(list, f.Text)
			continue
		}
		if f.Function == engine.Left {
			called, left = "", true
			continue
		}
		name, _, literal := strings.Cut(f.Function, ".")
		known, ok := s.lowerer.Frame(name)
		if !ok {
			called = ""
			continue
		}
		known.Literal = known.Literal || literal
		here := line
		if i > 0 {
			here = lineOfCall(known, called, f.Calling)
		}
		if called = known.Name; known.Literal {
			called = ""
		}
		if i == 0 && slices.ContainsFunc(frames[1:], func(other guard.Frame) bool { return line == 0 && other.Function == f.Function }) {
			continue // it had only begun when the stack was full, and will be named below
		}
		text := describeFrame(known, here)
		if len(list) > 0 && list[len(list)-1] == text {
			continue
		}
		if left {
			list, left = append(list, "    (more)"), false
		}
		list = append(list, text)
	}
	return shorten(list)
}

// stoppedAt writes where a cell was when it was stopped: the compiled call that it was in, and the calls of cells in progress.
func (s *Session) stoppedAt(p *guard.Place) []string {
	if p == nil {
		return nil
	}
	var list []string
	if call := p.Call(); call != "" {
		text := "    in " + call
		if p.Goes && !p.Waits() {
			text += ", which nothing can stop: it goes on until it returns"
		}
		list = append(list, text)
	}
	var frames []guard.Frame
	for _, name := range s.engine.Calls(p.Stack) {
		frames = append(frames, guard.Frame{Function: name})
	}
	line := p.Line
	if line == guard.Entered {
		line = 0
		if len(frames) > 0 {
			if known, ok := s.lowerer.Frame(frames[0].Function); ok {
				line = known.First
			}
		}
	}
	return append(list, s.describe(frames, line)...)
}

// lineOfCall is the line on which a function has called another one: the only one that
// mentions it or, if none does, the line noted last. It is 0 if unknown.
func lineOfCall(f lower.Frame, called string, noted int) int {
	if line, ok := f.Calls[called]; ok {
		return line
	}
	return noted
}

// describeFrame writes one frame, and its line if the function has it.
func describeFrame(f lower.Frame, line int) string {
	text := f.File
	if line >= f.First && line <= f.Last {
		text += fmt.Sprintf(", line %d", line)
	}
	switch {
	case f.Name != "" && f.Literal:
		text += ", in a function literal of " + f.Name
	case f.Name != "":
		text += ", in " + f.Name
	case f.Literal:
		text += ", in a function literal"
	}
	return text
}

const (
	longestCycle = 20 // lines, of functions that call one another
	mostFrames   = 100
)

// shorten leaves out what functions that call one another write again and again, and the
// middle of what is longer than anybody reads.
func shorten(list []string) []string {
	var short []string
	for i := 0; i < len(list); {
		period, covered := cycle(list[i:])
		short = append(short, list[i:i+period]...)
		if covered > period {
			short = append(short, fmt.Sprintf("    (the last %d again and again)", period))
		}
		i += covered
	}
	if len(short) > mostFrames {
		left := fmt.Sprintf("    (%d more)", len(short)-mostFrames)
		short = slices.Concat(short[:mostFrames/2], []string{left}, short[len(short)-mostFrames/2:])
	}
	return short
}

// cycle finds with how many lines a list begins that come three times at least one after
// another, and how many lines they cover; 1 and 1 if there are none.
func cycle(list []string) (period, covered int) {
	for period := 2; period <= longestCycle && 3*period <= len(list); period++ {
		covered := period
		for covered < len(list) && list[covered] == list[covered-period] {
			covered++
		}
		if covered >= 3*period {
			return period, covered
		}
	}
	return 1, 1
}
