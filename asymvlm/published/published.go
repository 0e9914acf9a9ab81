// Package published holds the numbers of the AsymVLM paper's appendix, so that results can be put beside them: tables
// A.2 and A.3 (retrieval with embeddings of CLIP ViT-B/32 and of SigLIP), A.4 (zero-shot classification) and A.5 (none
// of the above). Tables 1, 2 and 3 print the same means without deviations.
//
// The directions are those of table A.2; table 1 has its two headings exchanged, as the known zero-shot recalls of
// CLIP show. Deviations are over five seeds and fit the population's.
package published

import (
	_ "embed" // for the tables
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed tables.csv
var tables string

// The encoders of the paper.
const (
	CLIP   = "CLIP ViT-B/32"
	SigLIP = "SigLIP"
)

// The measures of retrieval that the paper prints, by direction.
const (
	Recall1 = "R@1"
	S       = "S"
	R2      = "R2"
)

// The two directions of retrieval.
const (
	TextToImage = "t2i"
	ImageToText = "i2t"
)

// A Number is one published number.
type Number struct {
	Table      string // "A.2" to "A.5"
	Encoder    string
	TrainedOn  string // "" where nothing was trained or the paper does not say
	MeasuredOn string
	Prompt     string // of the additional class of table A.5
	Method     string // the name in package adapter; "clip-margin" and "clip-threshold" for the two rules of table A.5
	Direction  string // TextToImage or ImageToText in tables A.2 and A.3
	Measure    string
	Mean       float64
	SD         float64 // over five seeds
	HasSD      bool
}

// All returns every published number in the order of the paper's appendix.
func All() []Number { return numbers() }

// numbers reads the tables, which a test checks once and for all.
func numbers() []Number {
	rows, err := csv.NewReader(strings.NewReader(tables)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("published: %v", err))
	}
	var list []Number
	for line, row := range rows[1:] {
		n := Number{Table: row[0], Encoder: row[1], TrainedOn: row[2], MeasuredOn: row[3], Prompt: row[4], Method: row[5],
			Direction: row[6], Measure: row[7]}
		if n.Mean, err = strconv.ParseFloat(row[8], 64); err == nil && row[9] != "" {
			n.HasSD = true
			n.SD, err = strconv.ParseFloat(row[9], 64)
		}
		if err != nil {
			panic(fmt.Sprintf("published: line %d: %v", line+2, err))
		}
		list = append(list, n)
	}
	return list
}

// Retrieval returns what the paper measured of a method's retrieval with an encoder's embeddings of a data set, by
// direction and measure; nil when it did not.
func Retrieval(encoder, dataset, method string) map[[2]string]Number {
	var found map[[2]string]Number
	for _, n := range numbers() {
		if n.Direction == "" || n.Encoder != encoder || n.MeasuredOn != dataset || n.Method != method {
			continue
		}
		if found == nil {
			found = map[[2]string]Number{}
		}
		found[[2]string{n.Direction, n.Measure}] = n
	}
	return found
}

// Datasets returns the names of the data sets of the paper's retrieval tables.
func Datasets() []string {
	var names []string
	for _, n := range numbers() {
		if n.Direction != "" && !slices.Contains(names, n.MeasuredOn) {
			names = append(names, n.MeasuredOn)
		}
	}
	return names
}

// A Gallery is what is known of the set that the paper measured retrieval on: the size, 0 where the paper does not
// tell it, and Recall@1 of the encoder's own cosines. Frozen means rank by those, so the row of pfe has it.
type Gallery struct {
	Images, Texts            int
	TextToImage, ImageToText float64
}

// GalleryOf returns what is known of a data set's gallery, and false for another data set or encoder.
func GalleryOf(encoder, dataset string) (Gallery, bool) {
	row := Retrieval(encoder, dataset, "pfe")
	if row == nil {
		return Gallery{}, false
	}
	g := Gallery{TextToImage: row[[2]string{TextToImage, Recall1}].Mean, ImageToText: row[[2]string{ImageToText, Recall1}].Mean}
	if dataset == "MS-COCO" {
		g.Images, g.Texts = 5000, 25014 // val2017, from the authors' program
	}
	return g, true
}
