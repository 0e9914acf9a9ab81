package session

import (
	"fmt"
	"slices"

	"gosphere/runtime/internal/guard/schedule"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/source"
	"gosphere/runtime/internal/symtab"
)

// describe formats the calls of cells, innermost first. It collapses repeated calls. Wrappers,
// functions without a file and those of must are not part of what the user has written.
//
// For instance, a panic in a recursive function f of the first cell has the lines
//
//	Cell [1], line 3, in f
//	Cell [1], line 5, in f
//	Cell [1], line 7
//
// The calls of a program have the form of the runtime's traces.
func describe(frames []machine.StackFrame, program bool) []string {
	if program {
		return symtab.Lines(frames)
	}
	var calls []machine.StackFrame
	for _, f := range frames {
		if f.File == "" || f.Func.Wrapper || source.IsMustFile(f.File) || len(calls) > 0 && calls[len(calls)-1] == f {
			continue
		}
		calls = append(calls, f)
	}
	var list []string
	for _, part := range shorten(calls) {
		if part.note != "" {
			list = append(list, part.note)
			// Different frames may have the same text, such as two literals in one line.
		} else if text := describeCall(part.of); len(list) == 0 || list[len(list)-1] != text {
			list = append(list, text)
		}
	}
	return list
}

// describeCall formats a call. A function literal has no name that its author knows, so the text
// names the function around it.
func describeCall(f machine.StackFrame) string {
	text := fmt.Sprintf("%s, line %d", f.File, f.Line)
	// The body of a range-over-func loop is a function only in the representation.
	literal := false
	for root := f.Func; root.Parent != nil; root = root.Parent {
		literal = literal || !root.Iteration
	}
	switch title := f.Func.Title(); {
	case title != "" && literal:
		text += ", in a function literal of " + title
	case title != "":
		text += ", in " + title
	case literal:
		text += ", in a function literal"
	}
	return text
}

// stoppedAt formats the position at which a cell was stopped: the compiled call in progress, if
// any, and the calls of cells.
func stoppedAt(p *schedule.Position) []string {
	if p == nil {
		return nil
	}
	var list []string
	if p.Call != "" {
		text := "    in " + p.Call
		if p.Goes && !p.Waits {
			text += ", which nothing can stop: it goes on until it returns"
		}
		list = append(list, text)
	}
	return append(list, p.Calls...)
}

const (
	longestCycle = 20 // lines in a cycle of mutual recursion
	mostFrames   = 100
)

// A part is an element of a shortened list, or a note about omitted elements.
type part[T any] struct {
	of   T
	note string
}

// shorten collapses repeated frames of recursion and elides the middle of long lists. The cost is
// the length of the list times longestCycle.
//
// For instance, even and odd that call each other without end become
//
//	Cell [1], line 5, in odd
//	Cell [1], line 2, in even
//	    (the last 2 again and again)
//	Cell [1], line 7
func shorten[T comparable](list []T) []part[T] {
	var short []part[T]
	for i := 0; i < len(list); {
		period, covered := cycle(list[i:])
		for _, of := range list[i : i+period] {
			short = append(short, part[T]{of: of})
		}
		if covered > period {
			short = append(short, part[T]{note: fmt.Sprintf("    (the last %d again and again)", period)})
		}
		i += covered
	}
	if len(short) > mostFrames {
		left := part[T]{note: fmt.Sprintf("    (%d more)", len(short)-mostFrames)}
		short = slices.Concat(short[:mostFrames/2], []part[T]{left}, short[len(short)-mostFrames/2:])
	}
	return short
}

// cycle returns the period of a sequence with which the list begins and that occurs at least three
// times in a row, and the number of elements that the repetitions cover. It returns 1, 1 if there
// is no such sequence. For instance f g f g f g f is a cycle of period 2 that covers 7 elements.
//
// The shortest period is 2, because describe has already reduced equal neighbors to one.
func cycle[T comparable](list []T) (period, covered int) {
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
