package override

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"

	"gosphere/runtime/internal/guard/cycles"
	"gosphere/runtime/internal/guard/streams"
	"gosphere/runtime/internal/symtab"
)

// sprint formats values while their maps are locked. Callers write the text after sprint has
// released the locks, because the writer may block. fmt iterates over maps. If another goroutine
// writes to one of them, the runtime ends the process with "concurrent map iteration and map
// write", where a program of its own would have ended as well. Here the session has to survive.
//
// A single goroutine needs no lock, so the test comes first: Shared is one atomic load.
func (g functions) sprint(values ...any) string {
	if g.Sharing.Shared() {
		defer g.Sharing.LockMaps(false, values...)()
	}
	cycles.Format.Refuse(values...)
	return fmt.Sprint(symtab.Printable(values)...)
}

// sprintln is like sprint with the format of fmt.Sprintln.
func (g functions) sprintln(values ...any) string {
	if g.Sharing.Shared() {
		defer g.Sharing.LockMaps(false, values...)()
	}
	cycles.Format.Refuse(values...)
	return fmt.Sprintln(symtab.Printable(values)...)
}

// sprintf is like sprint with a format.
func (g functions) sprintf(format string, values ...any) string {
	if g.Sharing.Shared() {
		defer g.Sharing.LockMaps(false, values...)()
	}
	cycles.RefuseInFormat(format, values...)
	return fmt.Sprintf(format, symtab.Printable(values)...)
}

// errorf implements fmt.Errorf. The result keeps the operands of %w.
//
// The error is made while the locks are held, since it keeps the text and not the operands of other
// verbs.
func (g functions) errorf(format string, values ...any) error {
	defer g.Sharing.LockMaps(false, values...)()
	cycles.RefuseInFormat(format, values...)
	return fmt.Errorf(format, symtab.Printable(values)...)
}

// holdingOverrides maps compiled functions that iterate over maps to their overrides, which
// holdingSupport returns.
var holdingOverrides = map[string]string{
	"fmt.Sprint": "FmtSprint", "fmt.Sprintf": "FmtSprintf", "fmt.Sprintln": "FmtSprintln", "fmt.Errorf": "FmtErrorf",
	"fmt.Append": "FmtAppend", "fmt.Appendf": "FmtAppendf", "fmt.Appendln": "FmtAppendln",
	"fmt.Fprint": "FmtFprint", "fmt.Fprintf": "FmtFprintf", "fmt.Fprintln": "FmtFprintln",
	"encoding/json.NewEncoder": "JSONNewEncoder", "encoding/json.NewDecoder": "JSONNewDecoder",
	"encoding/json.Marshal": "JSONMarshal", "encoding/json.MarshalIndent": "JSONMarshalIndent", "encoding/json.Unmarshal": "JSONUnmarshal",
	"reflect.DeepEqual": "DeepEqual",
}

// holdingSupport returns the overrides that hold map locks during a complete call.
func (g functions) holdingSupport() map[string]any {
	sprint, sprintf, sprintln := g.sprint, g.sprintf, g.sprintln
	functions := map[string]any{
		"FmtSprint": sprint, "FmtSprintf": sprintf, "FmtSprintln": sprintln,
		"FmtPrint": func(a ...any) (int, error) { return io.WriteString(streams.Stdout, sprint(a...)) },
		"FmtPrintf": func(format string, a ...any) (int, error) {
			return io.WriteString(streams.Stdout, sprintf(format, a...))
		},
		"FmtPrintln":  func(a ...any) (int, error) { return io.WriteString(streams.Stdout, sprintln(a...)) },
		"FmtFprint":   func(w io.Writer, a ...any) (int, error) { return w.Write([]byte(sprint(a...))) },
		"FmtFprintf":  func(w io.Writer, format string, a ...any) (int, error) { return w.Write([]byte(sprintf(format, a...))) },
		"FmtFprintln": func(w io.Writer, a ...any) (int, error) { return w.Write([]byte(sprintln(a...))) },
		"FmtAppend":   func(b []byte, a ...any) []byte { return append(b, sprint(a...)...) },
		"FmtAppendf":  func(b []byte, format string, a ...any) []byte { return append(b, sprintf(format, a...)...) },
		"FmtAppendln": func(b []byte, a ...any) []byte { return append(b, sprintln(a...)...) },
		"FmtErrorf":   g.errorf,
		"JSONMarshal": func(v any) ([]byte, error) { defer g.Sharing.LockMaps(false, v)(); return json.Marshal(v) },
		"JSONMarshalIndent": func(v any, prefix, indent string) ([]byte, error) {
			defer g.Sharing.LockMaps(false, v)()
			return json.MarshalIndent(v, prefix, indent)
		},
		"JSONUnmarshal": func(data []byte, v any) error { defer g.Sharing.LockMaps(true, v)(); return json.Unmarshal(data, v) },
		"DeepEqual":     func(x, y any) bool { defer g.Sharing.LockMaps(false, x, y)(); return reflect.DeepEqual(x, y) },
	}
	maps.Copy(functions, g.streamSupport())
	return functions
}
