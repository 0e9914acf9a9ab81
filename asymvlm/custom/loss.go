// Package custom defines user-defined losses and models for training adapters: the inputs of a
// loss, the values it returns, and the check that its gradient is the derivative of the loss. It
// does not train.
//
// A loss is a function of a batch and sets the derivatives of the inputs that it uses:
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
// Package graph creates a Loss from a formula written as a graph, which needs no derivatives.
//
// Dimensions: B pairs in a batch, D embedding width.
package custom

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// A Number is a trained scalar with its initial value. Weight decay applies to it as to all
// parameters.
//
// A Number named tau (Temperature) is the adapter's temperature. It begins above 0, and a training
// that ends with one below 0 is an error. Methods that train the logarithm of their own
// temperature, such as the residual ones, also train that of tau: the derivative in tau grows with
// the size of the likelihoods, and a change that is too large takes κ to 0. The loss has tau and
// its derivative in any case. Like the temperatures of the papers it is not used in scores unless
// the method's likelihood contains it.
type Number struct {
	Name  string
	First float64
}

// Temperature is the name of the Number that is the adapter's temperature.
const Temperature = "tau"

// A Loss replaces a method's own loss. Its methods are called by one goroutine at a time.
type Loss interface {
	// Name identifies the loss: a checkpoint is resumed only with a loss of the same name and
	// numbers.
	Name() string
	// Numbers returns the trained numbers of the loss. It must always return the same ones.
	Numbers() []Number
	// Differentiate returns the loss of a batch and adds its derivatives to those of the batch,
	// which are 0 on entry. Batches may have different numbers of pairs. The batch's memory is
	// reused after Differentiate returns.
	Differentiate(batch *Batch) (float64, error)
}

// A Func is a Loss implemented by a function that returns the loss of a batch and adds its
// derivatives.
type Func struct {
	Label      string // the loss's name
	Parameters []Number
	Loss       func(batch *Batch) float64
}

// Name returns the label.
func (f Func) Name() string { return f.Label }

// Numbers returns the parameters.
func (f Func) Numbers() []Number { return f.Parameters }

// Differentiate calls the function. A Func without a function returns an error.
func (f Func) Differentiate(batch *Batch) (float64, error) {
	if f.Loss == nil {
		return 0, fmt.Errorf("custom: loss %q has no function", f.Label)
	}
	return f.Loss(batch), nil
}

// Validate returns an error for a loss without a name, and for numbers with empty or duplicate
// names or an initial value that is not finite.
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
