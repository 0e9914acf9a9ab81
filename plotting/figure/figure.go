// Package figure draws the figures of this field from plain numbers: recall by
// uncertainty level, losses, concentrations, violins by level of a hierarchy, quantities by
// length, scatter plots with marginals, ROC and risk-coverage curves, heat maps, confusions,
// graphs of computations and densities on the sphere, in one style. What stands between
// dollar signs in a text is set as a formula of LaTeX.
//
// A figure is made by one call, may be given a title, and is then a value that a
// notebook shows without ceremony and that [Figure.Save] writes to a file:
//
//	f := figure.RecallByLevel(
//		figure.Series{Name: "clip", Values: clip},
//		figure.Bands("asymvlm-vmf", seeds),
//	)
//	f.Title = "Vague captions are found less often"
//	err := f.Save("recall.pdf")
//
// The functions that make figures never fail: numbers that cannot be drawn, such as
// series of different lengths, leave a figure whose every output is the error, so that
// no call in a cell needs a second value. Figures take numbers, not models; the package
// knows nothing of adapters. Read figure.go, style.go and curves.go first; each kind of
// figure has its file.
package figure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A page pixel (CSS pixel) is 1/96 inch; bitmaps have two dots per page pixel in each
// direction, as sharp screens have.
const (
	pixelsPerInch = 96
	sharpness     = 2
)

// A Figure is a drawing that can be written in several formats.
type Figure struct {
	Title string // drawn above; may be empty
	Note  string // smaller, below the title: what was measured on what

	Width, Height int // in page pixels

	// Plot holds axes and marks and may be changed before the figure is shown; it is nil
	// for figures without axes.
	Plot *plot.Plot

	kind   string // for the text form
	yLabel string
	keys   []key
	series []Series              // of figures whose axes may be logarithmic
	paint  func(draw.Canvas)     // draws below the header; nil: Plot does
	twin   func() map[string]any // the interactive form, without title; nil: none
	err    error
}

// newFigure returns an empty figure with axes, 640×400 page pixels.
func newFigure(kind string) *Figure {
	return &Figure{Width: 640, Height: 400, Plot: newPlot(), kind: kind}
}

// failed returns a figure whose outputs are the error.
func failed(format string, values ...any) *Figure {
	return &Figure{kind: "figure", err: fmt.Errorf("figure: "+format, values...)}
}

// Err returns why the figure cannot be drawn, or nil.
func (f *Figure) Err() error { return f.err }

// String describes the figure for readers without pictures.
func (f *Figure) String() string {
	if f.err != nil {
		return f.err.Error()
	}
	text := f.kind
	if f.Title != "" {
		text = f.Title + " (" + f.kind + ")"
	}
	return fmt.Sprintf("%s, %d×%d", text, f.Width, f.Height)
}

// DisplaySize returns the size on the page in page pixels, for metadata of a notebook.
func (f *Figure) DisplaySize() (width, height int) { return f.Width, f.Height }

// size returns the size as lengths.
func (f *Figure) size() (width, height vg.Length) {
	return vg.Length(f.Width) * vg.Inch / pixelsPerInch, vg.Length(f.Height) * vg.Inch / pixelsPerInch
}

// PNG returns the figure as a bitmap with twice its page pixels in each direction.
func (f *Figure) PNG() ([]byte, error) {
	return f.written(func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(sharpness*pixelsPerInch))}
	})
}

// SVG returns the figure as a drawing for the web; its texts stay texts, in Liberation
// or what the reader's system has instead. The result is bytes, not a string: notebooks
// would otherwise store both forms of every figure.
func (f *Figure) SVG() ([]byte, error) {
	drawing, err := f.written(func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) })
	// gonum writes the shades of spheres as PNG and calls them JPEG.
	return bytes.ReplaceAll(drawing, []byte("data:image/jpg;"), []byte("data:image/png;")), err
}

// PDF returns the figure as a page for print, with letters drawn as shapes.
func (f *Figure) PDF() ([]byte, error) {
	return f.written(func(w, h vg.Length) vg.CanvasWriterTo {
		return page{vgpdf.New(w, h)}
	})
}

// Save writes the figure to a file in the format that the ending of its name tells:
// .png, .svg or .pdf.
func (f *Figure) Save(path string) error {
	formats := map[string]func() ([]byte, error){".png": f.PNG, ".svg": f.SVG, ".pdf": f.PDF}
	format, ok := formats[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return fmt.Errorf("figure: %s ends in none of .png, .svg, .pdf", path)
	}
	content, err := format()
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o666)
}

// written draws the figure on a canvas and returns what the canvas writes.
func (f *Figure) written(newCanvas func(w, h vg.Length) vg.CanvasWriterTo) (content []byte, err error) {
	if f.err != nil {
		return nil, f.err
	}
	if f.Width < 100 || f.Height < 100 {
		return nil, fmt.Errorf("figure: size is %d×%d, want at least 100×100", f.Width, f.Height)
	}
	// gonum/plot panics where an axis cannot be drawn, which only a change of Plot by the
	// user can bring about.
	defer func() {
		if problem := recover(); problem != nil {
			content, err = nil, fmt.Errorf("figure: drawing failed: %v", problem)
		}
	}()
	canvas := newCanvas(f.size())
	f.drawOn(draw.New(canvas))
	var written bytes.Buffer
	if _, err := canvas.WriteTo(&written); err != nil {
		return nil, fmt.Errorf("figure: %w", err)
	}
	return written.Bytes(), nil
}
