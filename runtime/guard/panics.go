package guard

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// A Frame is one function of the emitted code on the way of a panic or a stack overflow.
type Frame struct {
	File     string // Cell [3]
	Line     int    // where the function begins
	Function string // engine name
	// Calling is the line that was noted last when the function made the call that the frame
	// before tells about; 0 if unknown. Only frames of a stack overflow have it.
	Calling int
	// Text describes the frame where that is known; the session writes it as it is.
	Text string
}

// traces collects what the interpreter says about panics, by goroutine. It is the writer
// that the engine is made with.
type traces struct {
	mu     sync.Mutex
	frames map[uintptr][]Frame
	lines  map[uintptr]int
	past   map[uintptr]trace // of panics that deferred calls in progress have recovered

	entries map[uintptr][]entry // near the end of the stack, see overflow.go
}

// A trace is what the interpreter has said about one panic.
type trace struct {
	frames []Frame
	line   int // of the statement that panicked
}

// Trace returns the writer to make the engine with.
func (g *Guard) Trace() *TraceWriter { return &TraceWriter{g} }

// A TraceWriter reads the interpreter's frames of a panic. The interpreter writes one line
// for each interpreted function, on the goroutine that panics.
type TraceWriter struct{ guard *Guard }

var frameLine = regexp.MustCompile(`^(?:(.*):)?(\d+):\d+: panic: main\.(\S*)\(\.\.\.\)`)

// Write notes one frame.
func (w *TraceWriter) Write(p []byte) (int, error) {
	if m := frameLine.FindStringSubmatch(string(p)); m != nil {
		line, _ := strconv.Atoi(m[2])
		w.guard.trace.add(w.guard, Frame{File: m[1], Line: line, Function: m[3]})
	}
	return len(p), nil
}

// maxFrames bounds what is kept of a deep recursion.
const maxFrames = 1000

func (t *traces) add(g *Guard, f Frame) {
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frames == nil {
		t.frames, t.lines, t.past = map[uintptr][]Frame{}, map[uintptr]int{}, map[uintptr]trace{}
	}
	if len(t.frames[id]) == 0 {
		t.lines[id] = *g.line
	}
	if len(t.frames[id]) < maxFrames {
		t.frames[id] = append(t.frames[id], f)
	}
}

// take returns and forgets the frames of the calling goroutine.
func (t *traces) take(g *Guard) ([]Frame, int) {
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	frames, line := t.frames[id], t.lines[id]
	delete(t.frames, id)
	delete(t.lines, id)
	return frames, line
}

// recovered keeps the frames of the calling goroutine until forget: its panic is over, but
// the deferred call may ask for the stack.
func (t *traces) recovered(g *Guard) {
	frames, line := t.take(g)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.past != nil {
		t.past[goroutine()] = trace{frames, line}
	}
}

func (t *traces) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.past, goroutine())
}

// last returns the frames of the panic in progress on the calling goroutine, or of the one
// that was recovered last.
func (t *traces) last() ([]Frame, int) {
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	if frames := t.frames[id]; len(frames) > 0 {
		return frames, t.lines[id]
	}
	return t.past[id].frames, t.past[id].line
}

func (t *traces) clear() {
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.frames, id)
	delete(t.lines, id)
	delete(t.entries, id)
}

// A runtimeError is an error that compiled Go would have got from its runtime.
type runtimeError string

