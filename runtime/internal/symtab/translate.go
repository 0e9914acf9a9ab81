package symtab

import (
	"bytes"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/machine"
)

// ownPackages is the prefix of the packages that calls of cells are made of.
var ownPackages = path.Dir(path.Dir(reflect.TypeFor[machine.Thread]().PkgPath())) + "/"

// Translate returns a text in which stack traces that compiled code has got from the runtime show
// the calls of cells in place of those of the machine. A text without such calls is returned as it
// is. The traces of other goroutines than the calling one have calls of cells only where these
// goroutines wait.
func Translate(text []byte) []byte {
	if !bytes.Contains(text, []byte("\n"+ownPackages)) {
		return text
	}
	var b bytes.Buffer
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := 0; i < len(lines); {
		title := traceBegins.FindStringSubmatch(string(lines[i]))
		if title == nil {
			b.Write(lines[i])
			i++
			continue
		}
		number, _ := strconv.ParseUint(title[1], 10, 64)
		first := i
		i++
		var entries []traceEntry
		below := false // the engine, which has called the cell
		for i < len(lines) && !traceEnds(lines[i]) {
			n := 1
			if i+1 < len(lines) && bytes.HasPrefix(lines[i+1], []byte("\t")) {
				n = 2
			}
			e := newEntry(lines[i : i+n])
			below = below || e.kind == engineCall
			// A goroutine that cells have started was started by the machine.
			if !below && !strings.HasPrefix(e.text, "created by "+ownPackages) {
				entries = append(entries, e)
			}
			i += n
		}
		t := machine.ThreadOf(number)
		calls, waiting := callsOf(t, entries)
		heading := ownLabels.ReplaceAllString(title[0], "")
		if waiting != "" { // the machine waits in a select statement
			heading = strings.Replace(heading, "[select", "["+waiting, 1)
		}
		b.WriteString(heading)
		if translate(&b, entries, calls) && t != nil && t.Created != nil {
			created(&b, t, createdBy(bytes.Join(lines[first:i], nil)))
		}
	}
	return b.Bytes()
}

// waits are the runtime's words for operations that wait.
var waits = map[string]string{"a receive": "chan receive", "a send": "chan send", "time.Sleep": "sleep"}

// callsOf returns the calls of cells in a trace of the goroutine of a thread, which is nil if the
// goroutine runs no code of cells, and the runtime's word for the operation that it waits for, or
// "".
func callsOf(t *machine.Thread, entries []traceEntry) (calls []machine.StackFrame, waiting string) {
	if t != machine.Current() {
		if t == nil {
			return nil, ""
		}
		operation, list, ok := t.Observed()
		if !ok {
			return nil, ""
		}
		return visible(list), waits[operation]
	}
	return currentCalls(entries), ""
}

// currentCalls returns the calls of cells in a trace of the calling goroutine.
func currentCalls(entries []traceEntry) []machine.StackFrame {
	for _, e := range entries {
		if strings.HasPrefix(e.text, "panic(") { // the machine has left the calls
			return visible(machine.Escaped())
		}
		if e.kind == machineCall {
			break
		}
	}
	return calls()
}

// traceBegins matches the first line of a trace, such as goroutine 7 [running]:.
var traceBegins = lazyregexp.New(`^goroutine (\d+) \[.*:\n?$`)

func traceEnds(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// A traceEntry is a call in a trace, usually of two lines.
type traceEntry struct {
	text string
	kind entryKind
}

type entryKind int

const (
	compiledCall entryKind = iota
	machineCall
	reflectCall // of package reflect, part of calls from and to the machine
	engineCall
	runtimeCall // such as that of the function that panics
)

func newEntry(lines [][]byte) traceEntry {
	e := traceEntry{text: string(bytes.Join(lines, nil))}
	switch name, _, _ := strings.Cut(e.text, "("); {
	case strings.HasPrefix(name, ownPackages):
		e.kind = machineCall
	case strings.HasPrefix(name, "github.com/traefik/yaegi/"):
		e.kind = engineCall
	case slices.Contains([]string{"reflect.callReflect", "reflect.makeFuncStub", "reflect.Value.Call", "reflect.Value.call", "reflect.rselect"}, name):
		e.kind = reflectCall
	case name == "panic", strings.HasPrefix(name, "runtime."), strings.HasPrefix(name, "..."):
		e.kind = runtimeCall
	}
	return e
}

// translate writes the entries of a trace. Each sequence of calls of the machine stands for calls
// of cells: those from one entry by compiled code to the next call of compiled code.
//
// The result reports whether the trace ends with calls of cells.
func translate(b *bytes.Buffer, entries []traceEntry, calls []machine.StackFrame) (ends bool) {
	runs := 0
	for i := 0; i < len(entries); {
		if n := run(entries[i:]); n > 0 {
			runs++
			i += n
			continue
		}
		i++
	}
	parts := divide(calls, runs)
	for i := 0; i < len(entries); {
		n := run(entries[i:])
		if n == 0 {
			b.WriteString(entries[i].text)
			i++
			continue
		}
		if i += n; len(parts) == 0 {
			continue
		}
		write(b, parts[0])
		if parts = parts[1:]; len(parts) == 0 && !calls[len(calls)-1].Entered {
			return true // the calls below are those of this program that run the cell
		}
	}
	return len(calls) > 0 && !calls[len(calls)-1].Entered
}

// run returns the number of entries with which a trace begins that belong to the machine. Calls of
// package reflect belong to it if they are next to its own.
func run(entries []traceEntry) int {
	last, own := 0, false
	for i, e := range entries {
		switch {
		case e.kind == machineCall:
			last, own = i+1, true
		case e.kind == reflectCall:
			if own && last == i && !strings.HasPrefix(e.text, "reflect.Value.") { // they have called the machine
				last = i + 1
			}
		case e.kind == compiledCall, !own:
			if own {
				return last
			}
			return 0
		}
	}
	if own {
		return last
	}
	return 0
}

// divide divides calls of cells where compiled code has made a call, into a number of parts. The
// trace may have fewer: calls that have deferred others have ended when a panic leaves the machine,
// with the compiled code that they have called, and the runtime leaves out the middle of a deep
// stack. Then the first part has all calls that no later one has.
func divide(calls []machine.StackFrame, parts int) [][]machine.StackFrame {
	var list [][]machine.StackFrame
	begin := 0
	for i, f := range calls {
		if f.Entered || i == len(calls)-1 {
			list = append(list, calls[begin:i+1])
			begin = i + 1
		}
	}
	for len(list) > max(parts, 1) {
		list[1] = calls[:len(list[0])+len(list[1])]
		list = list[1:]
	}
	return list
}
