package notebook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"gosphere/internal/notebook/template"
	"gosphere/kernel/nbformat"
)

// New is the subcommand that creates a notebook from a template.
type New struct {
	Name     string `arg:"" help:"File name of the new notebook; .ipynb is appended. The file name is also the title."`
	Template string `short:"t" placeholder:"blank|reproduction|teaching" enum:"blank,reproduction,teaching" default:"blank" help:"Template. blank: a title and an empty cell. reproduction: a table or figure of a paper, with parameters and published numbers. teaching: a lesson with exercises."`
	Title    string `help:"Title (default: the file name)."`
}

// Run writes the notebook. It never overwrites an existing file.
func (n *New) Run() error {
	path := strings.TrimSuffix(n.Name, ".ipynb") + ".ipynb"
	if err := checkName(path); err != nil {
		return err
	}
	if info, err := os.Stat(n.Name); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder, want the name of a notebook", n.Name)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("no folder %s for %s", filepath.Dir(path), filepath.Base(path))
	}
	title := n.Title
	if title == "" {
		title = strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimSuffix(filepath.Base(path), ".ipynb"))
	}
	notebook, err := template.New(n.Template, title)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s already exists; choose another name, or remove it first", path)
	}
	if err := nbformat.WriteFile(path, notebook); err != nil {
		return err
	}
	fmt.Println("wrote", path)
	return nil
}

// checkName returns an error for a name that readers of folders would see as another one: an empty
// one, or one with characters that are not UTF-8 or not printed.
func checkName(path string) error {
	base := strings.TrimSuffix(filepath.Base(path), ".ipynb")
	switch {
	case base == "":
		return fmt.Errorf("%q names no notebook: want a name, such as study", path)
	case strings.ContainsRune(path, utf8.RuneError): // also what is not UTF-8
		return fmt.Errorf("the name %q is not UTF-8", path)
	case strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("the name %q has characters that are not printed", path)
	}
	return nil
}
