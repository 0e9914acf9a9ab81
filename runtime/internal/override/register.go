package override

import (
	"io"
	"maps"

	"gosphere/runtime/internal/symtab"
)

// Packages of modules have overrides as well. The package that has them registers them, so that a
// program without these modules does not contain them.

var (
	registered      []func(Tools) map[string]any
	registeredNames = map[string]string{}
)

// Register adds overrides. names maps functions, in the form PATH.NAME, and methods, in the form of
// types.Func.FullName, to the names of their overrides, which support returns for a session. It
// must be called before the first session is made, as by an init function.
func Register(names map[string]string, support func(Tools) map[string]any) {
	registered = append(registered, support)
	maps.Copy(registeredNames, names)
}

// Tools are what overrides need of their session.
type Tools struct{ g functions }

// Held locks the maps in values against other goroutines of cells until release is called.
func (t Tools) Held(writing bool, values ...any) (release func()) {
	if !t.g.Sharing.Shared() {
		return func() {}
	}
	return t.g.Sharing.LockMaps(writing, values...)
}

// Encode calls a function that encodes a value, whose maps are locked meanwhile, except while a
// writer of Writer is called. A value that contains itself panics.
func (t Tools) Encode(value any, call func() error) error { return t.g.encode(value, call) }

// Code calls a function that encodes or decodes, which is writing, a value.
func (t Tools) Code(writing bool, value any, call func() error) error {
	return t.g.code(writing, value, call)
}

// Writer returns a writer that releases the locks while it writes.
func (Tools) Writer(w io.Writer) io.Writer { return unheldWriter{w} }

// Traced returns a stack trace with the calls of cells in it.
func (Tools) Traced(trace string) string { return string(symtab.Translate([]byte(trace))) }

// Reader returns a reader that releases the locks while it reads.
func (Tools) Reader(r io.Reader) io.Reader { return unheldReader{r} }
