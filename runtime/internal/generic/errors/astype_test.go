package errors

import (
	standard "errors"
	"fmt"
	"io"
	"io/fs"
	"testing"
)

type coded int

func (c coded) Error() string { return fmt.Sprint("code ", int(c)) }

// converting is an error that can be converted to another type by As.
type converting struct{}

func (converting) Error() string { return "converting" }
func (converting) As(target any) bool {
	if p, ok := target.(*coded); ok {
		*p = 99
		return true
	}
	return false
}

// hollow is an error whose Unwrap method returns nil.
type hollow struct{}

func (hollow) Error() string { return "hollow" }
func (hollow) Unwrap() error { return nil }

func TestAsTypeAgrees(t *testing.T) {
	path := &fs.PathError{Op: "open", Path: "x", Err: coded(7)}
	for _, err := range []error{
		nil, io.EOF, coded(1), fmt.Errorf("outer: %w", coded(2)), path, fmt.Errorf("a: %w", path), converting{}, hollow{},
		standard.Join(io.EOF, coded(3), coded(4)), fmt.Errorf("%w and %w", hollow{}, fmt.Errorf("inner: %w", coded(5))),
		standard.Join(io.EOF, standard.Join(hollow{}, converting{}), coded(6)), standard.Join(io.EOF),
	} {
		agree[coded](t, err)
		agree[*fs.PathError](t, err)
		agree[hollow](t, err)
		agree[interface {
			error
			Unwrap() error
		}](t, err)
	}
}

func agree[E error](t *testing.T, err error) {
	t.Helper()
	got, ok := AsType[E](err)
	want, found := standard.AsType[E](err)
	if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) || ok != found {
		t.Errorf("AsType[%T](%v) = %v, %v, want %v, %v", want, err, got, ok, want, found)
	}
}