func (e runtimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError marks it as one of the runtime's errors.
func (e runtimeError) RuntimeError() {}

const nilDereference = runtimeError("invalid memory address or nil pointer dereference")

// reflectTexts are what package reflect, with which the interpreter works, says where
// compiled Go has a runtime error.
var reflectTexts = map[string]error{
	"reflect: slice index out of range":                              boundsError{"index out of range"},
	"reflect: array index out of range":                              boundsError{"index out of range"},
	"reflect: string index out of range":                             boundsError{"index out of range"},
	"reflect.Value.Index: slice index out of range":                  boundsError{"index out of range"},
	"reflect.Value.Slice: slice index out of bounds":                 boundsError{"slice bounds out of range"},
	"reflect.Value.Slice: string slice index out of bounds":          boundsError{"slice bounds out of range"},
	"reflect.Value.Slice3: slice index out of bounds":                boundsError{"slice bounds out of range"},
	"reflect.Value.Call: call of nil function":                       nilDereference,
	"reflect: call of nil function":                                  nilDereference,
	"reflect: Call using zero Value argument":                        nilDereference,
	"reflect: Method on nil interface value":                         nilDereference,
	"reflect.Append: slice overflow":                                 runtimeError("growslice: len out of range"),
	"reflect.Value.Grow: slice overflow":                             runtimeError("growslice: len out of range"),
	"reflect.MakeSlice: negative len":                                runtimeError("makeslice: len out of range"),
	"reflect.MakeSlice: negative cap":                                runtimeError("makeslice: cap out of range"),
	"reflect.MakeSlice: len > cap":                                   runtimeError("makeslice: cap out of range"),
	"reflect: call of reflect.Value.Elem on zero Value":              nilDereference,
	"reflect.Value.Slice: slice of unaddressable array":              runtimeError("slice of unaddressable array"),
	"reflect: indirection through nil pointer to embedded struct":    nilDereference,
	"reflect.Value.Interface: cannot return value obtained from nil": nilDereference,
}

var (
	hiddenMethod    = regexp.MustCompile(`Ψ([\pL\d_]+?)(?:ˑ[0-9a-f]+)?(?:$|\b)`)
	arrayConversion = regexp.MustCompile(`^reflect: cannot convert slice with length (\d+) to (?:pointer to )?array with length (\d+)$`)
	interfacePlace  = regexp.MustCompile(`^(?:.*:)?\d+:\d+: (interface conversion: .*)$`)
)

// Value returns the value of a panic as recover gives it in compiled Go.
func Value(value any) any {
	switch v := value.(type) {
	case runtime.Error:
		return v
	case *reflect.ValueError:
		if v.Kind == reflect.Invalid {
			return nilDereference
		}
	case string:
		if known, ok := translate(v); ok {
			return known
		}
	case error:
		if fromCell(reflect.TypeOf(v)) {
			return value // its Error method is the user's, and may panic itself
		}
		if known, ok := translate(errorText(v)); ok {
			return known
		}
	}
	return value
}

// fromCell tells whether a type, or what it points to, is declared in a cell.
func fromCell(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "main"
}

func translate(text string) (error, bool) {
	if known, ok := reflectTexts[text]; ok {
		return known, true
	}
	if strings.HasPrefix(text, "reflect: call of ") && strings.HasSuffix(text, " on zero Value") {
		return nilDereference, true
	}
	if strings.HasSuffix(text, "MakeChan: negative buffer size") {
		return plainError("makechan: size out of range"), true
	}
	if kind, ok := strings.CutPrefix(text, "hash of unhashable type: "); ok {
		return runtimeError("hash of unhashable type " + kind), true
	}
	if m := arrayConversion.FindStringSubmatch(text); m != nil {
		return boundsError{fmt.Sprintf("cannot convert slice with length %s to array or pointer to array with length %s", m[1], m[2])}, true
	}
	if m := interfacePlace.FindStringSubmatch(text); m != nil {
		return &assertionError{hiddenMethod.ReplaceAllString(m[1], "$1")}, true
	}
	return nil, false
}

// A boundsError is an index or a length that does not fit. Like the other errors here it is
// of the kind that the runtime's has: package fmt puts no space beside strings.
type boundsError struct{ text string }

func (e boundsError) Error() string { return "runtime error: " + e.text }

// RuntimeError marks it as one of the runtime's errors.
func (e boundsError) RuntimeError() {}

// An assertionError is a failed type assertion.
type assertionError struct{ text string }

func (e *assertionError) Error() string { return e.text }

// RuntimeError marks it as one of the runtime's errors.
func (e *assertionError) RuntimeError() {}

// A plainError is an error of the runtime without the words before it.
type plainError string

func (e plainError) Error() string { return string(e) }

// RuntimeError marks it as one of the runtime's errors.
func (e plainError) RuntimeError() {}

// PanicText is the text that a Go program prints for the value of a panic, without
// "panic: " before it.
func PanicText(value any) string {
	switch v := value.(type) {
	case error:
		return errorText(v)
	case fmt.Stringer:
		return textOf(v, "String", v.String)
	case string:
		return v
	case nil:
		return "nil"
	}
	t := reflect.TypeOf(value)
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		if t.PkgPath() != "" {
			return fmt.Sprintf("%s(%v)", t, value)
		}
		return fmt.Sprintf("%v", value)
	case reflect.String:
		return fmt.Sprintf("%s(%q)", t, value)
	}
	return fmt.Sprintf("%s %+v", t, value)
}

// errorText is the text of an error.
func errorText(err error) string { return textOf(err, "Error", err.Error) }

// textOf is the text that a method gives, which may panic itself.
func textOf(value any, method string, call func() string) (text string) {
	ended := false
	defer func() {
		if r := recover(); r != nil && !ended {
			text = fmt.Sprintf("%T (its %s method panics: %v)", value, method, r)
		}
	}()
	text, ended = call(), true
	return text
}

// IsRuntimeError tells whether the value of a panic is an error of the runtime.
func IsRuntimeError(value any) bool {
	_, ok := value.(runtime.Error)
	return ok
}

// report tells about a panic on a goroutine that nobody waits for.
func (g *Guard) report(value any, frames []Frame, line int) {
	c := Current()
	if c == nil {
		return
	}
	var b strings.Builder
	r := ReportPanic(Value(value))
	fmt.Fprintf(&b, "panic in a goroutine: %s\n", r.Text)
	for _, text := range r.Lines() {
		fmt.Fprintln(&b, text)
	}
	for _, text := range g.Describe(frames, line) {
		fmt.Fprintf(&b, "    %s\n", text)
	}
	c.Write("stderr", b.String())
}

// Describe writes frames as lines; the session replaces it by one that knows the names.
func (g *Guard) Describe(frames []Frame, line int) []string {
	if g.describe == nil {
		return nil
	}
	return g.describe(frames, line)
}

// DescribeBy sets how frames are written.
func (g *Guard) DescribeBy(describe func(frames []Frame, line int) []string) { g.describe = describe }
