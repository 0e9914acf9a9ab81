package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
)

// mostNotebooks is the maximum number of notebooks that are listed.
const mostNotebooks = 500

// locate returns the path of a notebook that a client has named. It refuses files that are no
// notebooks and files outside of the folder, also those that links lead to.
func (a *Agent) locate(name string) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.options.Folder, path)
	}
	inside, err := filepath.Rel(a.options.Folder, path)
	switch {
	case err != nil || !filepath.IsLocal(inside):
		return "", fmt.Errorf("%s is outside of the folder %s, to which this server is confined", name, a.options.Folder)
	case filepath.Ext(path) != ".ipynb":
		return "", fmt.Errorf("%s is not the name of a notebook: it does not end in .ipynb", name)
	}
	if err := userfile.CheckBelow(a.options.Folder, filepath.ToSlash(inside)); err != nil {
		return "", err
	}
	return path, nil
}

// read reads a notebook of Go cells.
func (a *Agent) read(name string) (string, *nbformat.Notebook, error) {
	path, err := a.locate(name)
	if err != nil {
		return "", nil, err
	}
	content, err := userfile.ReadFile(path, userfile.Notebook)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("there is no notebook %s; list_notebooks lists those of the folder, and create_notebook creates one", name)
	}
	if err != nil {
		return "", nil, err
	}
	notebook, err := nbformat.Read(content)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	if language := notebook.Language(); language != "" && language != "go" {
		return "", nil, fmt.Errorf("%s: the metadata declares the language %s, but gosphere runs Go", name, language)
	}
	return path, notebook, nil
}

// find returns the index of a cell that a client has named by its id or its number, from 1.
func find(notebook *nbformat.Notebook, name string) (int, error) {
	if i := slices.IndexFunc(notebook.Cells, func(c *nbformat.Cell) bool { return c.ID == name }); i >= 0 {
		return i, nil
	}
	number, err := strconv.Atoi(name)
	if err != nil {
		return 0, fmt.Errorf("no cell has the id %q; list_cells lists the ids and numbers", name)
	}
	if number < 1 || number > len(notebook.Cells) {
		return 0, fmt.Errorf("there is no cell %d: the notebook has %d cells", number, len(notebook.Cells))
	}
	return number - 1, nil
}

// list returns the names of the notebooks in a folder and below it, and whether there are more.
func (a *Agent) list() (names []string, more bool, err error) {
	err = filepath.WalkDir(a.options.Folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // a folder that cannot be read
		case entry.IsDir() && path != a.options.Folder && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.Type().IsRegular() && filepath.Ext(path) == ".ipynb":
			if len(names) == mostNotebooks {
				more = true
				return filepath.SkipAll
			}
			name, err := filepath.Rel(a.options.Folder, path)
			if err != nil {
				return err
			}
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	return names, more, err
}

// mostChanges is the number of changes of a notebook that can be reverted.
const mostChanges = 100

// changes are the earlier contents of one notebook, the latest last. Outputs are not changes.
type changes struct {
	before []change
	after  []byte // the cells as the server has left them, see cellsOf
}

// A change is a change of cells that can be reverted.
type change struct {
	what  string // such as "edit of cell 3"
	cells []*nbformat.Cell
}

// change changes the cells of a notebook and writes it. The function returns what it has done, for
// revert and for the client.
func (a *Agent) change(name string, do func(*nbformat.Notebook) (what string, err error)) (string, error) {
	a.files.Lock()
	defer a.files.Unlock()
	path, notebook, err := a.read(name)
	if err != nil {
		return "", err
	}
	before := copyOf(notebook.Cells)
	what, err := do(notebook)
	if err != nil {
		return "", err
	}
	if err := nbformat.WriteFile(path, notebook); err != nil {
		return "", err
	}
	log := a.history[path]
	if log == nil {
		log = new(changes)
		a.history[path] = log
	}
	log.before = append(log.before, change{what, before})
	if len(log.before) > mostChanges {
		log.before = slices.Delete(log.before, 0, 1)
	}
	log.after = cellsOf(notebook.Cells)
	return what, nil
}

// copyOf returns copies of cells, whose outputs are shared.
func copyOf(cells []*nbformat.Cell) []*nbformat.Cell {
	list := make([]*nbformat.Cell, len(cells))
	for i, c := range cells {
		copied := *c
		list[i] = &copied
	}
	return list
}

// cellsOf returns a text that is equal for cells with the same ids, types and sources.
func cellsOf(cells []*nbformat.Cell) []byte {
	var b bytes.Buffer
	for _, c := range cells {
		fmt.Fprintf(&b, "%q %s %q\n", c.ID, c.Type, c.Source)
	}
	return b.Bytes()
}

// create writes a new notebook.
func (a *Agent) create(name string, notebook *nbformat.Notebook) error {
	a.files.Lock()
	defer a.files.Unlock()
	path, err := a.locate(name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already", name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return nbformat.WriteFile(path, notebook)
}
