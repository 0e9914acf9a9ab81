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
