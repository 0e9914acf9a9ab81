package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// onFrozenMeans is an Objective that learns variances around given means.
type onFrozenMeans struct {
	name string
	of   properties
	// loss32 and loss64 return the loss; they are functions of one generic body.
	loss32 func(b *builder[float32]) varianceLoss[float32]
	loss64 func(b *builder[float64]) varianceLoss[float64]
}

// KeepsMeans reports whether the objective learns variances around the given embeddings, so that
// retrieval by the cosine does not change.
func (a Architecture) KeepsMeans() bool {
	_, frozen := a.Objective.(*onFrozenMeans)
	return frozen
}

func (v *onFrozenMeans) String() string { return v.name }

func (v *onFrozenMeans) properties() properties { return v.of }

func (v *onFrozenMeans) single(b *builder[float32]) (objective[float32], error) {
	return newFrozen(b, v, v.loss32)
}

func (v *onFrozenMeans) double(b *builder[float64]) (objective[float64], error) {
	return newFrozen(b, v, v.loss64)
}

// frozen implements PFE, PCME++ and ProLIP as adapted by AsymVLM's reference implementation: the
// means are the given embeddings, networks on both sides learn the variances of every coordinate,
// and retrieval is by the cosine of the means. Recall is therefore that of CLIP, and only the order
// by uncertainty is learned.
type frozen[F device.Float] struct {
	ops      device.Operations[F]
	networks [2]*network[F] // by Side
	loss     varianceLoss[F]
	units    [2]directions[F]
	dOutput  [2]device.Matrix[F]
	batch    varianceBatch[F]
	custom   *customLoss[F] // replaces the gradient of loss, or nil
}

// A varianceLoss is a loss of means and of the outputs of the variance networks.
type varianceLoss[F device.Float] interface {
	// unit reports whether the means and the inputs of the networks are normalized.
	unit() bool
	// variances sets sums to the sums of the variances of every row of outputs. It may use scratch,
	// the memory of the gradient.
	variances(sums []float64, scratch, outputs device.Matrix[F])
	// initialize sets the scalars that are trained with the networks.
	initialize()
	// scale returns the factor on the similarities.
	scale() float64
	// gradient returns the loss and sets the gradients with respect to the outputs and to its own
	// scalars. It is called after variances was called for both sides.
	gradient(b *varianceBatch[F]) float64
	// described returns the loss for a device, or nil if no device computes it.
	described() device.TrainingLoss
}

// A varianceBatch holds the inputs and gradients of a variance loss, by Side.
type varianceBatch[F device.Float] struct {
	means, outputs, dOutputs [2]device.Matrix[F]
	sums                     [2][]float64 // of the variances of every row
}

func newFrozen[F device.Float](b *builder[F], v *onFrozenMeans, newLoss func(b *builder[F]) varianceLoss[F]) (objective[F], error) {
	f := &frozen[F]{ops: b.ops}
	for _, side := range []Side{Texts, Images} {
		f.networks[side] = newNetwork(b, side.name(), b.sizes())
		f.dOutput[side] = device.NewMatrix[F](b.batch, b.Dimension)
	}
	if b.Loss != nil {
		f.custom, f.loss = newCustomLoss(b, ""), givenVariances[F]{b.ops, v.of.unit == [2]bool{}}
	} else {
		f.loss = newLoss(b)
	}
	return f, nil
}

func (f *frozen[F]) initialize(source *rand.Rand) {
	for _, n := range f.networks {
		n.initialize(source)
	}
	f.loss.initialize()
	if f.custom != nil {
		f.custom.initialize()
	}
}

func (f *frozen[F]) temperature() float64 {
	if f.custom != nil {
		return f.custom.temperature()
	}
	return f.loss.scale()
}

func (f *frozen[F]) width() int { return f.dOutput[Texts].Columns }

// means returns the means, which are also the inputs of the networks.
func (f *frozen[F]) means(side Side, raw device.Matrix[F]) device.Matrix[F] {
	if !f.loss.unit() {
		return raw
	}
	f.units[side].set(f.ops, raw)
	return f.units[side].mu
}

