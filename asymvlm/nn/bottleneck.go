package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/evidence"
)

// Objectives of ELIP's adapters.
var (
	// Evidential is ELIP's loss.
	Evidential Objective = ofAdapters{"evidential", true}
	// EvidentialITC is the contrastive loss of the same adapters.
	EvidentialITC Objective = ofAdapters{"evidential-itc", false}
)

type ofAdapters struct {
	name       string
	evidential bool
}

func (o ofAdapters) String() string { return o.name }

func (o ofAdapters) properties() properties {
	return properties{fixedWidth: true, fixedDepth: true, unmaskable: o.evidential}
}

func (o ofAdapters) single(b *builder[float32]) (objective[float32], error) {
	return newBottleneck(b, "", o.evidential), nil
}

func (o ofAdapters) double(b *builder[float64]) (objective[float64], error) {
	return newBottleneck(b, "", o.evidential), nil
}

// bottleneck is ELIP on cached embeddings: each side has an adapter that projects to half the width
// and back, in parallel with the raw embedding; the sum is normalized, and a trained factor ι
// multiplies the cosines, ρ = ι v·w. ELIP itself has such adapters in every layer of both encoders;
// here only one adapter per side and the loss remain. The loss is the evidential one, or ("w/o EV")
// the contrastive one.
type bottleneck[F device.Float] struct {
	ops         device.Operations[F]
	evidential  bool
	klWeight    float64        // in the current epoch
	klFactor    float64        // after the first 15 epochs
	networks    [2]*network[F] // by Side
	iota        *tensor[F]
	contrastive contrastive[F]
	sums        [2]device.Matrix[F] // raw + adapted
	dSums       [2]device.Matrix[F]
	units       [2]directions[F]
	cosines     device.Matrix[F]
	custom      *customLoss[F] // replaces iota and the losses above, or nil
}

const (
	// firstIota is the initial factor on the cosines, CLIP's own initial temperature. CLIP's
	// trained factor, 100, leaves much less uncertainty than the paper shows.
	firstIota = 1 / 0.07
	// adapterSpread is the standard deviation of the initial weights (the paper, section 4).
	adapterSpread = 0.001
)

func newBottleneck[F device.Float](b *builder[F], prefix string, evidential bool) *bottleneck[F] {
	n := &bottleneck[F]{
		ops: b.ops, evidential: evidential, klFactor: 1,
		contrastive: contrastive[F]{ops: b.ops, mask: b.mask}, cosines: device.NewMatrix[F](b.batch, b.batch),
	}
	if b.KLWeight != nil {
		n.klFactor = *b.KLWeight
	}
	n.setEpoch(1)
	for _, side := range []Side{Texts, Images} {
		name := prefix + side.name()
		n.networks[side] = newNamedNetwork(b, []string{name + ".down", name + ".up"}, []int{b.Dimension, b.Dimension / 2, b.Dimension})
		n.sums[side] = device.NewMatrix[F](b.batch, b.Dimension)
		n.dSums[side] = device.NewMatrix[F](b.batch, b.Dimension)
	}
	if b.Loss != nil {
		n.custom = newCustomLoss(b, prefix)
		return n
	}
	n.iota = b.tensors.take(prefix + "iota")
	return n
}

func (n *bottleneck[F]) initialize(source *rand.Rand) {
	for _, network := range n.networks {
		for _, l := range network.layers {
			for _, values := range [][]F{l.weight.values, l.bias.values} {
				for i := range values {
					values[i] = F(adapterSpread * source.NormFloat64())
				}
			}
		}
	}
	if n.custom != nil {
		n.custom.initialize()
		return
	}
	n.iota.values[0] = firstIota
}

// setEpoch sets the weight of the divergence, which rises over the first 15 epochs.
func (n *bottleneck[F]) setEpoch(epoch int) { n.klWeight = n.klFactor * evidence.KLWeight(epoch) }

func (n *bottleneck[F]) temperature() float64 {
	if n.custom != nil {
		return n.custom.temperature()
	}
	return n.iota.number()
}

func (n *bottleneck[F]) width() int { return n.sums[Texts].Columns }

// adapt computes the unit vectors of one side.
func (n *bottleneck[F]) adapt(side Side, raw device.Matrix[F]) {
	sum := n.sums[side].Top(raw.Rows)
	n.ops.Sum(sum, n.networks[side].forward(raw), raw)
	n.units[side].set(n.ops, sum)
}

func (n *bottleneck[F]) represent(dst device.Matrix[F], _ []float64, side Side, raw device.Matrix[F]) bool {
	n.adapt(side, raw)
	copy(dst.Values, n.units[side].mu.Values)
	return false
}

// score sets dst to ρ. It includes the factor because the evidence for a candidate is exp(ρ).
func (n *bottleneck[F]) score(dst, images, texts device.Matrix[F]) {
	n.ops.ProductRightTransposed(dst, images, texts)
	factor := F(n.temperature())
	for i := range dst.Values {
		dst.Values[i] *= factor
	}
}

