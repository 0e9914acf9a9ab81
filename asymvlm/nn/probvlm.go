package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/gaussian"
)

// Objectives of ProbVLM.
var (
	// ProbVLM is ProbVLM as in AsymVLM's reference implementation.
	ProbVLM Objective = ofReconstruction{"reconstruction", gaussian.Official}
	// ProbVLMExact is the same with the generalized Gaussian's own likelihood.
	ProbVLMExact Objective = ofReconstruction{"reconstruction-exact", gaussian.Exact}
)

type ofReconstruction struct {
	name string
	form gaussian.Form
}

func (o ofReconstruction) String() string { return o.name }

func (ofReconstruction) properties() properties {
	return properties{fixedDepth: true, unmaskable: true, separate: true}
}

func (o ofReconstruction) single(b *builder[float32]) (objective[float32], error) {
	return newReconstruction(b, o.form), nil
}

func (o ofReconstruction) double(b *builder[float64]) (objective[float64], error) {
	return newReconstruction(b, o.form), nil
}

// reconstruction is ProbVLM as in AsymVLM's reference implementation: each side has a network with
// a residual connection and three heads on the sum, for the mean, 1/α and β of generalized
// Gaussians. They are fitted to the raw embedding of the same side and, with a small weight, to
// that of the other:
//
//	L_I(x) + L_T(e) + 1e-4 [L_I(e) + L_T(x)]
//
// In the official form, that of the published tables, L is not the likelihood of a density; see
// gaussian.Generalized. ProbVLM itself has a hidden width of 256, dropout and rectified heads.
type reconstruction[F device.Float] struct {
	ops     device.Operations[F]
	form    gaussian.Form
	towers  [2]*tower[F] // by Side
	units   directions[F]
	custom  *customLoss[F] // replaces the loss, or nil
	columns int
}

// crossWeight is the weight of the embedding of the other side.
const crossWeight = 1e-4

// heads is the number of heads: the mean, 1/α and β, the last two before softplus.
const heads = 3

// A tower is the network of one side.
type tower[F device.Float] struct {
	trunk    *network[F]
	heads    [heads]*network[F]
	sum      device.Matrix[F] // trunk + input
	dSum     device.Matrix[F]
	dInput   device.Matrix[F] // of one head
	dOutputs [heads]device.Matrix[F]
}

func newReconstruction[F device.Float](b *builder[F], form gaussian.Form) *reconstruction[F] {
	r := &reconstruction[F]{ops: b.ops, form: form, columns: b.Dimension}
	for _, side := range []Side{Texts, Images} {
		t := &tower[F]{
			trunk: newNetwork(b, side.name()+".trunk", []int{b.Dimension, b.Hidden, b.Hidden, b.Dimension}),
			sum:   device.NewMatrix[F](b.batch, b.Dimension), dSum: device.NewMatrix[F](b.batch, b.Dimension),
			dInput: device.NewMatrix[F](b.batch, b.Dimension),
		}
		for i, name := range [heads]string{"mu", "q", "beta"} {
			t.heads[i] = newNetwork(b, side.name()+".head_"+name, []int{b.Dimension, b.Dimension, b.Dimension})
			t.dOutputs[i] = device.NewMatrix[F](b.batch, b.Dimension)
		}
		r.towers[side] = t
	}
	if b.Loss != nil {
		r.custom = newCustomLoss(b, "")
	}
	return r
}

func (r *reconstruction[F]) initialize(source *rand.Rand) {
	for _, t := range r.towers {
		t.trunk.initialize(source)
		for _, head := range t.heads {
			head.initialize(source)
		}
	}
	if r.custom != nil {
		r.custom.initialize()
	}
}

// forward returns the outputs of the heads. They are valid until the next call.
func (t *tower[F]) forward(raw device.Matrix[F]) (outputs device.Heads[F]) {
	sum := t.sum.Top(raw.Rows)
	t.trunk.ops.Sum(sum, t.trunk.forward(raw), raw)
	for i, head := range t.heads {
		outputs[i] = head.forward(sum)
	}
	return outputs
}

