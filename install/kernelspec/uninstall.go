package kernelspec

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Removed describes the result of Uninstall in one folder.
type Removed struct {
	Folder string
	Kept   []string // files that Install did not write, because of which the folder is kept
}

// Uninstall removes the kernelspecs of gosphere with this name, or DefaultName if it is empty, from
// a place, or from all folders that Jupyter searches if no place is set. It removes the files that
// Install writes, and the folder if it is then empty.
func (e Environment) Uninstall(name string, place Place) ([]Removed, error) {
	name = strings.ToLower(cmp.Or(name, DefaultName))
	if err := CheckName(name); err != nil {
		return nil, err
	}
	folders := e.Folders()
	if place != (Place{}) {
		folder, err := e.kernels(place)
		if err != nil {
			return nil, err
		}
		folders = []string{folder}
	}
	var removed []Removed
	var failures []error
	for _, folder := range folders {
		inside := filepath.Join(folder, name)
		content, err := readDescription(inside)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && !content.isOurs():
			err = fmt.Errorf("install: %s is the kernelspec of another program (%s); it stays", inside, strings.Join(content.Argv, " "))
		case err == nil:
			var result Removed
			if result, err = e.remove(inside); err == nil {
				removed = append(removed, result)
			}
		}
		if err != nil {
			failures = append(failures, err)
		}
	}
	if len(removed) == 0 && len(failures) == 0 {
		return nil, fmt.Errorf("install: no kernelspec %s in %s", name, strings.Join(folders, ", "))
	}
	return removed, errors.Join(failures...)
}

// remove removes the files that Install writes, the program first: Windows does not remove a
// running program, and the kernelspec then stays intact.
func (e Environment) remove(folder string) (Removed, error) {
	removeRetired(folder)
	names := []string{e.binaryName(), description}
	for _, logo := range logos() {
		names = append(names, logo.name)
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Removed{}, fmt.Errorf("install: %w", err)
		}
	}
	rest, err := os.ReadDir(folder)
	if err != nil {
		return Removed{}, fmt.Errorf("install: %w", err)
	}
	result := Removed{Folder: folder}
	for _, entry := range rest {
		result.Kept = append(result.Kept, entry.Name())
	}
	if len(rest) == 0 {
		if err := os.Remove(folder); err != nil {
			return Removed{}, fmt.Errorf("install: %w", err)
		}
	}
	return result, nil
}
