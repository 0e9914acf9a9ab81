// Package beside creates the files with which programs replace others: a new file is written beside
// the old one and then renamed, so that readers see either the old or the new content.
package beside

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Create creates a file for writing in the folder of path, under a new name: a dot, the name of the
// file that it will replace, a dash, and a number.
// Its permissions are those of the file that it will replace. If there is none, they are those that
// the file mode mask of the process leaves of 0666, as for any new file; the files of os.CreateTemp
// are private whatever the mask is.
func Create(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%d", filepath.Base(path), rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if old, err := os.Stat(path); err == nil && old.Mode().IsRegular() {
			if err := f.Chmod(old.Mode().Perm()); err != nil {
				f.Close()
				os.Remove(name)
				return nil, err
			}
		}
		return f, nil
	}
}

// roomPart is the number of bytes that Room writes at once.
const roomPart = 1 << 20

// Room reports whether a file of a number of bytes can be written beside path: it writes zeros to a
// new file there and removes it. A program that computes for hours before it writes learns so at
// its start that the disk is too full, or that a quota is too small.
func Room(path string, bytes int64) (err error) {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	zeros := make([]byte, min(bytes, roomPart))
	for left := bytes; left > 0; left -= int64(len(zeros)) {
		if _, err := f.Write(zeros[:min(left, int64(len(zeros)))]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}
