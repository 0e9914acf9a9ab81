package device

// An elementTask is an operation that treats rows, or stretches of a slice, independently. A part
// is partOfRows rows, or stretch values.
type elementTask struct {
	cpu       *CPU
	operation elementOperation
	a, b, c   Matrix[float32]
	x, y      []float32
	lengths   []float64
	rate      Rate
	step      AdamStep
	heads     [2]Heads[float32] // gradient and values
	pairs     [3][2]Matrix[float32]
	form      generalizedForm
	sums      []float64 // one for each part, added in order at the end
}

type elementOperation int

const (
	unitRows elementOperation = iota
	exponentialRows
	softplusRows
	combineRows
	powerRows
	sumStretch
	dotStretch
	updateStretch
	adamStretch
	variancesStretch
	generalizedStretch
	generalizedVarianceStretch
)

// stretch is the number of values in a part of a long slice. It is a multiple of lanes; sums over
// it in float32 lanes have about 500 terms.
const stretch = 4096

// partOfRows is the number of rows in a part of a row-wise operation.
const partOfRows = 16

// do performs one part.
func (t *elementTask) do(part, _ int) {
	if t.operation > powerRows {
		t.stretch(part)
		return
	}
	u := t.cpu.unit
	for i := part * partOfRows; i < min((part+1)*partOfRows, t.a.Rows); i++ {
		switch t.operation {
		case unitRows:
			t.lengths[i] = u.unit(rowOrNone(t.b, i), t.a.Row(i))
		case exponentialRows:
			t.lengths[i] = u.exponentials(t.b.Row(i), t.a.Row(i))
		case softplusRows:
			t.lengths[i] = u.softplusSum(t.a.Row(i))
		case combineRows:
			u.combine(t.a.Row(i), t.b.Row(i), t.x[i], t.y[i])
		case powerRows:
			u.powerLogits(t.a.Row(i), t.b.Row(i), t.x, t.y)
		}
	}
}

// stretch performs one part of an operation on whole slices.
func (t *elementTask) stretch(part int) {
	u, from := t.cpu.unit, part*stretch
	to := min(from+stretch, len(t.a.Values))
	cut := func(m Matrix[float32]) []float32 { return m.Values[from:to] }
	both := func(m [2]Matrix[float32]) [2][]float32 { return [2][]float32{cut(m[0]), cut(m[1])} }
	switch t.operation {
	case sumStretch:
		dst, a, b := cut(t.a), cut(t.b), cut(t.c)
		if &dst[0] == &b[0] {
			a, b = b, a
		}
		if &dst[0] != &a[0] {
			copy(dst, a)
		}
		u.add(dst, b)
	case dotStretch:
		t.sums[part] = u.dot(cut(t.a), cut(t.b))
	case updateStretch:
		u.update(cut(t.a), cut(t.b), t.x[from:to], t.rate)
	case adamStretch:
		u.adam(cut(t.a), [2][]float32{cut(t.b), cut(t.c)}, t.x[from:to], t.step)
	case variancesStretch:
		t.sums[part] = u.matchedVariances(both(t.pairs[0]), both(t.pairs[1]), both(t.pairs[2]), t.form.weight)
	case generalizedStretch:
		var all [2][3][]float32
		for i, heads := range t.heads {
			for k, m := range heads {
				all[i][k] = cut(m)
			}
		}
		t.sums[part] = u.generalized(all[0], all[1], both(t.pairs[0]), t.form)
	case generalizedVarianceStretch:
		t.sums[part] = u.generalizedVariances(cut(t.a), cut(t.b))
	}
}

// rowwise runs a task on blocks of rows. The caller holds the device's mutex.
func (c *CPU) rowwise(t elementTask) { c.each(t, (t.a.Rows+partOfRows-1)/partOfRows) }

func (c *CPU) lengthwise(t elementTask) float64 {
	parts := (len(t.a.Values) + stretch - 1) / stretch
	c.each(t, parts)
	sum := 0.0
	for _, value := range c.whole.sums[:parts] {
		sum += value
	}
	return sum
}

// each runs a task on every part. Small matrices run on the calling goroutine, because waking
// another is more expensive.
func (c *CPU) each(t elementTask, parts int) {
	t.cpu, t.sums = c, c.whole.sums
	if len(t.sums) < parts {
		t.sums = make([]float64, parts)
	}
	clear(t.sums[:parts])
	c.whole = t
	if len(t.a.Values) <= 2*stretch {
		for part := range parts {
			c.whole.do(part, 0)
		}
	} else {
		c.run(&c.whole, parts)
	}
	// Arguments are not kept alive between operations.
	c.whole = elementTask{sums: c.whole.sums}
}

