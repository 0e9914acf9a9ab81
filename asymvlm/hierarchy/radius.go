package hierarchy

import (
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/retrieval"
)

// radii is the number of thresholds in HierarCaps' program.
const radii = 50

// Metrics holds HierarCaps' own measures.
type Metrics struct {
	Precision, Recall float64 // means over images
	Order             float64 // d_corr, the mean over rows of Kendall's tau between level and radius

	Thresholds     []float64
	ImagePrecision []float64 // N values
	ImageRecall    []float64 // N values
	Predicted      []int     // N values, the number of different predicted texts
	RowOrder       []float64 // R values
}

// Radius computes HierarCaps' measures like its program. The radius of a text is its distance from
// the root. For each image, and each of 50 thresholds from the smallest to the largest radius of
// all texts, the text nearest to the image within the threshold is predicted. Precision is the
// fraction of an image's predictions that are among its captions, and recall the fraction of the
// levels of which a caption was predicted, each over all rows of the image. Rows that share an
// image count once in both means. Order is computed by row; equal radii count as in order. The cost
// is 50·N·R·L comparisons. An image without a row is an error, as are lists that do not match and
// vectors of norm 0.
func (c Chains) Radius() (*Metrics, error) {
	p, err := c.prepare()
	if err != nil {
		return nil, err
	}
	radius := make([]float64, len(p.Texts))
	for text, v := range p.Texts {
		square := 0.0
		for j, value := range v {
			square += (value - p.Root[j]) * (value - p.Root[j])
		}
		radius[text] = math.Sqrt(square)
	}
	m := &Metrics{Thresholds: make([]float64, radii)}
	low, high := slices.Min(radius), slices.Max(radius)
	for i := range m.Thresholds {
		m.Thresholds[i] = low + float64(i)*((high-low)/(radii-1))
	}
	m.Thresholds[radii-1] = high // rounding would exclude the outermost text
	rowsOf, err := p.rowsOfImages()
	if err != nil {
		return nil, err
	}
	for image, rows := range rowsOf {
		predicted := map[int]bool{}
		products := p.products(p.Images[image])
		for _, threshold := range m.Thresholds {
			text := largest(products, func(text int) bool { return radius[text] <= threshold })
			predicted[p.TextIDs[text]] = true
		}
		m.Predicted = append(m.Predicted, len(predicted))
		precision, recall := p.imageShare(predicted, rows)
		m.ImagePrecision, m.ImageRecall = append(m.ImagePrecision, precision), append(m.ImageRecall, recall)
	}
	for row := range p.RowImages {
		m.RowOrder = append(m.RowOrder, order(radius[row*p.Levels:(row+1)*p.Levels]))
	}
	m.Precision, m.Recall, m.Order = mean(m.ImagePrecision), mean(m.ImageRecall), mean(m.RowOrder)
	return m, nil
}

// imageShare returns the precision and recall of the predictions for an image with the given rows.
func (p *prepared) imageShare(predicted map[int]bool, rows []int) (precision, recall float64) {
	var wanted [][]int
	for _, row := range rows {
		wanted = append(wanted, p.rowIDs(row))
	}
	for level := range p.Levels {
		if slices.ContainsFunc(wanted, func(ids []int) bool { return predicted[ids[level]] }) {
			recall++
		}
	}
	return share(predicted, wanted...), recall / float64(p.Levels)
}

// rowsOfImages returns the rows of each image. An image without a row is an error, because it has
// no captions to find and would count as a failure.
func (p *prepared) rowsOfImages() ([][]int, error) {
	rowsOf := make([][]int, len(p.Images))
	for row, image := range p.RowImages {
		rowsOf[image] = append(rowsOf[image], row)
	}
	for image, rows := range rowsOf {
		if len(rows) == 0 {
			return nil, fmt.Errorf("hierarchy: image %d is the image of no row", image)
		}
	}
	return rowsOf, nil
}

// order returns Kendall's tau between values and their indices, where equal values count as in
// order. This is the result of a stable sort followed by a comparison of the permutation with the
// identity.
func order(values []float64) float64 {
	places := make([]int, len(values))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return int(sign(values[a] - values[b])) })
	x, y := make([]float64, len(values)), make([]float64, len(values))
	for i, place := range places {
		x[i], y[i] = float64(place), float64(i)
	}
	return retrieval.Kendall(x, y)
}

// sign returns −1, 0 or 1.
func sign(x float64) float64 {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}
