package override

import (
	"io"
	"os"
	"unsafe"

	"gosphere/runtime/internal/guard/streams"
	files "gosphere/runtime/internal/override/os"
)

// File is the type of the process's streams in cells. The package os of this module declares it,
// because its name appears in the output of %T.
type File = files.File

// The streams of the process, independent of the variables os.Stdin, os.Stdout and os.Stderr.
var (
	fileIn  = &File{File: os.Stdin, In: &streams.Reader{Process: os.Stdin}}
	fileOut = &File{File: os.Stdout, Out: streams.NewWriter("stdout", os.Stdout)}
	fileErr = &File{File: os.Stderr, Out: streams.NewWriter("stderr", os.Stderr)}
)

// streamOf returns the stream for a file, or nil if the file is not one of the streams. The
// comparison is by pointer.
//
// A program may assign another file to os.Stdout. It then writes to that file, because only the
// original pointers are streams.
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

// fileValue returns the interface value for a file. A stream must become a File when it is
// converted to an interface: compiled code such as fmt.Fprintln calls Write by the interface and
// would reach the process.
func fileValue(f *os.File) any {
	if s := streamOf(f); s != nil && f != nil {
		return s
	}
	return f
}

// fileSupport returns the overrides of methods of *os.File for the streams of a cell. A cell's
// direct calls of these methods need no interface, so they are overridden by name. Other files are
// passed to the original methods.
//
// Close of a stream must not close the descriptor of the process, which other cells use.
func fileSupport() map[string]any {
	return map[string]any{
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

// StandIns returns the functions that convert the process's streams to interface values and back.
// box returns a pointer to a File for a stream, and nil for other files. The machine uses them at
// conversions between interface types and *os.File, on values in memory.
//
// unbox restores the pointer that cells know, so that a comparison with os.Stdout holds after a
// value has passed through an interface.
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
