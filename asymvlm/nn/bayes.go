package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/laplace"
)

// bayes is BayesVLM on cached embeddings. The inputs of the encoders' last layers are not cached, so the layer is
// taken to be the identity on the embeddings, φ = e and W = I. Nothing is trained: every step adds the curvature of
// one batch, whose other side is the class set, and the covariance follows from the sums.
//
// In the official form, which the published tables were made with, the precision of the prior maximises what that
// program took for the evidence; in the exact form the evidence.
type bayes[F device.Float] struct {
	form    gaussian.Form
	columns int
	count   *tensor[F]       // of pairs
	factors [2][2]*tensor[F] // by Side, then Σ φφᵀ and Σ H
	layers  [2]*layer        // by Side, made when first wanted
	ops     device.Operations[F]
}

// A layer is the posterior of one side.
type layer struct {
	inputs  *mat.SymDense // inverse of A′
	outputs []float64     // diagonal of the inverse of B′
}

const (
	logitScale  = 100 // of CLIP's trained models, where the scale ends at its limit
	pseudoCount = 10  // of the authors' zero-shot program
	// The authors begin at 300 to 800 and do 300 to 1000 steps.
	firstPrecision = 300
	precisionSteps = 300
)

func newBayes[F device.Float](b *builder[F]) *bayes[F] {
	n := &bayes[F]{form: gaussian.Official, columns: b.Dimension, ops: b.ops}
	if b.Objective == LaplaceExact {
		n.form = gaussian.Exact
	}
	for _, side := range []Side{Texts, Images} {
		for i, name := range [2]string{".inputs", ".outputs"} {
			n.factors[side][i] = b.tensors.take(side.name()+name, b.Dimension, b.Dimension)
		}
	}
	n.count = b.tensors.take("count")
	return n
}

// initialize forgets all batches.
func (n *bayes[F]) initialize(*rand.Rand) {
	for _, side := range n.factors {
		for _, sum := range side {
			clear(sum.values)
		}
	}
	n.count.values[0] = 0
	n.layers = [2]*layer{}
}

func (n *bayes[F]) temperature() float64 { return logitScale }

func dense[F device.Float](m device.Matrix[F]) *mat.Dense {
	return mat.NewDense(m.Rows, m.Columns, doubles(m.Values))
}

