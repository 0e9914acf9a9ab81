package nn

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
)

// A customLoss evaluates a user-defined loss, which computes in float64, between the
// log-likelihoods and the network.
type customLoss[F device.Float] struct {
	loss    custom.Loss
	names   []custom.Number
	numbers []*tensor[F]
	log     int                   // index of the number tau if its logarithm is trained, else -1
	batches map[int]*custom.Batch // by number of pairs: full batches and the short one at the end of an epoch
	g       device.Matrix[F]
	columns []float64 // the sums of its columns
	checked bool
}

// checkedPairs is the size of the batch for which the derivatives are checked. The loss of 32 pairs
// is cheap enough for some dozens of evaluations even in interpreted cell code.
const checkedPairs = 32

// newCustomLoss allocates the loss's numbers as tensors; the prefix distinguishes several losses. A
// number named tau is trained as the method's own temperature: by its logarithm if that is.
func newCustomLoss[F device.Float](b *builder[F], prefix string) *customLoss[F] {
	c := &customLoss[F]{loss: b.Loss, names: b.Loss.Numbers(), log: -1, batches: map[int]*custom.Batch{}}
	for i, n := range c.names {
		name := n.Name
		if name == custom.Temperature && b.logTau() {
			c.log, name = i, "log_"+name
		}
		c.numbers = append(c.numbers, b.tensors.take(prefix+"loss."+name))
	}
	return c
}

func (c *customLoss[F]) initialize() {
	for i, n := range c.names {
		first := n.First
		if i == c.log {
			first = math.Log(first)
		}
		c.numbers[i].values[0] = F(first)
	}
	c.checked = false
}

// number returns the value of a number.
func (c *customLoss[F]) number(i int) float64 {
	if i == c.log {
		return math.Exp(c.numbers[i].number())
	}
	return c.numbers[i].number()
}

// temperature returns the number named tau, or 1 if there is none.
func (c *customLoss[F]) temperature() float64 {
	for i, n := range c.names {
		if n.Name == custom.Temperature {
			return c.number(i)
		}
	}
	return 1
}

// evaluate returns a batch with the derivatives of the loss, and sets the gradients of the numbers.
// One batch is allocated for each number of pairs and reused in every step. The derivatives are
// checked for the first batch.
func (c *customLoss[F]) evaluate(pairs int, newBatch func(pairs int) *custom.Batch, fill func(b *custom.Batch)) (*custom.Batch, float64, error) {
	filled := func(pairs int) *custom.Batch {
		b := c.batches[pairs]
		if b == nil {
			b = newBatch(pairs)
			c.batches[pairs] = b
		}
		b.ClearDerivatives()
		for i := range c.numbers {
			b.Numbers[i] = c.number(i)
		}
		fill(b)
		return b
	}
	if !c.checked {
		first := filled(min(pairs, checkedPairs))
		if err := c.check(first); err != nil {
			return nil, 0, err
		}
		if missed := unused(first); missed != "" {
			return nil, 0, fmt.Errorf("nn: loss %q has no derivative with respect to %s, which is all that this method gives it; see custom.Batch", c.loss.Name(), missed)
		}
		c.checked = true
	}
	batch := filled(pairs)
	loss, err := c.loss.Differentiate(batch)
	if err != nil {
		return nil, loss, fmt.Errorf("nn: loss %q: %w", c.loss.Name(), err)
	}
	checks := []NotFiniteError{{"the loss", loss}}
	for i, n := range c.names {
		derivative := batch.DNumbers[i]
		if i == c.log {
			derivative *= batch.Numbers[i]
		}
		c.numbers[i].gradient[0] = F(derivative)
		checks = append(checks, NotFiniteError{"the derivative of " + n.Name, batch.DNumbers[i]})
	}
	return batch, loss, firstNotFinite(checks...)
}

// check checks the derivatives for the first batch. A loss written for another method indexes rows
// that do not exist; check converts that panic to an error that names the available parts.
func (c *customLoss[F]) check(first *custom.Batch) (err error) {
	defer func() {
		problem := recover()
		if problem == nil {
			return
		}
		mistake, ok := problem.(runtime.Error)
		if !ok || !strings.Contains(mistake.Error(), "index out of range") {
			panic(problem)
		}
		err = fmt.Errorf("nn: loss %q: %w; this method gives %s, see custom.Batch", c.loss.Name(), mistake, strings.Join(given(first), ", "))
	}()
	return custom.Check(c.loss, first)
}

// given returns the names of the parts that a batch contains.
func given(b *custom.Batch) (names []string) {
	for _, part := range b.Parts() {
		if name, _, _ := strings.Cut(part.Name, "["); len(part.Values) > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// unused returns the names of the parts that the loss should depend on but does not, or "". For
// example, a loss of natural parameters would silently train nothing for a method that provides
// only densities or cosines.
func unused(b *custom.Batch) string {
	if len(b.Natural) > 0 {
		return ""
	}
	var names []string
	for _, part := range b.Parts() {
		for _, row := range part.Derivatives {
			if slices.ContainsFunc(row, func(d float64) bool { return d != 0 }) {
				return ""
			}
		}
		if name, _, _ := strings.Cut(part.Name, "["); len(part.Derivatives) > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// gradient sets dEta and the gradients of the numbers.
func (c *customLoss[F]) gradient(a *asymmetric[F], eta, ell device.Matrix[F]) (loss float64, err error) {
	batch, loss, err := c.evaluate(eta.Rows,
		func(pairs int) *custom.Batch { return custom.NewBatch(pairs, eta.Columns, len(c.numbers)) },
		func(b *custom.Batch) {
			for i := range b.Pairs() {
				widen(b.Natural[i], eta.Row(i))
				widen(b.Images[i], a.anchors.mu.Row(i))
				widen(b.LogLikelihoods[i], ell.Row(i)[:b.Pairs()])
			}
		})
	if err != nil {
		return loss, err
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
	return loss, firstNotFinite(NotFiniteError{"the gradient of the outputs", a.ops.Dot(dEta, dEta)})
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

// differentiateCustom completes differentiate with a user-defined loss.
func (a *asymmetric[F]) differentiateCustom(adapted, eta, ell device.Matrix[F], result StepResult) (StepResult, error) {
	var err error
	if math.IsNaN(result.MeanConcentration) || math.IsInf(result.MeanConcentration, 0) {
		return result, &NotFiniteError{"the mean concentration", result.MeanConcentration}
	}
	if result.Loss, err = a.custom.gradient(a, eta, ell); err != nil {
		return result, err
	}
	dEta := a.dEta.Top(eta.Rows)
	a.backward(adapted, dEta)
	return result, nil
}
