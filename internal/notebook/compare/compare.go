// Package compare describes the differences between the outputs of two notebooks in readable form.
//
// Numbers in texts, tables, HTML, SVG and JSON are compared as numbers, figures by their pixels.
// The metadata of the notebook or of a cell state how far a new output may differ from the stored
// one, see [Tolerances]; by default outputs must be equal.
//
// Read tolerance.go for the metadata, then outputs.go, text.go and figure.go.
//
//	tolerances, err := compare.TolerancesOf(notebook, cell)
//	for _, difference := range compare.Outputs(stored.Outputs, fresh.Outputs, tolerances) {
//		fmt.Println(difference.Place, difference.Lines)
//	}
package compare

// A Difference is a single difference.
type Difference struct {
	// Place names the part that differs, such as "output 2, text/plain".
	Place string
	// Lines show the difference to a person. A line begins with "- " for stored text, "+ " for new
	// text, "  " for common text, and "~ " for a remark.
	Lines []string
	// Stored and Fresh are the two encoded pictures of a figure that differs, else nil.
	Stored, Fresh []byte
}
