package display

import (
	"sync/atomic"

	"gosphere/kernel/protocol"
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
	form, _ := formOf(value)
	pdf, svg := form.PDF, form.SVG
	if v, ok := value.(interface{ PDF() ([]byte, error) }); ok {
		pdf = v.PDF
	}
	if v, ok := value.(interface{ SVG() ([]byte, error) }); ok {
		svg = v.SVG
	}
	if pdf != nil {
		if err := guard("PDF", func() error {
			document, err := pdf()
			data[applicationPDF] = encoded(document)
			return err
		}); err != nil {
			return err
		}
	}
	if svg != nil {
		return guard("SVG", func() error {
			drawing, err := svg()
			data[imageSVG] = string(drawing)
			return err
		})
	}
	return nil
}
