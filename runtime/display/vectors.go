package display

import (
	"bytes"
	"sync/atomic"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"gosphere/internal/kernel/protocol"
)

const applicationPDF = "application/pdf"

// vectors reports whether figures are also drawn in vector formats.
var vectors atomic.Bool

// DrawVectors sets whether figures that support it also have the forms PDF and SVG, for print. The
// default is false, because these forms make notebooks several times as large.
func DrawVectors(on bool) { vectors.Store(on) }

// vectorForms adds the forms for print.
func vectorForms(value any, data protocol.MimeBundle) error {
	if !vectors.Load() {
		return nil
	}
	if p, ok := value.(*plot.Plot); ok {
		return guard("drawing the plot", func() error {
			const inch = 72 // points
			pdf := vgpdf.New(plotWidth*inch/pixelsPerInch, plotHeight*inch/pixelsPerInch)
			drawPlot(p, draw.New(pdf))
			var document bytes.Buffer
			if _, err := pdf.WriteTo(&document); err != nil {
				return err
			}
			data[applicationPDF] = encoded(document.Bytes())
			svg := vgsvg.New(plotWidth*inch/pixelsPerInch, plotHeight*inch/pixelsPerInch)
			drawPlot(p, draw.New(svg))
			var drawing bytes.Buffer
			_, err := svg.WriteTo(&drawing)
			data[imageSVG] = drawing.String()
			return err
		})
	}
	if v, ok := value.(interface{ PDF() ([]byte, error) }); ok {
		if err := guard("PDF", func() error {
			document, err := v.PDF()
			data[applicationPDF] = encoded(document)
			return err
		}); err != nil {
			return err
		}
	}
	if v, ok := value.(interface{ SVG() ([]byte, error) }); ok {
		return guard("SVG", func() error {
			drawing, err := v.SVG()
			data[imageSVG] = string(drawing)
			return err
		})
	}
	return nil
}