// differentiate sets the gradients to what the batch adds to the sums. The loss is that of the given embeddings.
func (n *bayes[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	result := StepResult{Temperature: logitScale}
	raw := [2]*mat.Dense{Texts: dense(texts), Images: dense(images)}
	checks := []NotFiniteError{}
	for side, sums := range n.factors {
		h, err := laplace.Hessian(laplace.InfoNCE, raw[side], raw[1-side], laplace.Logits{Scale: logitScale})
		if err != nil {
			return result, &NotFiniteError{"a length", math.NaN()}
		}
		var a mat.SymDense
		a.SymOuterK(1, raw[side].T())
		for i, added := range []*mat.SymDense{&a, h} {
			total := 0.0
			for j := range n.columns {
				for k := range n.columns {
					value := added.At(j, k)
					sums[i].gradient[j*n.columns+k] = F(value)
					total += value * value
				}
			}
			checks = append(checks, NotFiniteError{"a factor", total})
		}
	}
	n.count.gradient[0] = F(texts.Rows)
	n.layers = [2]*layer{}
	var units [2]directions[F]
	units[Texts].set(n.ops, texts)
	units[Images].set(n.ops, images)
	cosines := device.NewMatrix[F](texts.Rows, texts.Rows)
	n.ops.ProductRightTransposed(cosines, units[Images].mu, units[Texts].mu)
	loss := contrastive[F]{ops: n.ops}
	result.Loss, _ = loss.loss(cosines, logitScale)
	return result, firstNotFinite(append(checks, NotFiniteError{"the loss", result.Loss})...)
}

// posterior makes the layer of one side.
func (n *bayes[F]) posterior(side Side) (*layer, error) {
	if n.layers[side] != nil {
		return n.layers[side], nil
	}
	pairs := n.count.number()
	if pairs < 1 {
		return nil, fmt.Errorf("nn: the posterior of no pairs")
	}
	var symmetric [2]*mat.SymDense
	for i, sum := range n.factors[side] {
		symmetric[i] = mat.NewSymDense(n.columns, doubles(sum.values))
		symmetric[i].ScaleSym(1/math.Sqrt(pairs), symmetric[i])
	}
	factors := laplace.Factors{Inputs: symmetric[0], Outputs: symmetric[1]}
	evidence, err := laplace.NewEvidence(factors, float64(n.columns), pseudoCount) // |I|² is its width
	if err != nil {
		return nil, err
	}
	precision := evidence.Fit(n.form, firstPrecision, precisionSteps)[precisionSteps-1]
	posterior, err := laplace.NewPosterior(factors, pseudoCount, precision)
	if err != nil {
		return nil, err
	}
	l := &layer{inputs: posterior.Inputs, outputs: make([]float64, n.columns)}
	for j := range l.outputs {
		l.outputs[j] = posterior.Outputs.At(j, j)
	}
	n.layers[side] = l
	return l, nil
}

// width is that of means and variances side by side.
func (n *bayes[F]) width() int { return 2 * n.columns }

// represent gives m/√N and v/N with N = Σ(m²+v), from which both moments of a cosine are products. The uncertainty is
// Σv/|m|². Without a posterior, which takes a factor that is not finite, all are NaN.
func (n *bayes[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	l, err := n.posterior(side)
	inputs := dense(raw)
	var spread mat.Dense
	if err == nil {
		spread.Mul(inputs, l.inputs)
	}
	for r := range raw.Rows {
		row := dst.Row(r)
		if err != nil {
			u[r] = math.NaN()
			row[0] = F(math.NaN())
			continue
		}
		factor := mat.Dot(spread.RowView(r), inputs.RowView(r))
		square, trace := 0.0, 0.0
		for j, m := range inputs.RawRowView(r) {
			square += m * m
			trace += factor * l.outputs[j]
		}
		u[r] = trace / square
		for j, m := range inputs.RawRowView(r) {
			row[j] = F(m / math.Sqrt(square+trace))
			row[n.columns+j] = F(factor * l.outputs[j] / (square + trace))
		}
	}
	return true
}

// score gives the means of the cosines.
func (n *bayes[F]) score(dst, images, texts device.Matrix[F]) {
	n.ops.ProductRightTransposed(dst, n.means(images), n.means(texts))
}

// means returns the left halves of the rows.
func (n *bayes[F]) means(m device.Matrix[F]) device.Matrix[F] {
	half := device.NewMatrix[F](m.Rows, n.columns)
	for r := range m.Rows {
		copy(half.Row(r), m.Row(r))
	}
	return half
}

// queries gives every query the variance of its cosine with what it retrieves, in the authors' form.
func (n *bayes[F]) queries(best Retrieved, images, texts representation[F]) (ofTexts, ofImages []float64) {
	for text, image := range best.ImageOfText {
		ofTexts = append(ofTexts, n.variance(images.Rows.Row(image), texts.Rows.Row(text)))
	}
	for image, text := range best.TextOfImage {
		ofImages = append(ofImages, n.variance(images.Rows.Row(image), texts.Rows.Row(text)))
	}
	return ofTexts, ofImages
}

// variance returns Σ[(m₁²+v₁)v₂ + v₁m₂²]/(N₁N₂).
func (n *bayes[F]) variance(one, two []F) float64 {
	sum := 0.0
	for j := range n.columns {
		m1, v1 := float64(one[j]), float64(one[n.columns+j])
		m2, v2 := float64(two[j]), float64(two[n.columns+j])
		sum += (m1*m1+v1)*v2 + v1*m2*m2
	}
	return sum
}
