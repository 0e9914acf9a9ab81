package device

import "math"

// An elementTask is an operation that treats rows, or stretches of a slice, independently. A part is one row, or
// stretch values.
type elementTask struct {
	cpu       *CPU
	operation elementOperation
	a, b      Matrix[float32]
	x, y      []float32
	scale     float32
	rectify   bool
	rate      Rate
	sums      []float64 // one for each part, added in order at the end
}

type elementOperation int

const (
	biasRows elementOperation = iota
	maskStretch
	log1pStretch
	sumExpRows
	pairRows
	dotStretch
	updateStretch
)

// stretch is the number of values of a part of a long slice, a multiple of lanes.
const stretch = 16384

// do does one part.
func (t *elementTask) do(part, _ int) {
	u := t.cpu.unit
	switch t.operation {
	case biasRows:
		u.addBias(t.a.Row(part), t.x, t.rectify)
	case sumExpRows:
		row := t.a.Row(part)
		most := u.largest(row, t.scale, float32(math.Inf(-1)))
		t.x[part] = log32(most, u.sumExp(row, t.scale, most))
	case pairRows:
		f := pairFactors{scale: t.scale, row: t.x[part], weight: 1 / float32(2*t.a.Rows)}
		u.softmaxPair(t.a.Row(part), t.b.Row(part), t.y, f)
	default:
		t.stretch(part)
	}
}

// stretch does one part of an operation on whole slices.
func (t *elementTask) stretch(part int) {
	u, from := t.cpu.unit, part*stretch
	to := min(from+stretch, len(t.a.Values))
	a, b := t.a.Values[from:to], t.b.Values[from:to]
	switch t.operation {
	case maskStretch:
		u.mask(a, b)
	case log1pStretch:
		u.log1p(a, b)
	case dotStretch:
		t.sums[part] = u.dot(a, b)
	case updateStretch:
		u.update(a, b, t.x[from:to], t.rate)
	}
}

// each runs a task on every part, with the device locked. Several rows of a small matrix cost less than waking a
// goroutine, so those run in one.
func (c *CPU) each(t elementTask, parts int) {
	t.cpu, t.sums = c, c.whole.sums
	if len(t.sums) < parts && t.operation == dotStretch {
		t.sums = make([]float64, parts)
	}
	c.whole = t
	if len(t.a.Values) <= stretch {
		for part := range parts {
			c.whole.do(part, 0)
		}
		return
	}
	c.run(&c.whole, parts)
}

// stretches returns the number of parts of a slice.
func stretches(length int) int { return (length + stretch - 1) / stretch }

// AddBias adds bias to every row of dst and rectifies it when asked.
func (c *CPU) AddBias(dst Matrix[float32], bias []float32, rectify bool) {
	checkLength("bias", bias, dst.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.each(elementTask{operation: biasRows, a: dst, x: bias, rectify: rectify}, dst.Rows)
}

// RectifierGradient sets dst to 0 where output is 0.
func (c *CPU) RectifierGradient(dst, output Matrix[float32]) {
	checkSame("rectifier gradient", dst, output)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.each(elementTask{operation: maskStretch, a: dst, b: output}, stretches(len(dst.Values)))
}

// Log1p sets dst to log(1+a).
func (c *CPU) Log1p(dst, a Matrix[float32]) {
	checkSame("log1p", dst, a)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.each(elementTask{operation: log1pStretch, a: dst, b: a}, stretches(len(dst.Values)))
}

// LogSumExpRows sets dst[i] to log Σ_j exp(scale·a[i,j]).
func (c *CPU) LogSumExpRows(dst []float32, a Matrix[float32], scale float32) {
	checkLength("log-sum-exp of rows", dst, a.Rows)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.each(elementTask{operation: sumExpRows, a: a, x: dst, scale: scale}, a.Rows)
}

// SoftmaxPair sets dst to half the mean of the row softmax and the column softmax of scale·a.
func (c *CPU) SoftmaxPair(dst, a Matrix[float32], scale float32, rows, columns []float32) {
	checkSame("softmax pair", dst, a)
	checkLength("softmax pair", rows, a.Rows)
	checkLength("softmax pair", columns, a.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.each(elementTask{operation: pairRows, a: dst, b: a, x: rows, y: columns, scale: scale}, a.Rows)
}

// Dot returns Σ a[i,j]·b[i,j].
func (c *CPU) Dot(a, b Matrix[float32]) float64 {
	checkSame("dot", a, b)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	parts := stretches(len(a.Values))
	c.each(elementTask{operation: dotStretch, a: a, b: b}, parts)
	sum := 0.0
	for _, value := range c.whole.sums[:parts] {
		sum += value
	}
	return sum
}

// Update does one step of gradient descent with momentum and weight decay.
func (c *CPU) Update(parameters, velocity, gradient []float32, rate Rate) {
	checkLength("update", velocity, len(parameters))
	checkLength("update", gradient, len(parameters))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	flat := func(s []float32) Matrix[float32] { return Matrix[float32]{Rows: 1, Columns: len(s), Values: s} }
	c.each(elementTask{operation: updateStretch, a: flat(parameters), b: flat(velocity), x: gradient, rate: rate},
		stretches(len(parameters)))
}
