package userfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A LinkError reports a file that is a link out of its folder.
type LinkError struct{ Path, Target string }

// Error names the link and its target, and says what to do.
func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link to %s, outside of its folder: nothing is written; name that file itself, or remove the link", e.Path, e.Target)
}

// CheckPlace returns a *LinkError if a file, into which a program is about to write, is a link that
// leads out of its folder: folders of strangers may contain links to files of the user. A link to
// a device or a pipe, such as /dev/stdout, may be written to. What does not exist is no error.
func CheckPlace(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) { // writing would create the target
		if target, err = os.Readlink(path); err == nil && !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	absolute, err := filepath.Abs(target)
	if err != nil {
		return err
	}
	// The target of a link that leads nowhere may contain links itself.
	if real, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(real, filepath.Base(absolute))
	}
	if inside, err := filepath.Rel(folder, absolute); err == nil && filepath.IsLocal(inside) {
		return nil
	}
	return &LinkError{path, target}
}

// CheckLocal is like CheckPlace, and for a path without a leading .. or / it also refuses links to
// folders that lead out of the working directory. It is for names in the text of notebooks, which
// may come from strangers together with such a link.
func CheckLocal(path string) error {
	if err := CheckPlace(path); err != nil || !filepath.IsLocal(path) {
		return err
	}
	here, err := filepath.EvalSymlinks(".")
	if err != nil {
		return err
	}
	if here, err = filepath.Abs(here); err != nil {
		return err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil // it does not exist, as the writer will say
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	if inside, err := filepath.Rel(here, folder); err == nil && filepath.IsLocal(inside) {
		return nil
	}
	return &LinkError{filepath.Dir(path), folder}
}

// CheckBelow is like CheckPlace for a file below a folder: no folder between the two may be a link
// that leads out of it either.
func CheckBelow(folder, name string) error {
	path := filepath.Join(folder, filepath.FromSlash(name))
	root, err := filepath.EvalSymlinks(folder)
	if err != nil { // there is nothing below it
		return nil
	}
	// The nearest folder that exists decides.
	for dir := filepath.Dir(path); len(dir) > len(filepath.Clean(folder)); dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			if _, err := os.Lstat(dir); err == nil { // a link that leads nowhere
				return &LinkError{dir, "a place that does not exist"}
			}
			continue
		}
		if inside, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(inside) {
			return &LinkError{dir, real}
		}
		break
	}
	return CheckPlace(path)
}