// backward sets the gradients of all layers from dOutputs.
func (t *tower[F]) backward(raw device.Matrix[F]) {
	sum, dSum, dInput := t.sum.Top(raw.Rows), t.dSum.Top(raw.Rows), t.dInput.Top(raw.Rows)
	for i, head := range t.heads {
		if i == 0 {
			head.backwardTo(dSum, sum, t.dOutputs[i].Top(raw.Rows))
			continue
		}
		head.backwardTo(dInput, sum, t.dOutputs[i].Top(raw.Rows))
		t.trunk.ops.Sum(dSum, dSum, dInput)
	}
	t.trunk.backward(raw, dSum)
}

// generalized converts the outputs of the heads to the form of package gaussian.
func generalized[F device.Float](outputs device.Heads[F]) gaussian.Generalized {
	return gaussian.Generalized{
		Mean: doubles(outputs[0].Values), RawInverseScale: doubles(outputs[1].Values), RawShape: doubles(outputs[2].Values),
	}
}

func (r *reconstruction[F]) temperature() float64 {
	if r.custom != nil {
		return r.custom.temperature()
	}
	return 1
}

func (r *reconstruction[F]) width() int { return r.columns }

// represent sets dst to the normalized means. The uncertainty is 1/mean variance in the official
// form, as in AsymVLM's reference implementation, so a large predicted variance counts as certain.
// In the exact form it is the mean variance.
func (r *reconstruction[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	outputs := r.towers[side].forward(raw)
	r.units.set(r.ops, outputs[0])
	copy(dst.Values, r.units.mu.Values)
	uncertainties, err := generalized(outputs).Uncertainties(r.form, raw.Columns)
	if err != nil {
		panic(err) // cannot happen: the shapes are those of the networks
	}
	copy(u, uncertainties)
	return true
}

func (r *reconstruction[F]) score(dst, images, texts device.Matrix[F]) {
	r.ops.ProductRightTransposed(dst, images, texts)
}

func (r *reconstruction[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	raw := [2]device.Matrix[F]{Texts: texts, Images: images}
	var outputs, gradients [2]device.Heads[F]
	for side, t := range r.towers {
		outputs[side] = t.forward(raw[side])
		for i := range t.dOutputs {
			gradients[side][i] = t.dOutputs[i].Top(texts.Rows)
		}
	}
	result := StepResult{Temperature: r.temperature(), MeanConcentration: 1 / r.ops.GeneralizedVariance(outputs[Texts])}
	if err := r.loss(&result, raw, outputs, gradients); err != nil {
		return result, err
	}
	for side := range r.towers {
		for i := range heads {
			// An infinite output can have a finite loss, and a finite one an infinite gradient.
			if err := firstNotFinite(NotFiniteError{"the loss", result.Loss},
				NotFiniteError{"an output", r.ops.Dot(outputs[side][i], outputs[side][i])},
				NotFiniteError{"the gradient of the outputs", r.ops.Dot(gradients[side][i], gradients[side][i])}); err != nil {
				return result, err
			}
		}
	}
	for side, t := range r.towers {
		t.backward(raw[side])
	}
	return result, nil
}

// loss sets the loss and the gradients of the heads.
func (r *reconstruction[F]) loss(result *StepResult, raw [2]device.Matrix[F], outputs, gradients [2]device.Heads[F]) (err error) {
	if r.custom != nil {
		result.Loss, err = r.custom.reconstructionGradient(r.towers, raw, outputs)
		return err
	}
	for side := range r.towers {
		// The target of the same side comes first; the other has the small weight.
		targets := [2]device.Matrix[F]{raw[side], raw[1-side]}
		result.Loss += r.ops.GeneralizedGaussian(gradients[side], outputs[side], targets, r.form == gaussian.Exact)
	}
	return nil
}

// work describes the training to a device.
func (r *reconstruction[F]) work(plan *device.TrainingPlan, of Architecture) (side Side, ok bool) {
	plan.Loss = device.ReconstructionLoss{Exact: r.form == gaussian.Exact}
	plan.Widths = []int{r.columns, of.Hidden, of.Hidden, r.columns}
	return Texts, r.custom == nil
}

func (r *reconstruction[F]) seen(s device.SeenStep) (StepResult, error) {
	return StepResult{Loss: s.Loss, Temperature: s.Temperature, MeanConcentration: 1 / s.Concentration}, firstNotFinite(
		NotFiniteError{"the loss", s.Loss}, NotFiniteError{"an output", s.Slope}, NotFiniteError{"the gradient of the outputs", s.Gradient},
		NotFiniteError{"the mean variance", s.Concentration})
}
