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

// A LastLayer is the shape of an encoder's last linear layer, e = Wφ + b: W is D×Inputs. With
// Inputs 0 it is the identity on the embeddings, φ = e and W = I, for data without the inputs of
// the layer.
type LastLayer struct {
	Inputs int  // width of φ
	Bias   bool // whether there is a b
}

// Objectives of BayesVLM, on the last layers or on embeddings. They require the Optimizer
// Accumulate.
var (
	// Laplace is BayesVLM with its reference implementation's expression for the evidence.
	Laplace Objective = ofLaplace{"laplace", gaussian.Official}
	// LaplaceExact is the same with the exact evidence.
	LaplaceExact Objective = ofLaplace{"laplace-exact", gaussian.Exact}
)

type ofLaplace struct {
	name string
	form gaussian.Form
}

func (o ofLaplace) String() string { return o.name }

func (ofLaplace) properties() properties {
	return properties{fixedWidth: true, fixedDepth: true, unmaskable: true, sums: true}
}

func (o ofLaplace) single(b *builder[float32]) (objective[float32], error) {
	return newBayes(b, o.form), nil
}
func (o ofLaplace) double(b *builder[float64]) (objective[float64], error) {
	return newBayes(b, o.form), nil
}

// bayes is BayesVLM: the Laplace approximation of the last layer of each side, with the curvature
// as a Kronecker product. Nothing is trained by descent: every step adds the curvature of one
// batch, whose other side is the class set, and the covariance follows from the sums. A raw row is
// the layer's input φ, or the embedding if the layer is the identity.
//
// In the official form, that of the published tables, the precision of the prior maximizes the
// reference implementation's expression for the evidence. In the exact form it maximizes the
// evidence.
type bayes[F device.Float] struct {
	form       gaussian.Form
	columns    int
	prediction Prediction
	count      *tensor[F]       // of pairs
	factors    [2][2]*tensor[F] // by Side, then Σ φφᵀ and Σ H; φ ends with a 1 where the layer has a bias
	weights    [2]*tensor[F]    // W by Side, nil for the identity
	biases     [2]*tensor[F]    // b by Side, nil for none
	posteriors [2]*posterior    // by Side, computed on first use
	scale      float64          // of the logits
	prior      [2]float64       // the initial precision of the search, and the number of its steps
	ops        device.Operations[F]
}

// A posterior holds the parts of one side's posterior that predictions need.
type posterior struct {
	inputs  *mat.SymDense // inverse of A′
	outputs []float64     // diagonal of the inverse of B′
}

const (
	logitScale  = 100 // of CLIP's trained models, whose scale is clamped there
	pseudoCount = 10  // of the authors' zero-shot implementation
	// The authors start at 300 to 800 and run 300 to 1000 steps.
	firstPrecision = 300
	precisionSteps = 300
)

func newBayes[F device.Float](b *builder[F], form gaussian.Form) *bayes[F] {
	n := &bayes[F]{form: form, columns: b.Dimension, ops: b.ops, scale: logitScale, prior: [2]float64{firstPrecision, precisionSteps}}
	for _, side := range []Side{Texts, Images} {
		inputs, layer := b.Dimension, b.Layers[side]
		if layer.Inputs > 0 {
			inputs = layer.Inputs
			n.weights[side] = b.tensors.take(side.name()+".weight", b.Dimension, inputs)
		}
		if layer.Bias {
			inputs++
			n.biases[side] = b.tensors.take(side.name()+".bias", b.Dimension)
		}
		n.factors[side][0] = b.tensors.take(side.name()+".inputs", inputs, inputs)
		n.factors[side][1] = b.tensors.take(side.name()+".outputs", b.Dimension, b.Dimension)
	}
	n.count = b.tensors.take("count")
	return n
}

// initialize clears the sums. Layers are given, not learned, and are kept.
func (n *bayes[F]) initialize(*rand.Rand) {
	for _, side := range n.factors {
		for _, sum := range side {
			clear(sum.values)
		}
	}
	n.count.values[0] = 0
	n.posteriors = [2]*posterior{}
}

func (n *bayes[F]) temperature() float64 { return n.scale }

func dense[F device.Float](m device.Matrix[F]) *mat.Dense {
	return mat.NewDense(m.Rows, m.Columns, doubles(m.Values))
}

// inputs returns φ of raw rows, with an appended 1 if the layer has a bias.
func (n *bayes[F]) inputs(side Side, raw device.Matrix[F]) *mat.Dense {
	if n.biases[side] == nil {
		return dense(raw)
	}
	longer := mat.NewDense(raw.Rows, raw.Columns+1, nil)
	for r := range raw.Rows {
		row := longer.RawRowView(r)
		widen(row, raw.Row(r))
		row[raw.Columns] = 1
	}
	return longer
}

