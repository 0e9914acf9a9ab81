package userfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"gosphere/internal/beside"
)

// Write creates or replaces a file. If the write fails, the file keeps its old content, and the
// error names it. Write writes directly to anything but a regular file, such as /dev/stdout or a
// link. A link that leads out of its folder is a *LinkError.
func Write(path string, content []byte) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := CheckPlace(path); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o666)
	}
	file, err := beside.Create(path)
	if err != nil {
		return about(path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	err = cmp.Or(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	return about(path, err)
}

// about returns an error of the temporary file as one of the file that it replaces.
func about(path string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	}
	if failed, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: failed.Op, Path: path, Err: failed.Err}
	}
	return err
}

// Create creates or truncates a file that is written step by step, such as a log. A link that leads
// out of its folder is a *LinkError.
func Create(path string) (*os.File, error) {
	if err := CheckPlace(path); err != nil {
		return nil, err
	}
	return os.Create(path)
}
