// Package userfile opens and reads the files that users and their data name, by one rule:
//
//   - Only regular files are read. A named pipe or a device may block or never end. Open opens it
//     only through OpenStream, for names that users type on a command line.
//   - The size is compared with a limit before the content is read, and the content with the limit
//     while it is read.
//   - Reading ends when its context does.
//
// Errors name the file.
package userfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Limits of the content of files in bytes.
const (
	Source   = 16 << 20  // texts of programs and configurations
	Notebook = 512 << 20 // notebooks with their outputs
	Picture  = 256 << 20 // pictures, sounds and videos
	Table    = 2 << 30   // lists of captions, annotations and vocabularies
)

// A KindError reports a file that is not regular.
type KindError struct {
	Path string
	Kind string // such as "a named pipe"
}

// Error names the file and says what to do.
func (e *KindError) Error() string {
	return fmt.Sprintf("%s is %s: want a regular file; copy the content to one", e.Path, e.Kind)
}

// A SizeError reports a file with more bytes than a limit.
type SizeError struct {
	Path  string
	Bytes int64 // 0 if the size is unknown
	Limit int64
}

// Error names the file and the limit.
func (e *SizeError) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s has more than %d bytes, the limit", e.Path, e.Limit)
	}
	return fmt.Sprintf("%s has %d bytes, more than the limit of %d", e.Path, e.Bytes, e.Limit)
}

// KindOf returns the kind of a file that is not regular.
func KindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "an irregular file"
}

// Open opens a regular file for reading. Links are followed. It never waits: another kind of file
// is a *KindError, and a folder an error as that of os.ReadFile.
func Open(path string) (*os.File, error) {
	file, mode, err := open(path)
	if err == nil && !mode.IsRegular() {
		file.Close()
		if mode.IsDir() {
			return nil, &fs.PathError{Op: "read", Path: path, Err: errFolder}
		}
		return nil, &KindError{path, KindOf(mode)}
	}
	return file, err
}

// errFolder is the error of reading a folder.
var errFolder = errors.New("is a directory")

// open opens a file and returns its mode.
func open(path string) (*os.File, fs.FileMode, error) {
	// A system without flag for this waits for the writer of a pipe. Looking first is not enough: the
	// file may be replaced in between.
	if wait == 0 {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return nil, 0, &KindError{path, KindOf(info.Mode())}
		}
	}
	file, err := os.OpenFile(path, os.O_RDONLY|wait, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Mode(), nil
}

// OpenStream opens a file of any kind but a folder for reading. It is for names that users type,
// such as /dev/stdin and the <(command) of a shell.
func OpenStream(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return Open(path)
	}
	return os.Open(path)
}

// ReadFile returns the content of a regular file with at most the given number of bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	return Read(context.Background(), path, most)
}

// Read is like ReadFile and ends with the error of the context when that ends.
func Read(ctx context.Context, path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(ctx, path, file, most)
}

// ReadStream is like Read for a file that OpenStream opens.
func ReadStream(ctx context.Context, path string, most int64) ([]byte, error) {
	file, err := OpenStream(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// A pipe and a terminal wait for their writers. Files without deadlines do not.
	defer context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Now()) })()
	return readAll(ctx, path, file, most)
}

// IsSystem reports whether an error is one of the system and not of the file that was read: the
// disk failed, or the process has too many open files. Another attempt may succeed, so the file
// must not be taken for an invalid or a missing one.
func IsSystem(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number) && slices.Contains(systemErrors, number)
}

var systemErrors = []syscall.Errno{
	syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ESTALE, syscall.ETIMEDOUT, syscall.ENOLCK, syscall.ENOSPC,
}

// part is the number of bytes after which reading looks at its context.
const part = 1 << 20

// readAll reads the content of an open file.
func readAll(ctx context.Context, path string, file *os.File, most int64) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size() // 0 in file systems such as /proc
	if size > most {
		return nil, &SizeError{path, size, most}
	}
	data := make([]byte, 0, size+512)
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := file.Read(data[len(data):min(cap(data), len(data)+part)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			return nil, &SizeError{path, 0, most}
		case err == io.EOF:
			return data, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("reading %s: %w", path, ctx.Err())
		case err != nil:
			return nil, err
		}
	}
}

// DirFS is like os.DirFS, with the rule of Open for files.
func DirFS(dir string) fs.FS { return folder{os.DirFS(dir).(tree), dir} }

// A tree has the methods of the file systems of os.DirFS that Open does not change.
type tree interface {
	fs.ReadLinkFS
	fs.StatFS
	fs.ReadDirFS
}

type folder struct {
	tree
	dir string
}

// Open opens a regular file or a folder.
func (f folder) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil || info.IsDir() {
		return f.tree.Open(name)
	}
	file, err := Open(filepath.Join(f.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return file, nil
}

// ReadFile reads a regular file with at most Table bytes.
func (f folder) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)), Table)
}
