package panics

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A loop is an error that wraps itself.
type loop struct{}

func (l loop) Error() string { return "round" }
func (l loop) Unwrap() error { return l }

// A moody is an error whose methods panic.
type moody struct{ error }

func (moody) Unwrap() error { panic("not now") }

func TestReportsTellTypeAndCauses(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}
	cases := []struct {
		value any
		text  string
		lines []string
	}{
		{"boom", "boom", nil},
		{3, "3", nil},
		{fs.FileMode(0o644), "-rw-r--r--", []string{"    of type fs.FileMode"}},
		{errors.New("plain"), "plain", []string{"    of type *errors.errorString"}},
		{fmt.Errorf("reading: %w", missing), "reading: open x: no such file or directory", []string{
			"    of type *fmt.wrapError",
			"    caused by *fs.PathError: open x: no such file or directory",
			"      caused by syscall.Errno: no such file or directory"}},
		{errors.Join(errors.New("a"), fmt.Errorf("b: %w", errors.New("c"))), "a\nb: c", []string{
			"    of type *errors.joinError",
			"    caused by *errors.errorString: a",
			"    caused by *fmt.wrapError: b: c",
			"      caused by *errors.errorString: c"}},
		{fmt.Errorf("%w and %w", nil, errors.New("d")), "%!w(<nil>) and d", []string{
			"    of type *fmt.wrapErrors", "    caused by *errors.errorString: d"}},
		{&moody{errors.New("m")}, "m", []string{"    of type *panics.moody"}},
		{Misuse("no"), "no", nil},
	}
	for _, c := range cases {
		r := Describe(c.value)
		if r.Text != c.text || !slices.Equal(r.Lines(), c.lines) {
			t.Errorf("got  %q\n%s\nwant %q\n%s", r.Text, strings.Join(r.Lines(), "\n"), c.text, strings.Join(c.lines, "\n"))
		}
	}
}

func TestEndlessCausesAreCut(t *testing.T) {
	lines := Describe(loop{}).Lines()
	if len(lines) != maxCauseDepth+2 || strings.TrimSpace(lines[len(lines)-1]) != "caused by more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestMethodsThatPanicLeaveAText(t *testing.T) {
	var nothing *fs.PathError
	if got := Text(nothing); !strings.HasPrefix(got, "*fs.PathError (its Error method panics: ") {
		t.Errorf("got %q", got)
	}
}

// TestLongValuesAreCut describes panic values of megabytes, of every form.
func TestLongValuesAreCut(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	type named string
	type record struct{ a, b string }
	for name, value := range map[string]any{
		"a string": long, "a named string": named(long), "an error": errors.New(long), "a struct": record{long, long}, "bytes": []byte(long),
		"a cause": fmt.Errorf("outer: %w", errors.New(long)), "causes": errors.Join(errors.New(long), errors.New(long)), "an element": []any{1, long},
	} {
		r := Describe(value)
		if size := len(r.Text) + len(strings.Join(r.Lines(), "\n")); size > 200<<10 || size < 32<<10 {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
}
