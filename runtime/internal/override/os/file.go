// Package os defines the type of the process's streams in cells. The type is named like the
// original, *os.File, because %T and panics show the names of packages and types.
package os

import (
	"io"
	system "os"
)

// A File replaces one of the process's streams in cells when an *os.File is converted to an
// interface type. It reads from and writes to the calling goroutine's cell instead of the process.
// It has all methods of *os.File, and type assertions to *os.File accept it.
type File struct {
	*system.File
	Out interface { // of the cell; nil for an input
		io.Writer
		io.StringWriter
	}
	In io.Reader // of the cell; nil for an output
}

// Write writes to the cell, or to the process's file if f is an input.
func (f *File) Write(p []byte) (int, error) {
	if f.Out == nil {
		return f.File.Write(p)
	}
	return f.Out.Write(p)
}

// WriteString is like Write for a string.
func (f *File) WriteString(s string) (int, error) {
	if f.Out == nil {
		return f.File.WriteString(s)
	}
	return f.Out.WriteString(s)
}

// ReadFrom copies r to the cell.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f.Out == nil {
		return f.File.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{f.Out}, r)
}

// Read reads the input of the cell.
func (f *File) Read(p []byte) (int, error) {
	if f.In == nil {
		return f.File.Read(p)
	}
	return f.In.Read(p)
}

// WriteTo copies the input of the cell to w.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	if f.In == nil {
		return f.File.WriteTo(w)
	}
	return io.Copy(w, struct{ io.Reader }{f.In})
}

// Sync does nothing: text is sent immediately.
func (f *File) Sync() error { return nil }

// Close does nothing: the streams belong to all cells.
func (f *File) Close() error { return nil }