// represent sets dst to the unit embeddings and u to the mean variances.
func (f *frozen[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	output := f.networks[side].forward(f.means(side, raw))
	f.loss.variances(u, f.dOutput[side].Top(raw.Rows), output)
	for r := range u {
		u[r] /= float64(output.Columns)
	}
	f.units[side].set(f.ops, raw)
	copy(dst.Values, f.units[side].mu.Values)
	return true
}

func (f *frozen[F]) score(dst, images, texts device.Matrix[F]) {
	f.ops.ProductRightTransposed(dst, images, texts)
}

func (f *frozen[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	b := &f.batch
	for side, raw := range [2]device.Matrix[F]{Texts: texts, Images: images} {
		b.means[side] = f.means(Side(side), raw)
		b.outputs[side] = f.networks[side].forward(b.means[side])
		b.dOutputs[side] = f.dOutput[side].Top(raw.Rows)
		b.sums[side] = grow(b.sums[side], raw.Rows)
		f.loss.variances(b.sums[side], b.dOutputs[side], b.outputs[side])
	}
	meanVariance := mean(b.sums[Texts]) / float64(f.width())
	result := StepResult{Temperature: f.temperature(), MeanConcentration: 1 / meanVariance}
	if f.custom == nil {
		result.Loss = f.loss.gradient(b)
	} else {
		var err error
		if result.Loss, err = f.custom.varianceGradient(b, f.softplus()); err != nil {
			return result, err
		}
	}
	if err := firstNotFinite(
		NotFiniteError{"the scale", result.Temperature}, NotFiniteError{"the mean variance", meanVariance},
		NotFiniteError{"the loss", result.Loss},
		NotFiniteError{"the gradient of the text outputs", f.ops.Dot(b.dOutputs[Texts], b.dOutputs[Texts])},
		NotFiniteError{"the gradient of the image outputs", f.ops.Dot(b.dOutputs[Images], b.dOutputs[Images])},
	); err != nil {
		return result, err
	}
	for side, n := range f.networks {
		n.backward(b.means[side], b.dOutputs[side])
	}
	return result, nil
}

// Gaussians maps raw embeddings of one side to the diagonal Gaussians of a method that learns
// variances on frozen means: the means, normalized except for PFE, and the log variances, row by
// row. ok is false for other methods.
func (l *learner[F]) Gaussians(side Side, raw device.Matrix[F]) (means, logVariances device.Matrix[F], ok bool) {
	f, ok := l.objective.(*frozen[F])
	if !ok {
		return means, logVariances, false
	}
	means, logVariances = device.NewMatrix[F](raw.Rows, raw.Columns), device.NewMatrix[F](raw.Rows, raw.Columns)
	for from := 0; from < raw.Rows; from += l.batch {
		rows := part(raw, from, min(l.batch, raw.Rows-from))
		taken := f.means(side, rows)
		copy(part(means, from, rows.Rows).Values, taken.Values)
		copy(part(logVariances, from, rows.Rows).Values, f.networks[side].forward(taken).Values)
	}
	if f.softplus() {
		for i, output := range logVariances.Values {
			logVariances.Values[i] = F(logSoftplus(float64(output)))
		}
	}
	return means, logVariances, true
}

// softplus reports whether variances are the softplus of the outputs rather than their
// exponentials.
func (f *frozen[F]) softplus() bool { return !f.loss.unit() }

// logSoftplus returns log log(1 + eˣ), which approaches x for x → −∞.
func logSoftplus(x float64) float64 {
	if x < -30 {
		return x
	}
	return math.Log(special.Softplus(x))
}

// work describes the training to a device.
func (f *frozen[F]) work(plan *device.TrainingPlan, _ Architecture) (side Side, ok bool) {
	plan.Loss = f.loss.described()
	return Texts, plan.Loss != nil
}

func (f *frozen[F]) seen(s device.SeenStep) (StepResult, error) {
	return StepResult{Loss: s.Loss, Temperature: s.Temperature, MeanConcentration: 1 / s.Concentration}, firstNotFinite(
		NotFiniteError{"the scale", s.Temperature}, NotFiniteError{"the mean variance", s.Concentration}, NotFiniteError{"the loss", s.Loss},
		NotFiniteError{"the gradient of the outputs", s.Gradient})
}