// embeddings returns Wφ + b of raw rows.
func (n *bayes[F]) embeddings(side Side, raw device.Matrix[F]) device.Matrix[F] {
	if n.weights[side] == nil {
		return raw
	}
	e := device.NewMatrix[F](raw.Rows, n.columns)
	n.ops.ProductRightTransposed(e, raw, n.weights[side].matrix())
	if bias := n.biases[side]; bias != nil {
		for r := range e.Rows {
			row := e.Row(r)
			for j, value := range bias.values {
				row[j] += value
			}
		}
	}
	return e
}

// differentiate sets the gradients to the batch's contributions to the sums. The loss is that of
// the unchanged layers.
func (n *bayes[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	result := StepResult{Temperature: n.scale}
	raw := [2]device.Matrix[F]{Texts: texts, Images: images}
	var e [2]device.Matrix[F]
	var doubled [2]*mat.Dense
	for side := range e {
		e[side] = n.embeddings(Side(side), raw[side])
		doubled[side] = dense(e[side])
	}
	checks := []NotFiniteError{}
	for side, sums := range n.factors {
		h, err := laplace.Hessian(laplace.InfoNCE, doubled[side], doubled[1-side], laplace.Logits{Scale: n.scale})
		if err != nil {
			return result, &NotFiniteError{"a length", math.NaN()}
		}
		var a mat.SymDense
		a.SymOuterK(1, n.inputs(Side(side), raw[side]).T())
		for i, added := range []*mat.SymDense{&a, h} {
			total, width := 0.0, added.SymmetricDim()
			for j := range width {
				for k := range width {
					value := added.At(j, k)
					sums[i].gradient[j*width+k] = F(value)
					total += value * value
				}
			}
			checks = append(checks, NotFiniteError{"a factor", total})
		}
	}
	n.count.gradient[0] = F(texts.Rows)
	n.posteriors = [2]*posterior{}
	var units [2]directions[F]
	units[Texts].set(n.ops, e[Texts])
	units[Images].set(n.ops, e[Images])
	cosines := device.NewMatrix[F](texts.Rows, texts.Rows)
	n.ops.ProductRightTransposed(cosines, units[Images].mu, units[Texts].mu)
	loss := contrastive[F]{ops: n.ops}
	result.Loss, _ = loss.loss(cosines, F(n.scale))
	return result, firstNotFinite(append(checks, NotFiniteError{"the loss", result.Loss})...)
}

// posterior returns the posterior of one side, computing it on first use.
func (n *bayes[F]) posterior(side Side) (*posterior, error) {
	if n.posteriors[side] != nil {
		return n.posteriors[side], nil
	}
	pairs := n.count.number()
	if pairs < 1 {
		return nil, fmt.Errorf("nn: the posterior of no pairs")
	}
	var symmetric [2]*mat.SymDense
	for i, sum := range n.factors[side] {
		symmetric[i] = mat.NewSymDense(sum.shape[0], doubles(sum.values))
		symmetric[i].ScaleSym(1/math.Sqrt(pairs), symmetric[i])
	}
	factors := laplace.Factors{Inputs: symmetric[0], Outputs: symmetric[1]}
	evidence, err := laplace.NewEvidence(factors, n.squaredWeights(side), pseudoCount)
	if err != nil {
		return nil, err
	}
	precision := n.prior[0]
	if steps := int(n.prior[1]); steps > 0 {
		precision = evidence.Fit(n.form, precision, steps)[steps-1]
	}
	whole, err := laplace.NewPosterior(factors, pseudoCount, precision)
	if err != nil {
		return nil, err
	}
	p := &posterior{inputs: whole.Inputs, outputs: make([]float64, n.columns)}
	for j := range p.outputs {
		p.outputs[j] = whole.Outputs.At(j, j)
	}
	n.posteriors[side] = p
	return p, nil
}

// squaredWeights returns |W|² + |b|², which is the width D for the identity.
func (n *bayes[F]) squaredWeights(side Side) float64 {
	if n.weights[side] == nil {
		return float64(n.columns)
	}
	sum := inner(n.weights[side].values, n.weights[side].values)
	if bias := n.biases[side]; bias != nil {
		sum += inner(bias.values, bias.values)
	}
	return sum
}

// width returns the number of columns of means and variances side by side.
func (n *bayes[F]) width() int { return 2 * n.columns }

// represent sets dst to m/√N and v/N with N = Σ(m²+v), which determine all moments of cosines, and
// u to Σv/|m|². If a factor that is not finite makes the posterior undefined, all are NaN.
func (n *bayes[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	p, err := n.posterior(side)
	inputs, means := n.inputs(side, raw), n.embeddings(side, raw)
	var spread mat.Dense
	if err == nil {
		spread.Mul(inputs, p.inputs)
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
		for j, value := range means.Row(r) {
			m := float64(value)
			square += m * m
			trace += factor * p.outputs[j]
		}
		u[r] = trace / square
		for j, value := range means.Row(r) {
			row[j] = F(float64(value) / math.Sqrt(square+trace))
			row[n.columns+j] = F(factor * p.outputs[j] / (square + trace))
		}
	}
	return true
}
