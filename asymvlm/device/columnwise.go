package device

import "math"

// stripe is the number of columns of a part of a column-wise operation, a multiple of lanes: two cache lines of every
// row.
const stripe = 32

// A columnTask is an operation on columns; a part is a stripe of them, walked row by row. Rows are added in order, so
// the sums do not depend on the number of threads.
type columnTask struct {
	cpu   *CPU
	a     Matrix[float32]
	dst   []float32
	most  []float32 // largest value of every column, for the log-sum-exp
	scale float32
	logs  bool // log-sum-exp instead of sum
}

// do does one stripe.
func (t *columnTask) do(part, _ int) {
	u, from := t.cpu.unit, part*stripe
	to := min(from+stripe, t.a.Columns)
	dst := t.dst[from:to]
	clear(dst)
	if !t.logs {
		for i := range t.a.Rows {
			u.add(dst, t.a.Row(i)[from:to])
		}
		return
	}
	most := t.most[from:to]
	for j := range most {
		most[j] = float32(math.Inf(-1))
	}
	for i := range t.a.Rows {
		u.raise(most, t.a.Row(i)[from:to], t.scale)
	}
	for i := range t.a.Rows {
		u.addExp(dst, t.a.Row(i)[from:to], most, t.scale)
	}
	for j, sum := range dst {
		dst[j] = log32(most[j], sum)
	}
}

// stripes runs a column-wise operation, with the device locked.
func (c *CPU) stripes(t columnTask) {
	t.cpu = c
	if t.logs {
		c.scratch = grow(c.scratch, t.a.Columns)
		t.most = c.scratch
	}
	c.columns = t
	c.run(&c.columns, (t.a.Columns+stripe-1)/stripe)
}

// SumRows sets dst to the sum of a's rows.
func (c *CPU) SumRows(dst []float32, a Matrix[float32]) {
	checkLength("row sum", dst, a.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stripes(columnTask{a: a, dst: dst})
}

// LogSumExpColumns sets dst[j] to log Σ_i exp(scale·a[i,j]).
func (c *CPU) LogSumExpColumns(dst []float32, a Matrix[float32], scale float32) {
	checkLength("log-sum-exp of columns", dst, a.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stripes(columnTask{a: a, dst: dst, scale: scale, logs: true})
}
