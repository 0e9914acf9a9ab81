package guard

import (
	"io"
	"os"
)

// A File is what cells have for one of the process's streams wherever a *os.File becomes an
// interface value: the calling goroutine's cell reads and writes there, and not the
// process. It has all methods of *os.File, and assertions take it for one.
type File struct {
	*os.File
	out *Writer
	in  *Reader
}

// The streams of the process, whatever the variables os.Stdin, os.Stdout and os.Stderr hold.
var (
	fileIn  = &File{os.Stdin, nil, &Reader{process: os.Stdin}}
	fileOut = &File{os.Stdout, &Writer{name: "stdout", process: os.Stdout}, nil}
	fileErr = &File{os.Stderr, &Writer{name: "stderr", process: os.Stderr}, nil}
)

// streamOf finds the stream that a file is; nil for other files.
func streamOf(f *os.File) *File {
	switch f {
	case fileOut.File:
		return fileOut
	case fileErr.File:
		return fileErr
	case fileIn.File:
		return fileIn
	}
	return nil
}

// fileValue is the interface value of a file.
func fileValue(f *os.File) any {
	if s := streamOf(f); s != nil && f != nil {
		return s
	}
	return f
}

// asFile is v.(*os.File) with two results.
func asFile(v any) (*os.File, bool) {
	if s, ok := v.(*File); ok {
		return s.File, true
	}
	f, ok := v.(*os.File)
	return f, ok
}

// mustFile is v.(*os.File).
func mustFile(v any) *os.File {
	if s, ok := v.(*File); ok {
		return s.File
	}
	return v.(*os.File)
}

// Write writes to the cell, or where the process would if this is its input.
func (f *File) Write(p []byte) (int, error) {
	if f.out == nil {
		return f.File.Write(p)
	}
	return f.out.Write(p)
}

// WriteString is Write for a string.
func (f *File) WriteString(s string) (int, error) {
	if f.out == nil {
		return f.File.WriteString(s)
	}
	return f.out.WriteString(s)
}

// ReadFrom copies r to the cell.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f.out == nil {
		return f.File.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{f.out}, r)
}

// Read reads the input of the cell.
func (f *File) Read(p []byte) (int, error) {
	if f.in == nil {
		return f.File.Read(p)
	}
	return f.in.Read(p)
}

// WriteTo copies the input of the cell to w.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	if f.in == nil {
		return f.File.WriteTo(w)
	}
	return io.Copy(w, struct{ io.Reader }{f.in})
}

// Sync does nothing: text is sent at once.
func (f *File) Sync() error { return nil }

// Close does nothing: the streams belong to all cells.
func (f *File) Close() error { return nil }

// fileSupport are the methods of *os.File that the streams of a cell have in their own way.
func fileSupport() map[string]any {
	return map[string]any{
		"File": fileValue, "AsFile": asFile, "MustFile": mustFile,
		"FileWrite": func(f *os.File, p []byte) (int, error) {
			if s := streamOf(f); s != nil {
				return s.Write(p)
			}
			return f.Write(p)
		},
		"FileWriteString": func(f *os.File, text string) (int, error) {
			if s := streamOf(f); s != nil {
				return s.WriteString(text)
			}
			return f.WriteString(text)
		},
		"FileReadFrom": func(f *os.File, r io.Reader) (int64, error) {
			if s := streamOf(f); s != nil {
				return s.ReadFrom(r)
			}
			return f.ReadFrom(r)
		},
		"FileRead": func(f *os.File, p []byte) (int, error) {
			if s := streamOf(f); s != nil {
				return s.Read(p)
			}
			return f.Read(p)
		},
		"FileWriteTo": func(f *os.File, w io.Writer) (int64, error) {
			if s := streamOf(f); s != nil {
				return s.WriteTo(w)
			}
			return f.WriteTo(w)
		},
		"FileSync": func(f *os.File) error {
			if s := streamOf(f); s != nil {
				return s.Sync()
			}
			return f.Sync()
		},
		"FileClose": func(f *os.File) error {
			if s := streamOf(f); s != nil {
				return s.Close()
			}
			return f.Close()
		},
	}
}
