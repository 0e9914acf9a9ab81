package gotest

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gosphere/runtime/internal/gotest/suite"
	"gosphere/runtime/internal/guard/cycles"
)

// helpers are the functions that have called Helper, by name. Package testing keeps its own list by
// program counters, which are those of the interpreter here.
var helpers sync.Map

// logging adds the methods that log a line with its position. Package testing would report
// positions in the code that runs cells.
func logging(methods map[string]any, calls func() []suite.Call) {
	logged := func(t *testing.T, text string) { logged(calls(), t, text) }
	// The receivers are those of the embedded type common, from which T, B and F get these methods.
	methods["(*testing.common).Helper"] = func(*testing.T) {
		if calls := calls(); len(calls) > 0 {
			helpers.Store(calls[0].Func, true)
		}
	}
	methods["(*testing.common).Log"] = func(t *testing.T, a ...any) { logged(t, sprintln(a...)) }
	methods["(*testing.common).Logf"] = func(t *testing.T, format string, a ...any) { logged(t, sprintf(format, a...)) }
	methods["(*testing.common).Error"] = func(t *testing.T, a ...any) { logged(t, sprintln(a...)); t.Fail() }
	methods["(*testing.common).Errorf"] = func(t *testing.T, format string, a ...any) { logged(t, sprintf(format, a...)); t.Fail() }
	methods["(*testing.common).Fatal"] = func(t *testing.T, a ...any) { logged(t, sprintln(a...)); t.FailNow() }
	methods["(*testing.common).Fatalf"] = func(t *testing.T, format string, a ...any) { logged(t, sprintf(format, a...)); t.FailNow() }
	methods["(*testing.common).Skip"] = func(t *testing.T, a ...any) { logged(t, sprintln(a...)); t.SkipNow() }
	methods["(*testing.common).Skipf"] = func(t *testing.T, format string, a ...any) { logged(t, sprintf(format, a...)); t.SkipNow() }
}

// sprintln and sprintf panic for a value that contains itself, for which fmt would use up the
// stack.
func sprintln(a ...any) string {
	cycles.Format.Refuse(a...)
	return fmt.Sprintln(a...)
}

func sprintf(format string, a ...any) string {
	cycles.RefuseInFormat(format, a...)
	return fmt.Sprintf(format, a...)
}

// logged writes a text as t.Log does. T may be the common part of any kind of test, so only its
// methods may be called. The position is that of the innermost call that is not in a helper.
// Continuation lines are indented as by package testing. For instance "sum_test.go:12: got 3, want
// 4".
func logged(calls []suite.Call, t *testing.T, text string) {
	place := ""
	for _, c := range calls {
		if _, helps := helpers.Load(c.Func); !helps {
			place = fmt.Sprintf("%s:%d: ", filepath.Base(c.File), c.Line)
			break
		}
	}
	fmt.Fprintln(t.Output(), place+strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    "))
}
