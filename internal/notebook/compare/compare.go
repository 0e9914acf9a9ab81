// Package compare tells where the outputs of two notebooks differ, in words that a person can read.
//
// Numbers inside texts, tables, HTML, SVG and JSON are compared as numbers, figures as pixels. How far a new output may be from
// the stored one stands in the notebook itself, in the metadata of the notebook or of a cell, see [Tolerances]; without it
// outputs must be equal.
//
// Read tolerance.go for what a notebook may say, then outputs.go, text.go and figure.go.
//
//	tolerances, err := compare.TolerancesOf(notebook, cell)
//	for _, difference := range compare.Outputs(stored.Outputs, fresh.Outputs, tolerances) {
//		fmt.Println(difference.Place, difference.Lines)
//	}
package compare

// A Difference is one thing that differs.
type Difference struct {
	// Place names what differs, such as "output 2, text/plain".
	Place string
	// Lines show the difference to a person. A line begins with "- " for what is stored, "+ " for what is new, "  " for what
	// both have, and "~ " for a remark.
	Lines []string
	// Stored and Fresh are the two pictures, encoded, where a figure differs; else nil.
	Stored, Fresh []byte
}
