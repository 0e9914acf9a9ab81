package custom

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// A Tensor is a trained part of a model. Without a shape it is a scalar.
type Tensor struct {
	Name  string
	Shape []int
}

// length returns the number of values.
func (t Tensor) length() int {
	length := 1
	for _, n := range t.Shape {
		length *= n
	}
	return length
}

// Values holds the values of all tensors by name, in row-major order.
type Values map[string][]float64

// NewValues returns zeros for the given tensors.
func NewValues(tensors []Tensor) Values {
	v := Values{}
	for _, t := range tensors {
		v[t.Name] = make([]float64, t.length())
	}
	return v
}

// A Model is a user-defined method: its parameters, its loss with the gradient, and the comparison
// of texts and images. The functions must not retain their arguments, and several trainings may
// call them concurrently. adapter.Register gives a model a name.
//
// Rows are embeddings as produced by the encoder, B×D. Options.MatchLengths and TextLength may have
// rescaled unit images and unit texts.
type Model struct {
	// Tensors returns the trained tensors, at least one, for embeddings of the given width. A
	// scalar named tau is shown as the temperature of the training and must not end below 0.
	Tensors func(dimension int) []Tensor
	// Validate returns an error if the model cannot be used for embeddings of the given width; nil
	// accepts every width.
	Validate func(dimension int) error
	// Width returns the number of columns of representations; nil means the width of the
	// embeddings.
	Width func(dimension int) int
	// Initialize sets the initial values, which are 0 on entry; nil keeps them at 0.
	Initialize func(values Values, source *rand.Rand)
	// Differentiate returns the loss of B pairs, where row i of texts belongs to row i of images,
	// and adds its derivatives to gradient, which is 0 on entry. The first step of a training
	// compares them with differences of the loss.
	Differentiate func(values Values, texts, images [][]float64, gradient Values) (loss float64)
	// Represent sets the rows of dst, with Width columns, from the embeddings of one side, Texts or
	// Images, and their uncertainties; larger values are less certain. It reports whether the side
	// has uncertainties.
	Represent func(values Values, side int, raw, dst [][]float64, uncertainty []float64) (uncertain bool)
	// Score sets dst, N×M, to the retrieval scores of N images and M texts; larger is better. The
	// rows are those of Represent; nil uses inner products.
	Score func(values Values, dst, images, texts [][]float64)
}

// Check returns an error if a model for embeddings of the given width is incomplete.
func (m *Model) Check(dimension int) error {
	switch {
	case m.Tensors == nil:
		return fmt.Errorf("custom: a model without Tensors, which says what is trained")
	case m.Differentiate == nil:
		return fmt.Errorf("custom: a model without Differentiate, which returns the loss and its gradient")
	case m.Represent == nil:
		return fmt.Errorf("custom: a model without Represent, which makes of embeddings what scores are computed from")
	}
	if m.Validate != nil {
		if err := m.Validate(dimension); err != nil {
			return err
		}
	}
	tensors, seen := m.Tensors(dimension), map[string]bool{}
	if len(tensors) == 0 {
		return fmt.Errorf("custom: a model of dimension %d without a tensor, want at least one that is trained", dimension)
	}
	for _, t := range tensors {
		if t.Name == "" || seen[t.Name] || slices.ContainsFunc(t.Shape, func(n int) bool { return n < 1 }) {
			return fmt.Errorf("custom: tensor %q of shape %v, want names that differ and sizes from 1", t.Name, t.Shape)
		}
		seen[t.Name] = true
	}
	if width := m.Columns(dimension); width < 1 {
		return fmt.Errorf("custom: representations of %d columns, want at least 1", width)
	}
	return nil
}

// Columns returns the number of columns of representations.
func (m *Model) Columns(dimension int) int {
	if m.Width == nil {
		return dimension
	}
	return m.Width(dimension)
}

// CheckModel compares the gradient of a model with central differences of its loss, tensor by
// tensor in random directions, with nine evaluations for each tensor. A derivative that does not
// agree is a *GradientError that names the tensor. The values are changed temporarily and restored.
func CheckModel(m *Model, values Values, texts, images [][]float64) error {
	p := probe{m, values, texts, images, rand.New(rand.NewPCG(1, 1))}
	gradient := values.zeros()
	loss := m.Differentiate(values, texts, images, gradient)
	for _, tensor := range slices.Sorted(maps.Keys(values)) {
		if len(gradient[tensor]) != len(values[tensor]) {
			return fmt.Errorf("custom: Differentiate leaves %d derivatives of tensor %s, want %d", len(gradient[tensor]), tensor, len(values[tensor]))
		}
		for range directions {
			derivative, difference, bend := p.along(tensor, gradient[tensor])
			allowed := 10*agreement*(math.Abs(derivative)+math.Abs(difference)) + 1e-9*(1+math.Abs(loss)) // the second term is the rounding error of the loss
			if math.Abs(derivative-difference) > allowed+bend || math.IsNaN(difference-derivative) {
				return &GradientError{Loss: "model", Entry: tensor + ", in a random direction", Derivative: derivative, Difference: difference}
			}
		}
	}
	return nil
}

// A probe computes the loss of a model near its values.
type probe struct {
	model         *Model
	values        Values
	texts, images [][]float64
	source        *rand.Rand
}

// along returns the derivative of the loss along a random direction of one tensor according to the
// gradient, the central difference, and half the difference between the one-sided differences,
// which is large at a kink.
func (p probe) along(tensor string, gradient []float64) (derivative, difference, bend float64) {
	at, own := p.values[tensor], slices.Clone(p.values[tensor])
	signs := make([]float64, len(at))
	for i := range signs {
		signs[i] = float64(2*p.source.IntN(2)-1) / math.Sqrt(float64(len(at)))
		derivative += gradient[i] * signs[i]
	}
	loss := func(by float64) float64 {
		for i := range at {
			at[i] = own[i] + by*signs[i]
		}
		return p.model.Differentiate(p.values, p.texts, p.images, p.values.zeros())
	}
	here, above, below := loss(0), loss(step), loss(-step)
	copy(at, own)
	if up, down := (above-here)/step, (here-below)/step; math.Abs(up-down) > 1e-2*(math.Abs(up)+math.Abs(down)) {
		bend = math.Abs(up-down) / 2
	}
	return derivative, (above - below) / (2 * step), bend
}

// zeros returns zeros of the same lengths.
func (v Values) zeros() Values {
	all := Values{}
	for name, values := range v {
		all[name] = make([]float64, len(values))
	}
	return all
}
