// Package published holds the numbers that three papers print, for comparison with other results.
//
// [All] and [Table] have those of the AsymVLM paper: tables A.2 and A.3 of its appendix (retrieval
// with embeddings of CLIP ViT-B/32 and of SigLIP), A.4 (zero-shot classification) and A.5
// (classification with the additional class "none of the above"). Tables 1, 2 and 3 print the same
// means without deviations. [Cells] has the numbers of ELIP and ProLIP, with the errors that are
// known.
//
// The directions of AsymVLM are those of table A.2. Table 1 has its two headings exchanged, as the
// known zero-shot recalls of CLIP show. Deviations are over five seeds and match population
// standard deviations.
package published

import (
	_ "embed" // for the tables
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/retrieval"
)

//go:embed tables.csv
var tables string

// The encoders of the paper.
const (
	CLIP   = "CLIP ViT-B/32"
	SigLIP = "SigLIP"
)

// The measures of retrieval in the paper, by direction.
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
	TrainedOn  string // "" if nothing was trained or the paper does not say
	MeasuredOn string
	Prompt     string // prompt of the additional class of table A.5
	Method     string // name in package adapter; "clip-margin" and "clip-threshold" for the two rules of table A.5
	Direction  string // TextToImage or ImageToText in tables A.2 and A.3
	Measure    string
	Mean       float64
	SD         float64 // standard deviation over five seeds
	HasSD      bool
}

// All returns all published numbers in the order of the paper's appendix.
func All() []Number { return numbers() }

// numbers reads the tables, which are verified by a test. It reads them at each call, because Table
// changes the list that it gets.
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

// Retrieval returns the published retrieval results of a method for an encoder's embeddings of a
// data set, keyed by direction and measure, or nil if there are none.
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

// Datasets returns the names of the data sets in the paper's retrieval tables.
func Datasets() []string {
	var names []string
	for _, n := range numbers() {
		if n.Direction != "" && !slices.Contains(names, n.MeasuredOn) {
			names = append(names, n.MeasuredOn)
		}
	}
	return names
}

// A Gallery describes the set on which the paper measured retrieval: its size, 0 if the paper does
// not state it, and Recall@1 of the encoder's own cosines. Methods with frozen means rank by these,
// so the row of pfe contains it.
type Gallery struct {
	Images, Texts            int
	TextToImage, ImageToText float64
}

// GalleryOf returns the gallery of a data set, and false if the data set or the encoder is not in
// the paper.
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

// Judge reports whether a gallery is the one that the paper used, as far as its size and the
// recalls of its own cosines show, and explains the result in a sentence. Recalls that are NaN are
// unknown. The result is true only if the recalls match the paper's to its three digits.
func Judge(encoder, dataset string, seen Gallery) (paper bool, sentence string) {
	gallery, known := GalleryOf(encoder, dataset)
	switch {
	case !known:
		return false, fmt.Sprintf("The paper has no numbers for %q with %q.", dataset, encoder)
	case gallery.Images != 0 && (seen.Images != gallery.Images || seen.Texts != gallery.Texts):
		return false, fmt.Sprintf("This is NOT the paper's data: %d images and %d texts, %s in the paper has %d and %d. Numbers that differ from the paper's say nothing about a method.",
			seen.Images, seen.Texts, dataset, gallery.Images, gallery.Texts)
	case math.IsNaN(seen.TextToImage) || math.IsNaN(seen.ImageToText):
		return false, fmt.Sprintf("Its zero-shot recall is needed to decide whether this is the paper's data. The paper has %.3f (t2i) and %.3f (i2t).",
			gallery.TextToImage, gallery.ImageToText)
	}
	const near = 0.0015 // the paper's three digits, and one or two queries that another precision ranks differently
	if math.Abs(seen.TextToImage-gallery.TextToImage) > near || math.Abs(seen.ImageToText-gallery.ImageToText) > near {
		return false, fmt.Sprintf("This is NOT the paper's data: its zero-shot Recall@1 is %.3f (t2i) and %.3f (i2t), that of %s with %s in the paper %.3f and %.3f. Numbers that differ from the paper's say nothing about a method.",
			seen.TextToImage, seen.ImageToText, dataset, encoder, gallery.TextToImage, gallery.ImageToText)
	}
	return true, fmt.Sprintf("Zero-shot Recall@1 is that of %s with %s in the paper, so this may well be its data.", dataset, encoder)
}

// Beside formats a measured number, the published one, and their difference, with the three
// decimals of the paper's tables. A missing number is a dash.
func Beside(mean, sd float64, runs int, there *Number) (here, paper, difference string) {
	here, paper, difference = "–", "–", "–"
	switch {
	case math.IsNaN(mean):
	case runs == 1:
		here = retrieval.Decimal(mean, 3)
	default:
		here = fmt.Sprintf("%s\u202f±\u202f%.3f", retrieval.Decimal(mean, 3), sd) // narrow spaces that do not break
	}
	if there == nil {
		return here, paper, difference
	}
	paper = fmt.Sprintf("%.3f", there.Mean)
	if there.HasSD {
		paper += fmt.Sprintf("\u202f±\u202f%.3f", there.SD)
	}
	if !math.IsNaN(mean) {
		if difference = retrieval.Decimal(mean-there.Mean, 3); difference[0] != '-' {
			difference = "+" + difference
		}
	}
	return here, paper, difference
}

// Find returns the first number, in the order of the appendix, that matches the given fields, or
// nil if there is none. An empty field matches everything.
func Find(want Number) *Number {
	for _, n := range numbers() {
		matches := true
		for _, field := range [][2]string{{want.Table, n.Table}, {want.Encoder, n.Encoder}, {want.TrainedOn, n.TrainedOn},
			{want.MeasuredOn, n.MeasuredOn}, {want.Prompt, n.Prompt}, {want.Method, n.Method}, {want.Direction, n.Direction},
			{want.Measure, n.Measure}} {
			matches = matches && (field[0] == "" || field[0] == field[1])
		}
		if matches {
			return &n
		}
	}
	return nil
}