// Units sets lengths to the norms of a's rows and dst to the rows divided by their norms.
func (c *CPU) Units(dst Matrix[float32], lengths []float64, a Matrix[float32]) {
	checkUnits(dst, lengths, a)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.rowwise(elementTask{operation: unitRows, a: a, b: dst, lengths: lengths})
}

// Exponential sets dst to exp(a) and sums to the sums of dst's rows.
func (c *CPU) Exponential(dst Matrix[float32], sums []float64, a Matrix[float32]) {
	checkSame("exponential", dst, a)
	checkLength("exponential", sums, a.Rows)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.rowwise(elementTask{operation: exponentialRows, a: a, b: dst, lengths: sums})
}

// SoftplusSums sets sums to the sums of log(1+exp(a)) over a's rows.
func (c *CPU) SoftplusSums(sums []float64, a Matrix[float32]) {
	checkLength("softplus", sums, a.Rows)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.rowwise(elementTask{operation: softplusRows, a: a, lengths: sums})
}

// Combine sets every row i of dst to own[i]·dst + other[i]·src.
func (c *CPU) Combine(dst, src Matrix[float32], own, other []float32) {
	checkCombine(dst, src, own, other)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.rowwise(elementTask{operation: combineRows, a: dst, b: src, x: own, y: other})
}

// PowerLogits sets dst to the power spherical log-likelihoods of cosines.
func (c *CPU) PowerLogits(dst, cosines Matrix[float32], kappa, logs []float32) {
	checkSame("power logits", dst, cosines)
	checkLength("power logits", kappa, dst.Columns)
	checkLength("power logits", logs, dst.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.rowwise(elementTask{operation: powerRows, a: dst, b: cosines, x: kappa, y: logs})
}

// Dot returns Σ a[i,j]·b[i,j].
func (c *CPU) Dot(a, b Matrix[float32]) float64 {
	checkSame("dot", a, b)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.lengthwise(elementTask{operation: dotStretch, a: a, b: b})
}

// Sum sets dst to a + b.
func (c *CPU) Sum(dst, a, b Matrix[float32]) {
	checkSame("sum", dst, a)
	checkSame("sum", dst, b)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lengthwise(elementTask{operation: sumStretch, a: dst, b: a, c: b})
}

// flat returns a slice as a matrix of one row.
func flat(s []float32) Matrix[float32] { return Matrix[float32]{Rows: 1, Columns: len(s), Values: s} }

// Update performs one step of gradient descent with momentum and weight decay.
func (c *CPU) Update(parameters, velocity, gradient []float32, rate Rate) {
	checkLength("update", velocity, len(parameters))
	checkLength("update", gradient, len(parameters))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lengthwise(elementTask{operation: updateStretch, a: flat(parameters), b: flat(velocity), x: gradient, rate: rate})
}

// UpdateAdam performs one step of AdamW.
func (c *CPU) UpdateAdam(parameters []float32, moments [2][]float32, gradient []float32, step AdamStep) {
	checkAdam(parameters, moments, gradient)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lengthwise(elementTask{operation: adamStretch, a: flat(parameters), b: flat(moments[0]), c: flat(moments[1]),
		x: gradient, step: step})
}

// MatchedVariances computes the loss of matching rows and its gradient.
func (c *CPU) MatchedVariances(gradients, raw, means [2]Matrix[float32]) (loss float64) {
	checkMatched(gradients, raw, means)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	weight := 1 / float64(max(1, raw[0].Rows))
	return weight * c.lengthwise(elementTask{operation: variancesStretch, a: raw[0],
		pairs: [3][2]Matrix[float32]{gradients, raw, means}, form: generalizedForm{weight: weight}})
}

// GeneralizedGaussian computes ProbVLM's loss and its gradient.
func (c *CPU) GeneralizedGaussian(gradient, heads Heads[float32], targets [2]Matrix[float32], exact bool) (loss float64) {
	checkHeads(gradient, heads, targets)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	weight := 1 / float64(max(1, len(heads[0].Values)))
	return weight * c.lengthwise(elementTask{operation: generalizedStretch, a: heads[0], heads: [2]Heads[float32]{gradient, heads},
		pairs: [3][2]Matrix[float32]{targets}, form: generalizedForm{exact, weight}})
}

// GeneralizedVariance returns the mean of the predicted variances.
func (c *CPU) GeneralizedVariance(heads Heads[float32]) float64 {
	checkSame("generalized variance", heads[1], heads[2])
	c.mutex.Lock()
	defer c.mutex.Unlock()
	sum := c.lengthwise(elementTask{operation: generalizedVarianceStretch, a: heads[1], b: heads[2]})
	return sum / float64(max(1, len(heads[1].Values)))
}
