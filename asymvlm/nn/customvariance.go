package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/special"
)

// givenVariances converts outputs to variances for a user-defined loss: by softplus with raw means,
// as in PFE, or by the exponential function with unit means, as in PCME++ and ProLIP.
type givenVariances[F device.Float] struct {
	ops      device.Operations[F]
	softplus bool
}

func (g givenVariances[F]) unit() bool { return !g.softplus }

func (g givenVariances[F]) variances(sums []float64, scratch, outputs device.Matrix[F]) {
	if g.softplus {
		g.ops.SoftplusSums(sums, outputs)
		return
	}
	g.ops.Exponential(scratch, sums, outputs)
}

func (givenVariances[F]) initialize() {}

func (givenVariances[F]) scale() float64 { return 1 }

func (givenVariances[F]) gradient(*varianceBatch[F]) float64 { return math.NaN() } // never called: the loss is user-defined

func (givenVariances[F]) described() device.TrainingLoss { return nil }

// varianceGradient sets the gradients of the outputs of both networks and of the numbers.
func (c *customLoss[F]) varianceGradient(b *varianceBatch[F], softplus bool) (float64, error) {
	outputs := b.outputs[Texts]
	batch, loss, err := c.evaluate(outputs.Rows,
		func(pairs int) *custom.Batch { return custom.NewVarianceBatch(pairs, outputs.Columns, len(c.numbers)) },
		func(seen *custom.Batch) {
			for side := range b.outputs {
				for i, row := range seen.LogVariances[side] {
					widen(seen.Means[side][i], b.means[side].Row(i))
					widen(row, b.outputs[side].Row(i))
					for j, output := range row {
						if softplus {
							row[j] = logSoftplus(output)
						}
					}
				}
			}
		})
	if err != nil {
		return loss, err
	}
	for side, rows := range batch.DLogVariances {
		for i, row := range rows {
			narrow(b.dOutputs[side].Row(i), row)
			if !softplus {
				continue
			}
			dOutput, output := b.dOutputs[side].Row(i), b.outputs[side].Row(i)
			for j, d := range row {
				dOutput[j] = F(d * logSoftplusSlope(float64(output[j])))
			}
		}
	}
	return loss, nil
}

// logSoftplusSlope returns the derivative of log log(1 + eˣ), which approaches 1 for x → −∞.
func logSoftplusSlope(x float64) float64 {
	if x < -30 {
		return 1
	}
	return special.Sigmoid(x) / special.Softplus(x)
}

// cosineGradient overwrites cosines, images × texts, with the derivatives of the loss and sets the
// gradients of the numbers.
func (c *customLoss[F]) cosineGradient(cosines device.Matrix[F]) (float64, error) {
	batch, loss, err := c.evaluate(cosines.Rows,
		func(pairs int) *custom.Batch { return custom.NewCosineBatch(pairs, len(c.numbers)) },
		func(seen *custom.Batch) {
			for i, row := range seen.LogLikelihoods {
				widen(row, cosines.Row(i)[:seen.Pairs()])
			}
		})
	if err != nil {
		return loss, err
	}
	for i, row := range batch.DLogLikelihoods {
		narrow(cosines.Row(i), row)
	}
	return loss, nil
}
