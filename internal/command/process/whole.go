package process

import (
	"errors"
	"os"
	"path/filepath"
)

// WriteWhole creates or replaces a file. If the write fails, the file keeps its old content. It
// writes directly to anything but a regular file, such as /dev/stdout or a link.
func WriteWhole(path string, text []byte) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, text, 0o644)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".gosphere-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
