package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// A residual objective trains two adapters on the same batches: the estimator with the likelihood,
// whose outputs have the length κ, and the ranker with the cosine, whose outputs have the
// direction. The result is
//
//	η = κ · (x + W·x + b)/‖x + W·x + b‖
//
// with κ = ‖x + V·x + c‖, or that of a concentrationHead, with V and c of the estimator, and W and
// b of the ranker. The penalty ½·λ·(‖W‖² + ‖b‖²) with λ = Architecture.RankerDecay keeps the ranker
// near the identity, so that few pairs do not lower the recall of the raw embeddings. The estimator
// needs none, because its directions are not used. A likelihood without a concentration needs no
// estimator.
type residual[F device.Float] struct {
	*asymmetric[F] // the estimator, or else the ranker
	ranker         *asymmetric[F]
}

// RankerPrefix begins the names of the ranker's tensors beside an estimator. Those of the estimator
// have no prefix, so that a file without a ranker is that of an adapter with W = V and b = c.
const RankerPrefix = "ranker."

// FirstSharpness is τκ₀, the factor on cosines, before the first step of a residual adapter that
// learns κ apart.
const FirstSharpness = 30

func newResidual[F device.Float](b *builder[F], o onOneSide) (objective[F], error) {
	estimator := *b
	if b.FirstConcentration > 0 && b.Likelihood.concentrated() {
		// The slope of the loss in τ grows with κ₀, that in log τ does not.
		estimator.LogTemperature = true
		if b.FirstTemperature == 0 {
			estimator.FirstTemperature = FirstSharpness / b.FirstConcentration
		}
	}
	main, err := newAsymmetric(&estimator, o, "")
	if err != nil {
		return nil, err
	}
	r := &residual[F]{asymmetric: main, ranker: main}
	if main.concentrated {
		of := *b
		of.Likelihood = Cosine
		if r.ranker, err = newAsymmetric(&of, o, RankerPrefix); err != nil {
			return nil, err
		}
		if r.custom != nil {
			r.ranker.custom.batches = r.custom.batches // shared, because one is trained after the other
		}
	}
	if r.head != nil {
		r.head.ranker = r.ranker.outputs
	}
	r.ranker.ridge = F(b.RankerDecay)
	return r, nil
}

// centerNorms sets the scale of the norms in the concentrations.
func (r *residual[F]) centerNorms(norms []float64) {
	if r.head != nil {
		r.head.center(norms)
	}
}

// fixedTensors returns the tensors that steps do not change.
func (r *residual[F]) fixedTensors() []*tensor[F] {
	if r.head == nil {
		return nil
	}
	return []*tensor[F]{r.head.scale}
}

func (r *residual[F]) hasEstimator() bool { return r.ranker != r.asymmetric }

func (r *residual[F]) initialize(source *rand.Rand) {
	r.asymmetric.initialize(source)
	if r.hasEstimator() {
		r.ranker.initialize(source)
	}
}

func (r *residual[F]) temperatureTensors() []*tensor[F] {
	list := r.asymmetric.temperatureTensors()
	if r.hasEstimator() {
		list = append(list, r.ranker.temperatureTensors()...)
	}
	return list
}

// differentiate returns the result of the estimator. The two losses are independent.
func (r *residual[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	result, err := r.asymmetric.differentiate(texts, images)
	if err == nil && r.hasEstimator() {
		_, err = r.ranker.differentiate(texts, images)
	}
	return result, err
}

// represent returns natural parameters with the direction of the ranker and the length of the
// estimator.
func (r *residual[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	uncertain := r.asymmetric.represent(dst, u, side, raw)
	if side != r.side || !r.hasEstimator() {
		return uncertain
	}
	if r.head != nil { // whose rows have the directions of the ranker, and κ before it was rounded
		for i := range u {
			u[i] = 1 / r.head.kappa[i]
		}
		return uncertain
	}
	directions := r.ranker.outputs(raw)
	for i := range raw.Rows {
		row, direction := dst.Row(i), directions.Row(i)
		factor := norm(row) / norm(direction)
		for j, x := range direction {
			row[j] = F(factor * float64(x))
		}
	}
	return uncertain
}

// work reports that the steps of two adapters are not one step of a device.
func (r *residual[F]) work(*device.TrainingPlan, Architecture) (Side, bool) { return r.side, false }
