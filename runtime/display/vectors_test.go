package display

import (
	"encoding/base64"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"gosphere/plotting/figure"
)

func TestFiguresHaveFormsForPrintWhereTheyAreWanted(t *testing.T) {
	drawing := figure.Lines("x", "y", figure.Series{Name: "a", Values: []float64{1, 2}})
	for name, value := range map[string]any{"figure": drawing, "gonum plot": plot.New()} {
		if data, _ := Bundle(value); data[applicationPDF] != nil || data[imageSVG] != nil {
			t.Errorf("%s: unasked it has %d forms", name, len(data))
		}
	}
	DrawVectors(true)
	defer DrawVectors(false)
	for name, value := range map[string]any{"figure": drawing, "gonum plot": plot.New()} {
		data, _ := Bundle(value)
		text, _ := data[applicationPDF].(string)
		document, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !strings.HasPrefix(string(document), "%PDF-") {
			t.Errorf("%s: the PDF begins with %.8q, %v", name, document, err)
		}
		if svg, _ := data[imageSVG].(string); !strings.Contains(svg, "<svg") {
			t.Errorf("%s: the SVG begins with %.40q", name, svg)
		}
		if data[imagePNG] == nil {
			t.Errorf("%s: the bitmap is gone", name)
		}
	}
}
