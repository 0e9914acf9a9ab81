// Package gonum shows plots of gonum.org/v1/plot as pictures and matrices of gonum as tables.
// Importing it registers both forms with package display. Cells have them without an import.
package gonum

import (
	"bytes"
	"fmt"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"gosphere/runtime/display"
)

func init() {
	display.Register(func(value any) (display.Form, bool) {
		switch value := value.(type) {
		case *plot.Plot:
			if value != nil {
				return plotForm(value), true
			}
		case mat.Matrix:
			return matrixForm(value), true
		}
		return display.Form{}, false
	})
}

// Size of a plot in the front end, in CSS pixels of 1/96 inch. The bitmap has twice as many pixels
// in each direction, because screens have about two dots per CSS pixel.
const (
	plotWidth, plotHeight = 640, 400
	pixelsPerInch         = 96
	sharpness             = 2

	inch           = 72 // points
	widthInPoints  = vg.Length(plotWidth * inch / pixelsPerInch)
	heightInPoints = vg.Length(plotHeight * inch / pixelsPerInch)
)

// plotMargin is the margin of a plot in points, because gonum draws title and labels up to the
// edge.
const plotMargin = 8

// plotForm returns the form of a plot. Its text is not that of fmt, which prints addresses that
// change from run to run.
func plotForm(p *plot.Plot) display.Form {
	return display.Form{
		Text: func() string {
			if p.Title.Text != "" {
				return fmt.Sprintf("plot %q", p.Title.Text)
			}
			return "plot"
		},
		PNG: func() ([]byte, error) {
			canvas := vgimg.NewWith(vgimg.UseWH(widthInPoints, heightInPoints), vgimg.UseDPI(pixelsPerInch*sharpness))
			drawPlot(p, draw.New(canvas))
			return written(vgimg.PngCanvas{Canvas: canvas})
		},
		Width: plotWidth, Height: plotHeight,
		PDF: func() ([]byte, error) {
			canvas := vgpdf.New(widthInPoints, heightInPoints)
			drawPlot(p, draw.New(canvas))
			return written(canvas)
		},
		SVG: func() ([]byte, error) {
			canvas := vgsvg.New(widthInPoints, heightInPoints)
			drawPlot(p, draw.New(canvas))
			return written(canvas)
		},
	}
}

// drawPlot draws a plot with a margin.
func drawPlot(p *plot.Plot, canvas draw.Canvas) {
	if p.BackgroundColor != nil {
		canvas.SetColor(p.BackgroundColor)
		canvas.Fill(canvas.Rectangle.Path())
	}
	p.Draw(draw.Crop(canvas, plotMargin, -plotMargin, plotMargin, -plotMargin))
}

// written returns the file of a canvas.
func written(canvas vg.CanvasWriterTo) ([]byte, error) {
	var file bytes.Buffer
	_, err := canvas.WriteTo(&file)
	return file.Bytes(), err
}

const (
	maxRows    = 20 // maximum number of rows and columns of a matrix shown in full
	maxColumns = 12
	corner     = 4 // rows and columns shown at each corner of a larger matrix
)

// matrixForm returns the form of a matrix. Its text has rows and columns, or the corners of a large
// matrix; fmt would print the storage layout.
func matrixForm(m mat.Matrix) display.Form {
	rows, columns := m.Dims()
	return display.Form{
		Text: func() string {
			if rows == 0 || columns == 0 {
				return fmt.Sprintf("%T %d×%d", m, rows, columns)
			}
			excerpt := 0
			if rows > maxRows || columns > maxColumns {
				excerpt = corner
			}
			return fmt.Sprintf("%.6g", mat.Formatted(m, mat.Excerpt(excerpt), mat.Squeeze()))
		},
		Rows: rows, Columns: columns, Number: m.At,
	}
}
