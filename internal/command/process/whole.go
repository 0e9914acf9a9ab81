package process

import (
	"errors"
	"os"

	"gosphere/internal/beside"
	"gosphere/internal/userfile"
)

// WriteWhole creates or replaces a file. If the write fails, the file keeps its old content. It
// writes directly to anything but a regular file, such as /dev/stdout or a link. A link that leads
// out of its folder is an error.
func WriteWhole(path string, text []byte) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := userfile.CheckPlace(path); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o666)
	}
	file, err := beside.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
