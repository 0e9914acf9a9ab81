package hierarchy

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/gaussian"
)

// steps is the number of points of ProLIP's walk.
const steps = 50

// Traversal is the result of ProLIP's walk from an image's caption to the root.
type Traversal struct {
	Precision, Recall float64 // means over rows
	RootHits          float64 // R@1[ROOT], the fraction of rows whose root is one of their captions

	Starts, Roots                   []int       // R indices of texts
	RowPrecision, RowRecall, RowHit []float64   // R values
	Inclusion                       [][]float64 // R×(R·L), inc(image in text)
}

// Traverse performs the walk of ProLIP's program for each row. The walk starts at the text nearest
// to the image. The root is the text in which the image lies most, by inc summed over the
// coordinates at Eps 0, and the end is the direction of the root plus the embedding of the empty
// string. At each of the 50 points start − (i/50)(start − end), i = 0…49, the nearest text is
// predicted; the end itself is never reached. Precision and recall are relative to the row's own
// captions.
//
// Appendix B.3 of ProLIP's paper derives the root from the retrieved caption and retrieves by CSD;
// the program, and Traverse, derive it from the image and retrieve by cosine. Variances are those
// of the unit embeddings. The form Official has ProLIP's doubled log variances. Traverse takes
// R²·L·D operations. Rows, images and texts that do not match, vectors of norm 0, log variances of
// another width or not finite, and a root opposite to its text are errors that name the row, image
// or text.
func (c Chains) Traverse(form gaussian.Form, logVarianceImages, logVarianceTexts [][]float64) (*Traversal, error) {
	p, err := c.prepare()
	if err != nil {
		return nil, err
	}
	images, err := pair("image", p.Images, logVarianceImages)
	if err != nil {
		return nil, err
	}
	texts, err := pair("text", p.Texts, logVarianceTexts)
	if err != nil {
		return nil, err
	}
	inclusion := gaussian.Inclusion{Form: form}
	t := &Traversal{}
	for row, image := range p.RowImages {
		inside := make([]float64, len(texts))
		for text := range texts {
			inside[text] = inclusion.Log(images[image], texts[text])
		}
		root, start := largest(inside, all), largest(p.products(p.Images[image]), all)
		end := make([]float64, len(p.Root))
		for j, value := range p.Texts[root] {
			end[j] = value + p.Root[j]
		}
		length := math.Sqrt(dot(end, end))
		if length < 1e-12 { // the remaining direction is a rounding error
			return nil, fmt.Errorf("hierarchy: row %d: text %d is opposite to the root", row, root)
		}
		predicted := map[int]bool{}
		// A point lies between start and end, and so do its inner products with the texts. It need
		// not be normalized, because the nearest direction is the same.
		atStart, atEnd, point := p.products(p.Texts[start]), p.products(end), make([]float64, len(texts))
		for i := range steps {
			for text, value := range atStart {
				point[text] = value - float64(i)*(value-atEnd[text]/length)/steps
			}
			predicted[p.TextIDs[largest(point, all)]] = true
		}
		own := p.rowIDs(row)
		hit, recall := 0.0, 0.0
		if slices.Contains(own, p.TextIDs[root]) {
			hit = 1
		}
		for _, id := range own {
			if predicted[id] {
				recall++
			}
		}
		recall /= float64(p.Levels)
		t.Starts, t.Roots, t.Inclusion = append(t.Starts, start), append(t.Roots, root), append(t.Inclusion, inside)
		t.RowPrecision, t.RowRecall = append(t.RowPrecision, share(predicted, own)), append(t.RowRecall, recall)
		t.RowHit = append(t.RowHit, hit)
	}
	t.Precision, t.Recall, t.RootHits = mean(t.RowPrecision), mean(t.RowRecall), mean(t.RowHit)
	return t, nil
}

// pair combines means and log variances.
func pair(name string, means, logVariances [][]float64) ([]gaussian.Diagonal, error) {
	if len(means) != len(logVariances) {
		return nil, fmt.Errorf("hierarchy: %d %ss with %d log variances", len(means), name, len(logVariances))
	}
	joined := make([]gaussian.Diagonal, len(means))
	for i := range means {
		joined[i] = gaussian.Diagonal{Mean: means[i], LogVariance: logVariances[i]}
		if err := joined[i].Check(); err != nil {
			return nil, fmt.Errorf("hierarchy: %s %d: %w", name, i, err)
		}
	}
	return joined, nil
}

// InclusionRate returns the fraction of the pairs in which inner lies inside outer by ProLIP's test
// H > 0, summed over the coordinates. ProLIP uses it for photographs and versions of them that show
// only some segments. The test compares variances and ignores the means; see gaussian.Inclusion.
// Empty lists, lists of different lengths, and pairs that differ in width or hold values that are
// not finite are errors.
func InclusionRate(inclusion gaussian.Inclusion, inner, outer []gaussian.Diagonal) (float64, error) {
	if len(inner) == 0 || len(inner) != len(outer) {
		return 0, fmt.Errorf("hierarchy: %d inner against %d outer Gaussians", len(inner), len(outer))
	}
	hits := 0
	for i := range inner {
		for _, d := range []gaussian.Diagonal{inner[i], outer[i]} {
			if err := d.Check(); err != nil {
				return 0, fmt.Errorf("hierarchy: pair %d: %w", i, err)
			}
		}
		if len(inner[i].Mean) != len(outer[i].Mean) {
			return 0, fmt.Errorf("hierarchy: pair %d has %d and %d values", i, len(inner[i].Mean), len(outer[i].Mean))
		}
		if inclusion.Compare(inner[i], outer[i]) > 0 {
			hits++
		}
	}
	return float64(hits) / float64(len(inner)), nil
}
