// Package programs has programs that tests of package exec run compiled and as cells.
package programs

import (
	"fmt"
	"strings"
)

// A result collects lines.
type result struct{ lines []string }

func (r *result) add(values ...any) {
	r.lines = append(r.lines, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
}

func (r *result) text() string { return strings.Join(r.lines, "\n") }

// try calls a function and returns the text of its panic, "" for none.
func try(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("panic %T: %v", v, v)
		}
	}()
	f()
	return ""
}

type point struct{ X, Y int }

type text string

type failure struct{ code int }

func (f *failure) Error() string { return fmt.Sprint("failure ", f.code) }

type wholeNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// passed returns its argument.
func passed[T any](v T) T { return v }
