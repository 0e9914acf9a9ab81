package notebook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gosphere/internal/notebook/export"
	"gosphere/internal/userfile"
)

// An outputFile is a file that an export is about to write.
type outputFile struct {
	path    string
	content []byte
	plain   []byte // without a seal, as older versions wrote it; nil if there is no such version
}

// store seals a text, checks that no edited file would be replaced, and writes the figures and the
// text into a folder. The text is the last file.
func (e *Export) store(stdout io.Writer, folder string, files ...export.File) error {
	last := len(files) - 1
	text, figures := files[last], files[:last]
	page := outputFile{filepath.Join(folder, filepath.FromSlash(text.Name)), export.Seal(e.To, text.Content, figures...), text.Content}
	old, err := e.spare(page)
	if err != nil {
		return err
	}
	sums := export.Figures(old)
	list := []outputFile{}
	for _, f := range figures {
		figure := outputFile{path: filepath.Join(folder, filepath.FromSlash(f.Name)), content: f.Content}
		if err := userfile.CheckBelow(folder, f.Name); err != nil {
			return err
		}
		if err := e.spareFigure(figure, sums); err != nil {
			return err
		}
		list = append(list, figure)
	}
	for _, file := range append(list, page) {
		if err := os.MkdirAll(filepath.Dir(file.path), 0o755); err != nil {
			return err
		}
		if err := userfile.Write(file.path, file.content); err != nil {
			return err
		}
	}
	number := fmt.Sprintf(" and %d figures", len(figures))
	switch len(figures) {
	case 0:
		number = ""
	case 1:
		number = " and 1 figure"
	}
	_, err = fmt.Fprintf(stdout, "wrote %s%s\n", page.path, number)
	return err
}

// spare returns the content of the file at the path, before anything is written. It returns an
// error if replacing the file would lose edits: users continue to edit exported pages and programs,
// so the file must be exactly as an export wrote it, from this or an earlier state of the notebook.
func (e *Export) spare(file outputFile) (old []byte, err error) {
	old, err = e.read(file.path)
	if e.Overwrite || old == nil || err != nil {
		return old, err
	}
	if !bytes.Equal(old, file.content) && !export.Untouched(e.To, old) && (file.plain == nil || !bytes.Equal(old, file.plain)) {
		return nil, changed(file.path)
	}
	return old, nil
}

// spareFigure does the same for a figure, whose checksum is in the text next to it.
func (e *Export) spareFigure(file outputFile, sums map[string]string) error {
	old, err := e.read(file.path)
	if e.Overwrite || old == nil || err != nil {
		return err
	}
	if !bytes.Equal(old, file.content) && sums[filepath.Base(file.path)] != export.Sum(old) {
		return changed(file.path)
	}
	return nil
}

// spareBefore returns an error for a text or figure that was edited, before a notebook runs,
// perhaps for hours, to produce a replacement.
func (e *Export) spareBefore(path string) error {
	old, err := e.spare(outputFile{path: path})
	if err != nil {
		return err
	}
	for name, sum := range export.Figures(old) {
		figure := filepath.Join(filepath.Dir(path), name)
		if held, err := e.read(figure); err != nil || !e.Overwrite && held != nil && export.Sum(held) != sum {
			return errors.Join(err, changed(figure))
		}
	}
	return nil
}

// changed returns the error for a file that is not replaced.
func changed(path string) error {
	return fmt.Errorf("%s was changed after the export, or was not exported: name another file with --output, or replace it with --overwrite", path)
}

// read returns the content of a file, or nil if it does not exist or is not a regular file, such as
// /dev/stdout. The notebook itself is never replaced, not even with --overwrite.
func (e *Export) read(path string) ([]byte, error) {
	there, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case there.IsDir():
		return nil, fmt.Errorf("%s is a folder: name a file with --output", path)
	}
	if notebook, err := os.Stat(e.File); err == nil && os.SameFile(there, notebook) {
		return nil, fmt.Errorf("%s is the notebook itself: name another file with --output", path)
	}
	if !there.Mode().IsRegular() {
		return nil, nil
	}
	text, err := userfile.ReadFile(path, userfile.Notebook)
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}
