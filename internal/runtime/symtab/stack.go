package symtab

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
)

// mostFrames is the largest number of calls in a stack trace, half of them from each end. It is
// that of the runtime.
const mostFrames = 100

// Stack implements [debug.Stack].
func Stack() []byte {
	pc := reflect.ValueOf(debug.Stack).Pointer()
	file, line := runtime.FuncForPC(pc).FileLine(pc)
	return trace(fmt.Sprintf("runtime/debug.Stack()\n\t%s:%d +0x0\n", file, line))
}

// StackOf implements [runtime.Stack], which writes only the calling goroutine.
func StackOf(buf []byte, _ bool) int { return copy(buf, trace("")) }

// trace returns a stack trace in the form of the runtime. The line with the number of the goroutine
// is the runtime's own; first is what precedes the calls of cells.
//
// Programs parse these traces, for instance to shorten them, so the form is exactly that of the
// runtime, with an offset that is positive and small.
func trace(first string) []byte {
	var b bytes.Buffer
	var head [64]byte
	line, _, _ := bytes.Cut(head[:runtime.Stack(head[:], false)], []byte("\n"))
	b.Write(line)
	b.WriteString("\n" + first)
	list := calls()
	for i, f := range list {
		if left := len(list) - mostFrames; left > 0 && i >= mostFrames/2 && i < mostFrames/2+left {
			if i == mostFrames/2 {
				fmt.Fprintf(&b, "...%d frames elided...\n", left)
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
		fmt.Fprintf(&b, "%s\n\t%s:%d +0x%x\n", title, file, line, pc-begin)
	}
	return b.Bytes()
}
