package nn

import (
	"fmt"
	"math"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
)

// customLoss puts a loss from outside, which computes in float64, between the log-likelihoods and the network.
type customLoss[F device.Float] struct {
	loss    custom.Loss
	names   []custom.Number
	numbers []*tensor[F]
	batches map[int]*custom.Batch // by number of pairs: full ones and the short one at the end of an epoch
	g       device.Matrix[F]
	columns []float64 // the sums of its columns
	checked bool
}

// checkedPairs is the size of the batch for which the derivatives are checked: the loss of 32 pairs is cheap enough to
// be taken some dozens of times even when a cell's loops compute it.
const checkedPairs = 32

// newCustomLoss takes the loss's numbers from the tensors.
func newCustomLoss[F device.Float](b *builder[F]) *customLoss[F] {
	c := &customLoss[F]{loss: b.Loss, names: b.Loss.Numbers(), batches: map[int]*custom.Batch{}}
	for _, n := range c.names {
		c.numbers = append(c.numbers, b.tensors.take("loss."+n.Name))
	}
	return c
}

func (c *customLoss[F]) initialize() {
	for i, n := range c.names {
		c.numbers[i].values[0] = F(n.First)
	}
	c.checked = false
}

// temperature returns the number called tau, or 1.
func (c *customLoss[F]) temperature() float64 {
	for i, n := range c.names {
		if n.Name == "tau" {
			return c.numbers[i].number()
		}
	}
	return 1
}

// gradient sets dEta and the gradients of the numbers. The first batch's derivatives are checked.
func (c *customLoss[F]) gradient(a *asymmetric[F], eta, ell device.Matrix[F]) (loss float64, err error) {
	if !c.checked {
		if err := custom.Check(c.loss, c.fill(eta, a.anchors.mu, ell, min(eta.Rows, checkedPairs))); err != nil {
			return 0, err
		}
		c.checked = true
	}
	batch := c.fill(eta, a.anchors.mu, ell, eta.Rows)
	loss, err = c.loss.Differentiate(batch)
	if err != nil {
		return loss, fmt.Errorf("nn: loss %q: %w", c.loss.Name(), err)
	}
	c.g = device.Matrix[F]{Rows: ell.Rows, Columns: ell.Columns, Values: grow(c.g.Values, len(ell.Values))}
	c.columns = grow(c.columns, ell.Columns)
	clear(c.columns)
	for s, row := range batch.DLogLikelihoods {
		narrow(c.g.Row(s), row)
		for r, value := range row {
			c.columns[r] += value
		}
	}
	dEta := a.dEta.Top(eta.Rows)
	a.likelihood.gradient(dEta, slopes[F]{g: c.g, columns: c.columns}, a.anchors.mu, 1)
	for r, row := range batch.DNatural {
		addScaled(dEta.Row(r), row, 1)
	}
	checks := []NotFiniteError{{"the loss", loss}}
	for i, n := range c.names {
		c.numbers[i].gradient[0] = F(batch.DNumbers[i])
		checks = append(checks, NotFiniteError{"the derivative of " + n.Name, batch.DNumbers[i]})
	}
	return loss, firstNotFinite(append(checks, NotFiniteError{"the gradient of the outputs", a.ops.Dot(dEta, dEta)})...)
}

// fill copies the first pairs of a batch to what the loss sees.
func (c *customLoss[F]) fill(eta, images, ell device.Matrix[F], pairs int) *custom.Batch {
	b := c.batches[pairs]
	if b == nil {
		b = custom.NewBatch(pairs, eta.Columns, len(c.numbers))
		c.batches[pairs] = b
	}
	b.ClearDerivatives()
	for i := range pairs {
		widen(b.Natural[i], eta.Row(i))
		widen(b.Images[i], images.Row(i))
		widen(b.LogLikelihoods[i], ell.Row(i)[:pairs])
	}
	for i, number := range c.numbers {
		b.Numbers[i] = number.number()
	}
	return b
}

func widen[F device.Float](dst []float64, values []F) {
	for i, value := range values {
		dst[i] = float64(value)
	}
}

func narrow[F device.Float](dst []F, values []float64) {
	for i, value := range values {
		dst[i] = F(value)
	}
}

// differentiateCustom is the end of differentiate with a loss from outside.
func (a *asymmetric[F]) differentiateCustom(adapted, eta, ell device.Matrix[F], result StepResult) (StepResult, error) {
	var err error
	if math.IsNaN(result.MeanConcentration) || math.IsInf(result.MeanConcentration, 0) {
		return result, &NotFiniteError{"the mean concentration", result.MeanConcentration}
	}
	if result.Loss, err = a.custom.gradient(a, eta, ell); err != nil {
		return result, err
	}
	dEta := a.dEta.Top(eta.Rows)
	scale(dEta, a.factor)
	a.network.backward(adapted, dEta)
	return result, nil
}