// queries returns M/S for every query, the belief mass not assigned to any candidate. It increases
// with the number of candidates, so only queries over equally many can be compared. The scores are
// recomputed block by block.
func (n *bottleneck[F]) queries(_ Retrieved, images, texts representation[F]) (ofTexts, ofImages []float64) {
	if !n.evidential {
		return nil, nil
	}
	const together = 256
	m, candidates := texts.Rows.Rows, images.Rows.Rows
	ofTexts, ofImages = make([]float64, m), make([]float64, candidates)
	block := device.NewMatrix[F](min(together, candidates), m)
	for from := 0; from < candidates; from += together {
		scores := block.Top(min(together, candidates-from))
		n.score(scores, part(images.Rows, from, scores.Rows), texts.Rows)
		for i := range scores.Rows {
			for j, rho := range scores.Row(i) {
				e := math.Exp(math.Min(float64(rho), evidenceLimit))
				ofImages[from+i] += e
				ofTexts[j] += e
			}
		}
	}
	for i, sum := range ofImages {
		ofImages[i] = float64(m) / (float64(m) + sum)
	}
	for j, sum := range ofTexts {
		ofTexts[j] = float64(candidates) / (float64(candidates) + sum)
	}
	return ofTexts, ofImages
}

// evidenceLimit is the value at which package evidence clamps similarities.
const evidenceLimit = 20

func (n *bottleneck[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	batch := texts.Rows
	n.adapt(Texts, texts)
	n.adapt(Images, images)
	cosines := device.Matrix[F]{Rows: batch, Columns: batch, Values: n.cosines.Values[:batch*batch]}
	n.ops.ProductRightTransposed(cosines, n.units[Images].mu, n.units[Texts].mu)
	result := StepResult{Temperature: n.temperature()}
	g, factor, dIota := cosines, n.temperature(), 0.0
	if n.custom == nil {
		g, dIota = n.loss(cosines, &result)
		n.iota.gradient[0] = F(dIota)
	} else {
		var err error
		if result.Loss, err = n.custom.cosineGradient(cosines); err != nil {
			return result, err
		}
		factor = 1 // the derivatives are those of the cosines
	}
	dTexts, dImages := n.dSums[Texts].Top(batch), n.dSums[Images].Top(batch)
	n.ops.ProductLeftTransposed(dTexts, g, n.units[Images].mu)
	n.ops.Product(dImages, g, n.units[Texts].mu)
	if err := firstNotFinite(
		NotFiniteError{"iota", result.Temperature}, NotFiniteError{"the loss", result.Loss},
		NotFiniteError{"the gradient of iota", dIota},
		NotFiniteError{"the gradient of the texts", n.ops.Dot(dTexts, dTexts)},
		NotFiniteError{"the gradient of the images", n.ops.Dot(dImages, dImages)},
	); err != nil {
		return result, err
	}
	for side, d := range [2]device.Matrix[F]{Texts: dTexts, Images: dImages} {
		n.across(Side(side), d, factor)
	}
	n.networks[Texts].backward(texts, dTexts)
	n.networks[Images].backward(images, dImages)
	return result, nil
}

// loss returns the gradients with respect to ρ, which overwrite the cosines, and to ι.
func (n *bottleneck[F]) loss(cosines device.Matrix[F], result *StepResult) (g device.Matrix[F], dIota float64) {
	if !n.evidential {
		loss, slopes := n.contrastive.loss(cosines, n.iota.values[0])
		result.Loss = loss
		return slopes.g, slopes.dScale
	}
	// Use float64: the divergence as printed cancels, and even the stable form needs the precision.
	similarities := doubles(cosines.Values)
	for i := range similarities {
		similarities[i] *= n.temperature()
	}
	part, err := evidence.Loss(similarities, n.klWeight)
	if err != nil {
		result.Loss = math.NaN() // a similarity that is not finite
		return cosines, 0
	}
	result.Loss = part.Loss
	for i, value := range part.Gradient {
		dIota += value * float64(cosines.Values[i])
		cosines.Values[i] = F(value)
	}
	return cosines, dIota
}

// across converts the gradient with respect to the unit vectors, divided by a factor ι, to the
// gradient with respect to the sums: ι (d − (d·v)v)/|sum|.
func (n *bottleneck[F]) across(side Side, d device.Matrix[F], factor float64) {
	for r := range d.Rows {
		unit, row := n.units[side].mu.Row(r), d.Row(r)
		along := inner(row, unit)
		scale := factor / math.Max(n.units[side].kappa[r], least)
		for j, value := range unit {
			row[j] = F(scale * (float64(row[j]) - along*float64(value)))
		}
	}
}

// work describes the training to a device.
func (n *bottleneck[F]) work(plan *device.TrainingPlan, _ Architecture) (side Side, ok bool) {
	plan.Loss, plan.Widths = device.AdapterLoss{Members: 1, Evidential: n.evidential, Divergence: n.klFactor}, n.networks[Texts].widths()
	return Texts, n.custom == nil
}

func (n *bottleneck[F]) seen(s device.SeenStep) (StepResult, error) { return seenAdapters(s) }

// seenAdapters converts the values of a step of ELIP's adapters.
func seenAdapters(s device.SeenStep) (StepResult, error) {
	return StepResult{Loss: s.Loss, Temperature: s.Temperature, MeanConcentration: s.Concentration}, firstNotFinite(
		NotFiniteError{"iota", s.Temperature}, NotFiniteError{"the loss", s.Loss}, NotFiniteError{"the gradient of iota", s.Slope},
		NotFiniteError{"the gradient of the outputs", s.Gradient})
}
