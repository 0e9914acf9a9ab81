package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gosphere/notebooks/export"
	"gosphere/notebooks/format"
	goprogram "gosphere/notebooks/program"
	"gosphere/runtime/packages"
)

// unfit matches what names of modules do not have.
var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// program writes a folder with main.go, go.mod and go.sum.
func (e *Export) program(notebook *format.Notebook, stdout io.Writer) error {
	store, err := packages.Open(preloaded.Archive())
	if err != nil {
		return fmt.Errorf("the embedded type information: %w", err)
	}
	exported, err := goprogram.Make(notebook, store)
	if err != nil {
		return fmt.Errorf("%s: %w", e.File, err)
	}
	source := ""
	if exported.NeedsSource() {
		if source, err = findSource(e.Source, os.Executable); err != nil && e.Source != "" {
			return err
		} else if err != nil {
			return fmt.Errorf("the program imports %s, whose versions stand in the source of gosphere: run this in a clone of it, or name one with --source DIR",
				strings.Join(exported.Brought(), ", "))
		}
	}
	folder := e.Output
	if folder == "" {
		folder = e.stem() + "-go"
	}
	mod, sum, err := exported.Module(strings.Trim(unfit.ReplaceAllString(strings.ToLower(filepath.Base(e.stem())), "-"), "-"), source)
	if err != nil {
		return err
	}
	files := []export.File{{Name: "main.go", Content: export.Seal("go", exported.Source)}, {Name: "go.mod", Content: export.Seal("go", []byte(mod))}}
	if sum != "" {
		files = append(files, export.File{Name: "go.sum", Content: []byte(sum)})
	}
	if err := e.spareModule(folder, files); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		err = errors.Join(err, writeWhole(filepath.Join(folder, file.Name), file.Content))
	}
	if err == nil {
		_, err = fmt.Fprintf(stdout, "wrote %s; run it with: go -C %s run .\n", folder, folder)
	}
	return err
}

// spareModule reports, before anything is written, a file of a program that somebody has written.
func (e *Export) spareModule(folder string, files []export.File) error {
	module := false // go.mod is an export's, and go.sum, which has no comments and is the go command's, belongs to it
	for _, file := range files {
		path := filepath.Join(folder, file.Name)
		if file.Name == "go.sum" && module {
			continue
		}
		old, err := e.spare(written{path: path, content: file.Content})
		if err != nil {
			return err
		}
		module = module || file.Name == "go.mod" && old != nil
	}
	return nil
}
