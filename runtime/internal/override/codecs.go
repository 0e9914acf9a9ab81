package override

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"sync"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/cycles"
	"gosphere/runtime/internal/guard/sharing"
)

// Encoders and decoders iterate over the maps of a value, as json.Marshal does, and so they hold
// the locks of the maps. But they also wait for a pipe or a connection, and code at the other end
// may need the same maps. They therefore release the locks while they read or write. Package
// encoding/xml needs no override, because it does not support maps.

// coding maps goroutines, as uintptr, to the locks (*sharing.MapLocks) of the encoder or decoder in
// progress. The writer of an encoder has no other way to find the call that uses it.
var coding sync.Map

// code calls an encoder or decoder while the maps of its argument are locked. Calls can be nested,
// because a MarshalJSON method may encode another value; the outer call's entry is then restored.
//
// The locks are found by goroutine, because the writer of an encoder is set when the encoder is
// made, long before a value is encoded.
func (g functions) code(writing bool, value any, call func() error) error {
	if !g.Sharing.Shared() {
		return call()
	}
	h := &sharing.MapLocks{Writing: writing, Goroutine: goroutine.Descriptor(), Values: []any{value}}
	before, nested := coding.Swap(h.Goroutine, h)
	defer func() {
		if nested {
			coding.Store(h.Goroutine, before)
		} else {
			coding.Delete(h.Goroutine)
		}
	}()
	defer h.Release()
	h.Acquire()
	return call()
}

// encode is code for an encoder that does not look for cycles itself. The search reads the same
// maps as the encoder, so it needs the locks, too.
func (g functions) encode(value any, call func() error) error {
	return g.code(false, value, func() error {
		cycles.Encode.Refuse(value)
		return call()
	})
}

// unheld releases the locks of the call in progress until again is called. Without a call in
// progress, for instance while only one goroutine exists, it does nothing.
func unheld() (again func()) {
	if h, ok := coding.Load(goroutine.Descriptor()); ok {
		h.(*sharing.MapLocks).Release()
		return h.(*sharing.MapLocks).Acquire
	}
	return func() {}
}

// An unheldWriter is the destination of an encoder. It releases the locks while it writes.
type unheldWriter struct{ w io.Writer }

func (u unheldWriter) Write(p []byte) (int, error) { defer unheld()(); return u.w.Write(p) }

// An unheldReader is the source of a decoder. It releases the locks while it reads.
type unheldReader struct{ r io.Reader }

func (u unheldReader) Read(p []byte) (int, error) { defer unheld()(); return u.r.Read(p) }

// An unheldByteReader is an unheldReader from which package gob reads no more bytes than it needs.
type unheldByteReader struct {
	unheldReader
	b io.ByteReader
}

func (u unheldByteReader) ReadByte() (byte, error) { defer unheld()(); return u.b.ReadByte() }

// readerOf returns a reader that releases the locks while it reads. It preserves the method
// ReadByte, without which package gob would buffer its input.
func readerOf(r io.Reader) io.Reader {
	if b, ok := r.(io.ByteReader); ok {
		return unheldByteReader{unheldReader{r}, b}
	}
	return unheldReader{r}
}

// A templateSet is a template of package text/template or html/template.
type templateSet interface {
	Execute(w io.Writer, data any) error
	ExecuteTemplate(w io.Writer, name string, data any) error
}

// fill executes a template while the maps of its data are locked, and writes the text afterward. A
// template may call functions of cells, but its output is complete in memory before the writer can
// block. Text that precedes an error is written, as the original would have written it.
//
// Without a second goroutine the template writes directly, so that output appears while it is
// executed.
func (g functions) fill(w io.Writer, data any, execute func(io.Writer) error) error {
	if !g.Sharing.Shared() {
		cycles.Template.Refuse(data)
		return execute(w)
	}
	var text bytes.Buffer
	err := func() error {
		defer g.Sharing.LockMaps(false, data)()
		cycles.Template.Refuse(data)
		return execute(&text)
	}()
	if _, failed := w.Write(text.Bytes()); failed != nil && text.Len() > 0 {
		return failed
	}
	return err
}

// execute implements Template.Execute of both packages.
func (g functions) execute(t templateSet, w io.Writer, data any) error {
	return g.fill(w, data, func(w io.Writer) error { return t.Execute(w, data) })
}

// executeNamed implements Template.ExecuteTemplate of both packages.
func (g functions) executeNamed(t templateSet, w io.Writer, name string, data any) error {
	return g.fill(w, data, func(w io.Writer) error { return t.ExecuteTemplate(w, name, data) })
}

// valueOf returns the value of v, or nil if v holds none that may be read.
func valueOf(v reflect.Value) any {
	if v.IsValid() && v.CanInterface() {
		return v.Interface()
	}
	return nil
}

// streamSupport returns the overrides of encoders and decoders of JSON.
func (g functions) streamSupport() map[string]any {
	return map[string]any{
		"JSONNewEncoder": func(w io.Writer) *json.Encoder { return json.NewEncoder(unheldWriter{w}) },
		"JSONNewDecoder": func(r io.Reader) *json.Decoder { return json.NewDecoder(unheldReader{r}) },
		"JSONEncode":     func(e *json.Encoder, v any) error { return g.code(false, v, func() error { return e.Encode(v) }) },
		"JSONDecode":     func(d *json.Decoder, v any) error { return g.code(true, v, func() error { return d.Decode(v) }) },
	}
}
