package symtab

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/machine"
)

// mostFrames is the largest number of calls in a stack trace, half of them from each end. It is
// that of the runtime.
const mostFrames = 100

// Stack implements [debug.Stack].
func Stack() []byte { return trace(stackCall()) }

// stackCall returns the lines of a trace that show the call of debug.Stack.
func stackCall() string {
	lines := bytes.SplitAfterN(debug.Stack(), []byte("\n"), 4)
	return string(lines[1]) + string(lines[2])
}

// PrintedStack returns what [debug.PrintStack] prints.
func PrintedStack() []byte {
	pc := reflect.ValueOf(debug.PrintStack).Pointer()
	file, line := runtime.FuncForPC(pc).FileLine(pc)
	// The call of debug.Stack follows the heading of the function.
	return trace(stackCall() + fmt.Sprintf("runtime/debug.PrintStack()\n\t%s:%d +0x1a\n", file, line+1))
}

// StackOf implements [runtime.Stack] for one goroutine.
func StackOf(buf []byte) int { return copy(buf, trace("")) }

// ownLabels matches the profiler labels of a cell in the first line of a trace, where the runtime
// shows those of the goroutine: goroutine 7 [running] {cell: 3, session: "kernel 1"}. A program has
// no such labels of its own.
var ownLabels = lazyregexp.New(` \{cell: [0-9]*, session: (?:"(?:[^"\\]|\\.)*"|[^"}]*)\}`)

// trace returns a stack trace in the form of the runtime. The line with the number of the goroutine
// is the runtime's own; first is what precedes the calls of cells.
//
// Programs parse these traces, for instance to shorten them, so the form is exactly that of the
// runtime, with an offset that is positive and small.
func trace(first string) []byte {
	var b bytes.Buffer
	var head [1024]byte
	line, _, _ := bytes.Cut(head[:runtime.Stack(head[:], false)], []byte("\n"))
	b.WriteString(ownLabels.ReplaceAllString(string(line), "") + "\n" + first)
	write(&b, calls())
	if t := machine.Current(); t != nil && t.Created != nil {
		created(&b, t, createdBy(debug.Stack()))
	}
	return b.Bytes()
}

// createdBy returns the number of the goroutine that has created another one, the last word of the
// last but one line of its trace.
func createdBy(trace []byte) string {
	lines := bytes.Split(bytes.TrimSpace(trace), []byte("\n"))
	words := bytes.Fields(lines[max(len(lines)-2, 0)])
	if len(words) == 0 {
		return "0"
	}
	return string(words[len(words)-1])
}

// created writes the lines of the go statement of cells that has created the goroutine of a thread.
func created(b *bytes.Buffer, t *machine.Thread, in string) {
	s := t.Created
	pc, file, line := call(machine.StackFrame{Func: s.Fn, File: s.File, Line: s.Line})
	fmt.Fprintf(b, "created by %s in goroutine %s\n\t%s:%d +0x%x\n", name(s.Fn), in, file, line, pc&0xff)
}

// Lines returns the lines of a stack trace, in the form of the runtime, for calls that have ended.
// The calls are innermost first.
func Lines(frames []machine.StackFrame) []string {
	var list []machine.StackFrame
	for _, f := range frames {
		if f.Func != nil && !f.Func.Wrapper {
			list = append(list, f)
		}
	}
	var b bytes.Buffer
	write(&b, list)
	text := strings.TrimSuffix(b.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// write writes the lines of calls.
func write(b *bytes.Buffer, list []machine.StackFrame) {
	for i, f := range list {
		if left := len(list) - mostFrames; left > 0 && i >= mostFrames/2 && i < mostFrames/2+left {
			if i == mostFrames/2 {
				fmt.Fprintf(b, "...%d frames elided...\n", left)
			}
			continue
		}
		pc, file, line := call(f)
		title, begin := "panic(...)", uintptr(0)
		switch {
		case f.Func == nil:
			begin = runtime.FuncForPC(pc - 1).Entry()
		case len(f.Func.Params) == 0:
			title, begin = name(f.Func)+"()", pc-1
		default:
			title, begin = name(f.Func)+"(...)", pc-1
		}
		fmt.Fprintf(b, "%s\n\t%s:%d +0x%x\n", title, file, line, pc-begin)
	}
}
