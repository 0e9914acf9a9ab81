// Package figure draws the figures of this field from plain numbers, in one style: recall by
// uncertainty level, losses, concentrations, violins by level of a hierarchy, quantities by length,
// scatter plots with marginals, time series, ROC and risk-coverage curves, heat maps, confusion
// matrices, computation graphs and densities on the sphere. Text between dollar signs is typeset as
// a LaTeX formula.
//
// One call makes a figure. A notebook displays the returned value, and [Figure.Save] writes it to a
// file:
//
//	f := figure.RecallByLevel(
//		figure.Series{Name: "clip", Values: clip},
//		figure.Bands("asymvlm-vmf", seeds),
//	)
//	f.Title = "Vague captions are found less often"
//	err := f.Save("recall.pdf")
//
// The functions that make figures return no error, so that they can be used as an expression in a
// cell. Numbers that cannot be drawn, such as series of different lengths, yield a figure whose Err
// is set and whose outputs return that error. Figures take numbers, not models; the package does
// not depend on adapters. Sizes are in CSS pixels (1/96 inch). Read figure.go, style.go and
// curves.go first; each kind of figure has its own file.
package figure

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"gosphere/internal/userfile"
)

// A page pixel (CSS pixel) is 1/96 inch. Bitmaps have two dots per page pixel in each direction,
// for high-density screens.
const (
	pixelsPerInch = 96
	sharpness     = 2
)

// A Figure is a drawing that can be written in several formats.
type Figure struct {
	Title string // drawn above the figure; may be empty
	Note  string // smaller text below the title, such as the data of a measurement

	Width, Height int // in page pixels

	// Plot holds axes and marks and may be modified before the figure is displayed. It is nil for
	// figures without axes.
	Plot *plot.Plot

	kind   string // kind of figure, for the text form
	yLabel string
	keys   []key
	series []Series              // set for figures whose axes may be logarithmic
	paint  func(draw.Canvas)     // draws below the header; if nil, Plot draws
	twin   func() map[string]any // returns the interactive form, without title; nil for none
	err    error
}

// newFigure returns an empty figure with axes, 640×400 page pixels.
func newFigure(kind string) *Figure {
	return &Figure{Width: 640, Height: 400, Plot: newPlot(), kind: kind}
}

// failed returns a figure with an error.
func failed(format string, values ...any) *Figure {
	return &Figure{kind: "figure", err: fmt.Errorf("figure: "+format, values...)}
}

// Err returns the reason why the figure cannot be drawn, or nil.
func (f *Figure) Err() error { return f.err }

// String returns a description of the figure, or its error.
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

// DisplaySize returns the size in page pixels, for the metadata of a notebook.
func (f *Figure) DisplaySize() (width, height int) { return f.Width, f.Height }

// size returns the size as lengths.
func (f *Figure) size() (width, height vg.Length) {
	return vg.Length(f.Width) * vg.Inch / pixelsPerInch, vg.Length(f.Height) * vg.Inch / pixelsPerInch
}

// PNG returns the figure as a bitmap with two dots per page pixel in each direction. PNG returns
// the error of Err, or of drawing.
func (f *Figure) PNG() ([]byte, error) {
	return f.written(func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(sharpness*pixelsPerInch))}
	})
}

// SVG returns the figure as SVG. Text remains text, in Liberation or the reader's replacement of
// that font. The result is bytes instead of a string, because notebooks would otherwise store two
// forms of each figure. SVG returns the error of Err, or of drawing.
func (f *Figure) SVG() ([]byte, error) {
	drawing, err := f.written(func(w, h vg.Length) vg.CanvasWriterTo { return vgsvg.New(w, h) })
	// gonum encodes the shades of spheres as PNG but labels them as JPEG.
	return bytes.ReplaceAll(drawing, []byte("data:image/jpg;"), []byte("data:image/png;")), err
}

// PDF returns the figure as a PDF page, with text drawn as outlines. PDF returns the error of Err,
// or of drawing.
func (f *Figure) PDF() ([]byte, error) {
	return f.written(func(w, h vg.Length) vg.CanvasWriterTo {
		return page{vgpdf.New(w, h)}
	})
}

// Save writes the figure to a file in the format of its extension: .png, .svg or .pdf. Another
// extension is an error, as is a figure that cannot be drawn, or a link that leads out of its
// folder. After an error the file has its old content.
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
	return userfile.Write(path, content)
}

// written draws the figure on a canvas and returns the output of the canvas.
func (f *Figure) written(newCanvas func(w, h vg.Length) vg.CanvasWriterTo) (content []byte, err error) {
	if f.err != nil {
		return nil, f.err
	}
	if f.Width < 100 || f.Height < 100 {
		return nil, fmt.Errorf("figure: size is %d×%d, want at least 100×100", f.Width, f.Height)
	}
	// gonum/plot panics if an axis cannot be drawn, which can only happen after changes to Plot.
	defer func() {
		if problem := recover(); problem != nil {
			content, err = nil, fmt.Errorf("figure: drawing failed: %s", strings.TrimSuffix(fmt.Sprint(problem), "."))
			if strings.Contains(err.Error(), "log scale") {
				err = fmt.Errorf("%w; use the methods LogX and LogY of the figure instead of a scale of package plot", err)
			}
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
