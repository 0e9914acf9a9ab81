// Program thumbnails writes the thumbnails of notebooks/index.ipynb: for every notebook with a
// stored figure its first one, 320 pixels wide. make notebooks runs it after the notebooks.
//
//	go run ./internal/notebook/thumbnails
package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/draw"

	"gosphere/kernel/nbformat"
)

// width is the width of a thumbnail in pixels.
const width = 320

func main() {
	if err := run("notebooks"); err != nil {
		fmt.Fprintln(os.Stderr, "thumbnails:", err)
		os.Exit(1)
	}
}

// run writes the thumbnails of all notebooks in a folder to its subfolder thumbnails.
func run(folder string) error {
	return each(folder, func(name string, picture []byte) error {
		return os.WriteFile(filepath.Join(folder, "thumbnails", name), picture, 0o644)
	})
}

// each calls a function with the file name and content of every thumbnail.
func each(folder string, do func(name string, picture []byte) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".ipynb_")):
			return filepath.SkipDir
		case filepath.Ext(path) != ".ipynb":
			return nil
		}
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			return err
		}
		figure, err := firstFigure(notebook)
		if figure == nil || err != nil {
			return err
		}
		picture, err := scaled(figure)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return do(nameOf(folder, path), picture)
	})
}

// nameOf returns the file name of a notebook's thumbnail: its path with hyphens. For instance,
// reproduction/asymvlm/table-2 becomes reproduction-asymvlm-table-2.png.
func nameOf(folder, path string) string {
	path, _ = filepath.Rel(folder, path)
	path = strings.TrimSuffix(filepath.ToSlash(path), ".ipynb")
	return strings.ReplaceAll(path, "/", "-") + ".png"
}

// firstFigure returns the first stored bitmap, or nil if there is none.
func firstFigure(notebook *nbformat.Notebook) ([]byte, error) {
	for _, cell := range notebook.Cells {
		for _, output := range cell.Outputs {
			if text, ok := output.Data["image/png"].(string); ok {
				return base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
			}
		}
	}
	return nil, nil
}

// scaled returns a bitmap scaled to the width of thumbnails.
func scaled(figure []byte) ([]byte, error) {
	source, err := png.Decode(bytes.NewReader(figure))
	if err != nil {
		return nil, err
	}
	size := source.Bounds()
	small := image.NewRGBA(image.Rect(0, 0, width, max(1, size.Dy()*width/size.Dx())))
	draw.CatmullRom.Scale(small, small.Bounds(), source, size, draw.Src, nil)
	var written bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&written, small); err != nil {
		return nil, err
	}
	return written.Bytes(), nil
}
