package hierarchy

import (
	"fmt"
	"math"
	"strings"
)

// separator separates the levels of a chain in HierarCaps' files.
const separator = " => "

// SplitChain returns the captions of one row of a HierarCaps file, the most general one first. A
// wrong number of levels, and an empty level, are errors that quote the chain.
func SplitChain(captions string, levels int) ([]string, error) {
	parts := strings.Split(captions, separator)
	if len(parts) != levels {
		return nil, fmt.Errorf("hierarchy: chain %q has %d levels, want %d", captions, len(parts), levels)
	}
	for level, part := range parts {
		if parts[level] = strings.TrimSpace(part); parts[level] == "" {
			return nil, fmt.Errorf("hierarchy: chain %q has an empty level %d", captions, level)
		}
	}
	return parts, nil
}

// Identities assigns numbers to captions in order of first occurrence, so that equal strings have
// equal numbers.
func Identities(captions []string) []int {
	numbers, known := make([]int, len(captions)), map[string]int{}
	for i, caption := range captions {
		if _, found := known[caption]; !found {
			known[caption] = len(known)
		}
		numbers[i] = known[caption]
	}
	return numbers
}

// Chains holds the embeddings of a hierarchy. Only the directions of the vectors matter, not their
// norms.
type Chains struct {
	Levels    int         // L, at least 2
	Texts     [][]float64 // R·L vectors, the levels of a row together
	Images    [][]float64 // N vectors
	RowImages []int       // R, the image of each row
	TextIDs   []int       // R·L numbers, equal for equal strings; see Identities
	Root      []float64   // embedding of the empty string
}

// prepared is a Chains with unit vectors.
type prepared struct{ Chains }

// prepare checks the chains and normalizes all vectors.
func (c Chains) prepare() (*prepared, error) {
	rows := len(c.RowImages)
	if c.Levels < 2 || rows == 0 || len(c.Texts) != rows*c.Levels || len(c.TextIDs) != len(c.Texts) {
		return nil, fmt.Errorf("hierarchy: %d rows of %d levels with %d texts and %d identities",
			rows, c.Levels, len(c.Texts), len(c.TextIDs))
	}
	for row, image := range c.RowImages {
		if image < 0 || image >= len(c.Images) {
			return nil, fmt.Errorf("hierarchy: row %d has image %d of %d", row, image, len(c.Images))
		}
	}
	p := &prepared{c}
	var err error
	if p.Texts, err = units("text", c.Texts, len(c.Root)); err != nil {
		return nil, err
	}
	if p.Images, err = units("image", c.Images, len(c.Root)); err != nil {
		return nil, err
	}
	root, err := units("root", [][]float64{c.Root}, len(c.Root))
	if err != nil {
		return nil, err
	}
	p.Root = root[0]
	return p, nil
}

// units returns copies of the vectors with norm 1.
func units(name string, vectors [][]float64, width int) ([][]float64, error) {
	result := make([][]float64, len(vectors))
	for i, v := range vectors {
		if len(v) != width {
			return nil, fmt.Errorf("hierarchy: %s %d has %d values, the root %d", name, i, len(v), width)
		}
		length := math.Sqrt(dot(v, v))
		if !(length > 0) || math.IsInf(length, 1) {
			return nil, fmt.Errorf("hierarchy: %s %d has length %g, want a direction", name, i, length)
		}
		result[i] = make([]float64, width)
		for j, value := range v {
			result[i][j] = value / length
		}
	}
	return result, nil
}

// dot returns a·b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}

// products returns the inner products of all texts with x.
func (p *prepared) products(x []float64) []float64 {
	result := make([]float64, len(p.Texts))
	for text, v := range p.Texts {
		result[text] = dot(v, x)
	}
	return result
}

// largest returns the index of the largest value among those that the filter admits, the first of
// several, or −1 if it admits none.
func largest(values []float64, admits func(place int) bool) int {
	found := -1
	for place, value := range values {
		if admits(place) && (found < 0 || value > values[found]) {
			found = place
		}
	}
	return found
}

// all admits every index.
func all(int) bool { return true }

// rowIDs returns the identities of a row's captions.
func (p *prepared) rowIDs(row int) []int { return p.TextIDs[row*p.Levels : (row+1)*p.Levels] }

// share returns the fraction of the predicted texts that are among the wanted ones, or 0 if nothing
// is predicted.
func share(predicted map[int]bool, wanted ...[]int) float64 {
	hits := map[int]bool{}
	for _, ids := range wanted {
		for _, id := range ids {
			if predicted[id] {
				hits[id] = true
			}
		}
	}
	return float64(len(hits)) / float64(max(1, len(predicted)))
}

// mean returns the mean of the values.
func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}

// CheckRows returns an error unless the captions form rows of the given number of levels with one
// image each, as required of sets in which the levels of a row are consecutive. CaptionImages holds
// the image of each text.
func CheckRows(captionImages []int, levels int) error {
	if levels < 2 || len(captionImages) == 0 || len(captionImages)%levels != 0 {
		return fmt.Errorf("hierarchy: %d captions do not form rows of %d levels", len(captionImages), levels)
	}
	for i, image := range captionImages {
		if first := i / levels * levels; image != captionImages[first] {
			return fmt.Errorf("hierarchy: captions %d and %d should be levels 0 and %d of one row, but belong to images %d and %d",
				first, i, i-first, captionImages[first], image)
		}
	}
	return nil
}
