package kernelspec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Options describe the location and names of a kernelspec.
type Options struct {
	Place
	Name        string // DefaultName if empty; the folder is in lower case, because Jupyter compares names in lower case
	DisplayName string // DefaultDisplayName if empty
}

// Install copies the running program into a kernelspec folder and writes its description there.
// Every file is written atomically, and kernel.json last, so Jupyter never sees an incomplete
// kernelspec. Kernels that run an older copy keep running. Installing again replaces an earlier
// installation; it is an error if a kernelspec of the same name starts another program.
func (e Environment) Install(options Options) (Kernelspec, error) {
	name := cmp.Or(options.Name, DefaultName)
	if err := CheckName(name); err != nil {
		return Kernelspec{}, err
	}
	name = strings.ToLower(name)
	folder, err := e.kernels(options.Place)
	if err != nil {
		return Kernelspec{}, err
	}
	// Jupyter starts the kernel in the notebook's folder, where a relative path would be wrong.
	folder, err = filepath.Abs(filepath.Join(folder, name))
	if err != nil {
		return Kernelspec{}, fmt.Errorf("install: folder of the kernelspec: %w", err)
	}
	switch old, err := readDescription(folder); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Kernelspec{}, err
	case !old.isOurs():
		return Kernelspec{}, fmt.Errorf("install: %s is the kernelspec of another program (%s); choose another name with --name", folder, strings.Join(old.Argv, " "))
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return Kernelspec{}, fmt.Errorf("install: folder of the kernelspec: %w", err)
	}
	content := newKernelJSON(filepath.Join(folder, e.binaryName()), cmp.Or(options.DisplayName, DefaultDisplayName))
	if err := e.write(folder, content); err != nil {
		return Kernelspec{}, err
	}
	return content.kernelspec(name, folder), nil
}

// write writes the files of a kernelspec folder.
func (e Environment) write(folder string, content kernelJSON) error {
	removeRetired(folder)
	if err := copyProgram(e.Executable, content.Argv[0]); err != nil {
		return err
	}
	for _, logo := range logos() {
		if err := replaceFile(filepath.Join(folder, logo.name), bytes.NewReader(logo.content), 0o644); err != nil {
			return err
		}
	}
	text, err := content.text()
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(folder, description), bytes.NewReader(text), 0o644)
}

// copyProgram copies the running program to its final location, unless it runs from there.
func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("install: this program: %w", err)
	}
	defer source.Close()
	if here, err := source.Stat(); err == nil {
		if there, err := os.Stat(to); err == nil && os.SameFile(here, there) {
			return nil
		}
	}
	return replaceFile(to, source, 0o755)
}

// retired is the suffix of programs that were replaced while they ran.
const retired = ".replaced"

// replaceFile writes a temporary file in the same folder and then renames it.
func replaceFile(name string, content io.Reader, mode fs.FileMode) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.new")
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
			err = fmt.Errorf("install: write %s: %w", name, err)
		}
	}()
	if _, err := io.Copy(file, content); err != nil {
		return err
	}
	// CreateTemp creates files with access for the owner only; a kernelspec in a prefix is for all
	// users.
	if err := file.Chmod(mode); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	err = os.Rename(file.Name(), name)
	if err == nil {
		return nil
	}
	// Windows does not allow a running program to be overwritten, but it can be renamed. A later
	// install or uninstall removes the old copy once it no longer runs.
	aside := file.Name() + retired
	if os.Rename(name, aside) != nil {
		return err
	}
	if again := os.Rename(file.Name(), name); again != nil {
		os.Rename(aside, name)
		return again
	}
	os.Remove(aside)
	return nil
}

// removeRetired removes replaced programs that no longer run. Those still running cannot be removed
// and remain for the next time.
func removeRetired(folder string) {
	old, err := filepath.Glob(filepath.Join(escapeGlob(folder), "gosphere*"+retired))
	if err != nil {
		return
	}
	for _, name := range old {
		os.Remove(name)
	}
}

// escapeGlob returns a pattern that matches only the folder's name. Brackets work on every
// platform, backslashes do not.
func escapeGlob(folder string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(folder)
}
