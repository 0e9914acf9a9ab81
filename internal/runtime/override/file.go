package override

import (
	"io"
	"os"
	"unsafe"

	"gosphere/internal/runtime/guard"
	files "gosphere/internal/runtime/override/os"
)

// File is the type of the process's streams in cells.
type File = files.File

// The streams of the process, whatever the variables os.Stdin, os.Stdout and os.Stderr hold.
var (
	fileIn  = &File{File: os.Stdin, In: &guard.Reader{Process: os.Stdin}}
	fileOut = &File{File: os.Stdout, Out: guard.NewWriter("stdout", os.Stdout)}
	fileErr = &File{File: os.Stderr, Out: guard.NewWriter("stderr", os.Stderr)}
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

// StandIns returns how the process's streams become interface values and how they are found in
// them: a pointer to an os.File becomes one to a File if it is a stream.
func StandIns() (box, unbox func(p unsafe.Pointer) unsafe.Pointer) {
	box = func(p unsafe.Pointer) unsafe.Pointer {
		if s := streamOf((*os.File)(p)); s != nil && p != nil {
			return unsafe.Pointer(s)
		}
		return nil
	}
	unbox = func(p unsafe.Pointer) unsafe.Pointer { return unsafe.Pointer((*File)(p).File) }
	return box, unbox
}
