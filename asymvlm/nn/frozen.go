package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// frozen is what AsymVLM's program makes of PFE, PCME++ and ProLIP: the means are the given embeddings, networks on
// both sides learn the variances of every coordinate, and retrieval is by the cosine of the means. Recall is
// therefore that of CLIP, and only the order by uncertainty is learned.
type frozen[F device.Float] struct {
	ops      device.Operations[F]
	networks [2]*network[F] // by Side
	loss     varianceLoss[F]
	units    [2]directions[F]
	dOutput  [2]device.Matrix[F]
}

// A varianceLoss is a loss of means and of the outputs of the variance networks.
type varianceLoss[F device.Float] interface {
	// unit tells whether means, and what the networks take, are scaled to length 1.
	unit() bool
	// variance turns an output into a variance.
	variance(output float64) float64
	// initialize sets the numbers that are trained besides the networks.
	initialize()
	// scale returns the factor on the similarities.
	scale() float64
	// gradient returns the loss and sets the gradients with respect to the outputs and to its own numbers. All
	// arrays are by Side.
	gradient(means, outputs, dOutputs [2]device.Matrix[F]) float64
}

func newFrozen[F device.Float](b *builder[F]) (objective[F], error) {
	f := &frozen[F]{ops: b.ops}
	for _, side := range []Side{Texts, Images} {
		f.networks[side] = newNetwork(b, side.name(), b.sizes())
		f.dOutput[side] = device.NewMatrix[F](b.batch, b.Dimension)
	}
	switch b.Objective {
	case MutualLikelihood:
		f.loss = mutualLikelihood[F]{}
	case MatchingProbability:
		f.loss = newMatchingProbability(b)
	default:
		f.loss = newProbabilisticPairs(b)
	}
	return f, nil
}

func (f *frozen[F]) initialize(source *rand.Rand) {
	for _, n := range f.networks {
		n.initialize(source)
	}
	f.loss.initialize()
}

func (f *frozen[F]) temperature() float64 { return f.loss.scale() }

func (f *frozen[F]) width() int { return f.dOutput[Texts].Columns }

// means returns what counts as means, which is also the input of the networks.
func (f *frozen[F]) means(side Side, raw device.Matrix[F]) device.Matrix[F] {
	if !f.loss.unit() {
		return raw
	}
	f.units[side].set(raw)
	return f.units[side].mu
}

// represent gives the unit embeddings, and as uncertainty the mean variance.
func (f *frozen[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	f.meanVariances(u, f.networks[side].forward(f.means(side, raw)))
	f.units[side].set(raw)
	copy(dst.Values, f.units[side].mu.Values)
	return true
}

// meanVariances sets u to the mean over the coordinates of every row.
func (f *frozen[F]) meanVariances(u []float64, output device.Matrix[F]) {
	for r := range u {
		sum := 0.0
		for _, value := range output.Row(r) {
			sum += f.loss.variance(float64(value))
		}
		u[r] = sum / float64(output.Columns)
	}
}

func (f *frozen[F]) score(dst, images, texts device.Matrix[F]) {
	f.ops.ProductRightTransposed(dst, images, texts)
}

func (f *frozen[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	var means, outputs, dOutputs [2]device.Matrix[F]
	for side, raw := range [2]device.Matrix[F]{Texts: texts, Images: images} {
		means[side] = f.means(Side(side), raw)
		outputs[side] = f.networks[side].forward(means[side])
		dOutputs[side] = f.dOutput[side].Top(raw.Rows)
	}
	variances := make([]float64, texts.Rows)
	f.meanVariances(variances, outputs[Texts])
	result := StepResult{Temperature: f.temperature(), MeanConcentration: 1 / mean(variances)}
	result.Loss = f.loss.gradient(means, outputs, dOutputs)
	if err := firstNotFinite(
		NotFiniteError{"the scale", result.Temperature}, NotFiniteError{"the mean variance", mean(variances)},
		NotFiniteError{"the loss", result.Loss},
		NotFiniteError{"the gradient of the text outputs", f.ops.Dot(dOutputs[Texts], dOutputs[Texts])},
		NotFiniteError{"the gradient of the image outputs", f.ops.Dot(dOutputs[Images], dOutputs[Images])},
	); err != nil {
		return result, err
	}
	for side, n := range f.networks {
		n.backward(means[side], dOutputs[side])
	}
	return result, nil
}

// logVariances is the part of the losses whose networks give l = log σ².
type logVariances struct{}

func (logVariances) unit() bool { return true }

func (logVariances) variance(output float64) float64 { return math.Exp(output) }

// traces returns Σ exp(l) of every row.
func traces[F device.Float](outputs device.Matrix[F]) []float64 {
	sums := make([]float64, outputs.Rows)
	for r := range sums {
		for _, l := range outputs.Row(r) {
			sums[r] += math.Exp(float64(l))
		}
	}
	return sums
}

// spread sets the gradient with respect to l from that with respect to the traces.
func spread[F device.Float](dOutput, outputs device.Matrix[F], dTraces []float64) {
	for r, factor := range dTraces {
		row := dOutput.Row(r)
		for j, l := range outputs.Row(r) {
			row[j] = F(factor * math.Exp(float64(l)))
		}
	}
}
