package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"fmt"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// Ensemble is five of ELIP's adapters with the contrastive loss and independent weights.
var Ensemble Objective = ofEnsemble{}

type ofEnsemble struct{}

func (ofEnsemble) String() string { return "ensemble" }

func (ofEnsemble) properties() properties { return properties{fixedWidth: true, fixedDepth: true} }

func (ofEnsemble) single(b *builder[float32]) (objective[float32], error) { return newEnsemble(b), nil }
func (ofEnsemble) double(b *builder[float64]) (objective[float64], error) { return newEnsemble(b), nil }

// ensemble is CLIP-ensemble: five pairs of ELIP's adapters with the contrastive loss and
// independent weights, trained on the same batches. They retrieve by the mean of their cosines.
type ensemble[F device.Float] struct {
	ops     device.Operations[F]
	members []*bottleneck[F]
	buffer  device.Matrix[F]
}

// ensembleSize is the number of members (the ELIP paper, section 5).
const ensembleSize = 5

func newEnsemble[F device.Float](b *builder[F]) *ensemble[F] {
	e := &ensemble[F]{ops: b.ops, buffer: device.NewMatrix[F](b.batch, b.Dimension)}
	for i := range ensembleSize {
		member := newBottleneck(b, fmt.Sprintf("member.%d.", i), false)
		if i > 0 && member.custom != nil {
			member.custom.batches = e.members[0].custom.batches // shared, because members are trained one after the other
		}
		e.members = append(e.members, member)
	}
	return e
}

func (e *ensemble[F]) initialize(source *rand.Rand) {
	for _, member := range e.members {
		member.initialize(source)
	}
}

// temperature returns the mean ι of the members.
func (e *ensemble[F]) temperature() float64 {
	sum := 0.0
	for _, member := range e.members {
		sum += member.temperature()
	}
	return sum / ensembleSize
}

// differentiate returns the sum of the members' losses, which are independent.
func (e *ensemble[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	total := StepResult{Temperature: e.temperature()}
	for i, member := range e.members {
		result, err := member.differentiate(texts, images)
		total.Loss += result.Loss
		if err != nil {
			return total, fmt.Errorf("nn: member %d: %w", i, err)
		}
	}
	return total, nil
}

func (e *ensemble[F]) width() int { return ensembleSize * e.buffer.Columns }

// represent concatenates the unit vectors of the members, so that the inner product of two rows is
// the sum of the cosines.
func (e *ensemble[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	own := e.buffer.Top(raw.Rows)
	for i, member := range e.members {
		member.represent(own, u, side, raw)
		for r := range raw.Rows {
			copy(dst.Row(r)[i*raw.Columns:], own.Row(r))
		}
	}
	return false
}

func (e *ensemble[F]) score(dst, images, texts device.Matrix[F]) {
	e.ops.ProductRightTransposed(dst, images, texts)
	for i := range dst.Values {
		dst.Values[i] /= ensembleSize
	}
}

// queries returns the variance over the members of the cosine of every query with the item it
// retrieves.
func (e *ensemble[F]) queries(best Retrieved, images, texts representation[F]) (ofTexts, ofImages []float64) {
	for text, image := range best.ImageOfText {
		ofTexts = append(ofTexts, e.variance(images.Rows.Row(image), texts.Rows.Row(text)))
	}
	for image, text := range best.TextOfImage {
		ofImages = append(ofImages, e.variance(images.Rows.Row(image), texts.Rows.Row(text)))
	}
	return ofTexts, ofImages
}

// variance returns the population variance of the members' cosines of two rows.
func (e *ensemble[F]) variance(image, text []F) float64 {
	cosines := make([]float64, ensembleSize)
	columns := len(image) / ensembleSize
	for i := range cosines {
		from := i * columns
		cosines[i] = inner(image[from:from+columns], text[from:from+columns])
	}
	center, sum := mean(cosines), 0.0
	for _, c := range cosines {
		sum += (c - center) * (c - center)
	}
	return sum / ensembleSize
}

// work describes the training to a device.
func (e *ensemble[F]) work(plan *device.TrainingPlan, of Architecture) (side Side, ok bool) {
	side, ok = e.members[0].work(plan, of)
	plan.Loss = device.AdapterLoss{Members: ensembleSize}
	return side, ok
}

func (e *ensemble[F]) seen(s device.SeenStep) (StepResult, error) { return seenAdapters(s) }
