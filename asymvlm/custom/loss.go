// Package custom is where losses of one's own come into the training of an adapter: what such a loss is given, what it
// has to give back, and the check that its gradient is the derivative of its loss. It trains nothing itself.
//
// The loss is a function of a batch and sets the derivatives of what it uses:
//
//	hinge := custom.Func{
//		Label: "hinge", Parameters: []custom.Number{{Name: "margin", First: 0.2}},
//		Loss: func(b *custom.Batch) (loss float64) {
//			for s, row := range b.LogLikelihoods {
//				for r, ell := range row {
//					if lack := b.Numbers[0] + ell - row[s]; r != s && lack > 0 {
//						loss += lack
//						b.DLogLikelihoods[s][r]++
//						b.DLogLikelihoods[s][s]--
//						b.DNumbers[0]++
//					}
//				}
//			}
//			return loss
//		},
//	}
//	options.Loss = hinge            // of adapter.Options
//
// Package graph makes the same out of a loss that is written as a graph, whose gradient then needs no writing.
//
// Dimensions: B pairs in a batch, D embedding width.
package custom

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// A Number is what is trained besides the network, such as a temperature, with its first value. Weight decay applies to
// it as to all parameters. One called tau is the adapter's temperature; like the temperatures of the papers it has no
// part in scores unless the method's likelihood has it.
type Number struct {
	Name  string
	First float64
}

// A Loss takes the place of a method's own loss. Its methods are called by one goroutine at a time.
type Loss interface {
	// Name tells the loss apart from others: a checkpoint is resumed only with a loss of the same name and numbers.
	Name() string
	// Numbers returns the numbers that are trained with it, always the same ones.
	Numbers() []Number
	// Differentiate returns the loss of a batch and adds its derivatives to those of the batch, which are 0 before. The
	// batch may have fewer pairs than others, and its memory is used again when Differentiate has returned.
	Differentiate(batch *Batch) (float64, error)
}

// A Batch is what a loss sees: B pairs of an image and its own text, and the trained numbers. Each value has the place
// for its derivative beside it. What is there depends on the method; the other matrices have no rows.
//
//	asymvlm-*, siglip-*, determ-ft   LogLikelihoods, Natural, Images
//	pfe, pcmepp, prolip              Means, LogVariances
//	elip, elip-itc                   LogLikelihoods, which are the cosines of the adapted embeddings
//
// A loss may use any of the first three, LogLikelihoods being a function of the other two: the training adds up what comes
// through each of them, so a loss sets the partial derivatives of its own formula only.
type Batch struct {
	// LogLikelihoods are ℓ, B×B, of image s under text r at [s][r]: with the zero-based normaliser and without a
	// temperature. The true pairs are on the diagonal.
	LogLikelihoods [][]float64
	// Natural are the outputs of the network, B×D, the natural parameters η = κμ of the texts.
	Natural [][]float64
	// Images are the images' embeddings, B×D, of length 1. They are not trained. (For asymvlm-image, whose network is on
	// the images, Natural belongs to the images, Images are the texts, and LogLikelihoods has the texts as rows.)
	Images [][]float64
	// Means and LogVariances, each by Side and B×D, are the normal densities of the texts and of the images, log σ² for every
	// coordinate. The means are the given embeddings, of length 1 but for pfe, and are not trained.
	Means        [2][][]float64
	LogVariances [2][][]float64
	// Numbers are the values of the trained numbers, in their order.
	Numbers []float64

	DLogLikelihoods [][]float64    // B×B
	DNatural        [][]float64    // B×D
	DLogVariances   [2][][]float64 // by Side, B×D
	DNumbers        []float64
}

// The two sides of a batch's Means and LogVariances.
const (
	Texts  = 0
	Images = 1
)

// NewBatch returns a batch of zeros.
func NewBatch(pairs, dimension, numbers int) *Batch {
	return &Batch{
		LogLikelihoods: square(pairs, pairs), Natural: square(pairs, dimension), Images: square(pairs, dimension),
		Numbers:         make([]float64, numbers),
		DLogLikelihoods: square(pairs, pairs), DNatural: square(pairs, dimension), DNumbers: make([]float64, numbers),
	}
}

// NewVarianceBatch returns a batch of zeros for methods that learn variances.
func NewVarianceBatch(pairs, dimension, numbers int) *Batch {
	b := &Batch{Numbers: make([]float64, numbers), DNumbers: make([]float64, numbers)}
	for side := range b.Means {
		b.Means[side], b.LogVariances[side], b.DLogVariances[side] = square(pairs, dimension), square(pairs, dimension), square(pairs, dimension)
	}
	return b
}

// NewCosineBatch returns a batch of zeros for methods whose loss is one of cosines.
func NewCosineBatch(pairs, numbers int) *Batch {
	return &Batch{LogLikelihoods: square(pairs, pairs), DLogLikelihoods: square(pairs, pairs),
		Numbers: make([]float64, numbers), DNumbers: make([]float64, numbers)}
}

// Pairs returns B.
func (b *Batch) Pairs() int { return max(len(b.LogLikelihoods), len(b.LogVariances[Texts])) }

// ClearDerivatives sets all derivatives to 0.
func (b *Batch) ClearDerivatives() {
	for _, rows := range [][][]float64{b.DLogLikelihoods, b.DNatural, b.DLogVariances[Texts], b.DLogVariances[Images], {b.DNumbers}} {
		for _, row := range rows {
			clear(row)
		}
	}
}

// square returns rows of one piece of memory.
func square(rows, columns int) [][]float64 {
	values, all := make([]float64, rows*columns), make([][]float64, rows)
	for i := range all {
		all[i] = values[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return all
}

// A Func is a loss made of a function that returns the loss of a batch and adds its derivatives.
type Func struct {
	Label      string // the loss's name
	Parameters []Number
	Loss       func(batch *Batch) float64
}

// Name returns the label.
func (f Func) Name() string { return f.Label }

// Numbers returns the parameters.
func (f Func) Numbers() []Number { return f.Parameters }

// Differentiate calls the function. A Func without a function is an error.
func (f Func) Differentiate(batch *Batch) (float64, error) {
	if f.Loss == nil {
		return 0, fmt.Errorf("custom: loss %q has no function", f.Label)
	}
	return f.Loss(batch), nil
}

// Validate reports a loss without a name, and numbers without names, with the same name or without a finite first value.
func Validate(loss Loss) error {
	if loss.Name() == "" {
		return fmt.Errorf("custom: a loss needs a name, by which checkpoints know it")
	}
	seen := map[string]bool{}
	for i, n := range loss.Numbers() {
		switch {
		case n.Name == "" || strings.ContainsFunc(n.Name, unicode.IsSpace):
			return fmt.Errorf("custom: number %d of loss %q is called %q, want a name without blanks", i, loss.Name(), n.Name)
		case seen[n.Name]:
			return fmt.Errorf("custom: loss %q has two numbers called %q", loss.Name(), n.Name)
		case math.IsNaN(n.First) || math.IsInf(n.First, 0):
			return fmt.Errorf("custom: number %q of loss %q begins at %g", n.Name, loss.Name(), n.First)
		}
		seen[n.Name] = true
	}
	return nil
}
