package device

import (
	"math"

	"gosphere/asymvlm/special"
)

// rowBlock is the number of rows in a part of an operation on pairs, for any number of threads.
// Each part has its own sums for every column, which are added in order at the end, so that the
// result does not depend on the assignment of parts to threads. 64 rows of 2048 columns are 512
// KiB, which stay in a second-level cache of 1 MiB during several passes.
const rowBlock = 64

// A pairTask is a loss of all pairs, or a part of one, computed in rounds. A part of a round is a
// block of rows.
type pairTask struct {
	cpu     *CPU
	round   pairRound
	dst, a  Matrix[float32]
	cosines Matrix[float32]
	logits  Logits[float32]
	margins Margins
	rows    []float32       // log-sum-exp of every row
	columns []float32       // of every column
	blocks  Matrix[float32] // of every column, block by block; then the sums of the columns
	most    []float32       // row b holds the largest values of the columns of block b
	losses  []float64       // of every row
	dots    []float64
	ring    []int32       // the next pair of the same group; nil without groups
	last    map[int]int32 // the last pair of every group
}

type pairRound int

const (
	exponentSums pairRound = iota // log-sum-exp of rows, and of the columns of each block
	contrastGradient
	sigmoidGradient
	powerRound
)

// do performs one block of rows.
func (t *pairTask) do(part, _ int) {
	from, to := part*rowBlock, min((part+1)*rowBlock, t.a.Rows)
	sums := t.blocks.Row(part)
	switch t.round {
	case exponentSums:
		t.exponentSums(sums, t.most[part*t.a.Columns:(part+1)*t.a.Columns], from, to)
		return
	default:
		clear(sums)
	}
	for i := from; i < to; i++ {
		switch t.round {
		case contrastGradient:
			t.contrastRow(i, sums)
		case sigmoidGradient:
			t.sigmoidRow(i, sums)
		case powerRound:
			t.cpu.unit.powerGradient(t.dst.Row(i), t.a.Row(i), t.cosines.Row(i), sums)
		}
	}
}

// exponentSums computes the log-sum-exp of each row, and of the part of each column inside the
// block.
func (t *pairTask) exponentSums(sums, most []float32, from, to int) {
	u, scale := t.cpu.unit, t.logits.Scale
	for j := range most {
		most[j] = float32(math.Inf(-1))
	}
	for i := from; i < to; i++ {
		row := t.a.Row(i)
		t.exclude(i, row)
		largest := u.largest(row, scale, float32(math.Inf(-1)))
		t.rows[i] = log32(largest, u.sumExp(row, scale, largest))
		u.raise(most, row, scale)
	}
	clear(sums)
	for i := from; i < to; i++ {
		u.addExp(sums, t.a.Row(i), most, scale)
	}
	u.logShifted(sums, most)
}

// logShifted sets sums to shift + log sums. The sums are at least about 1, so log1p of sums − 1
// loses no precision.
func (v vectorUnit) logShifted(sums, shift []float32) {
	for j := range sums {
		sums[j]--
	}
	v.log1p(sums, sums)
	v.add(sums, shift)
}

// columnSums sets columns to the log-sum-exp over the blocks.
func (t *pairTask) columnSums() {
	u, most := t.cpu.unit, t.most[:t.a.Columns]
	for j := range most {
		most[j] = float32(math.Inf(-1))
	}
	clear(t.columns)
	for b := range t.blocks.Rows {
		u.raise(most, t.blocks.Row(b), 1)
	}
	for b := range t.blocks.Rows {
		u.addExp(t.columns, t.blocks.Row(b), most, 1)
	}
	u.logShifted(t.columns, most)
}

// contrastRow computes the gradient of one row.
func (t *pairTask) contrastRow(i int, sums []float32) {
	batch := t.a.Rows
	dst, row := t.dst.Row(i), t.a.Row(i)
	value := float64(row[i]) // dst may be a
	// Subtract first: once the pair is learned, both logarithms are close to its own value.
	own := float64(t.logits.Scale) * value
	t.losses[i] = (float64(t.rows[i]) - own) + (float64(t.columns[i]) - own)
	f := contrastFactors{scale: t.logits.Scale, row: t.rows[i], weight: 1 / float32(2*batch)}
	dot := t.cpu.unit.contrast(dst, row, t.columns, sums, f)
	share := 1 / float32(batch)
	dst[i] -= share
	sums[i] -= share
	t.dots[i] = dot - float64(share)*value
}

// sigmoidRow computes the gradient of one row. The matching pair is excluded from the vector code
// by a value whose sigmoid is 0 and computed in float64, because 1 − sigmoid would lose precision.
func (t *pairTask) sigmoidRow(i int, sums []float32) {
	dst, row, f := t.dst.Row(i), t.a.Row(i), t.logits
	value := row[i]
	h := float64(f.Scale)*float64(value) + float64(f.Rows[i]) + float64(f.Columns[i])
	factors := contrastFactors{scale: f.Scale, row: f.Rows[i], weight: f.Weight}
	t.exclude(i, row)
	row[i] = float32(math.Copysign(excluded, -float64(f.Scale)))
	s := t.cpu.unit.sigmoidPairs(dst, row, f.Columns, sums, factors)
	row[i] = value
	loss, slope := matchedPair(h)
	g := -float64(f.Weight) * slope
	dst[i] = float32(g)
	sums[i] += float32(g)
	t.losses[i] = float64(f.Weight) * (s.loss + loss)
	t.dots[i] = s.dot + g*float64(value)
	t.margins.Rows[i] = s.sum + g
}

// matchedPair returns the loss −log sigmoid(h) of a matching pair, and sigmoid(−h).
func matchedPair(h float64) (loss, slope float64) { return special.Softplus(-h), special.Sigmoid(-h) }

// A pair with the value excluded, with the sign opposite to the scale's, has an exponential and a
// sigmoid of 0 for any scale of at least leastScale. A smaller scale is replaced by leastScale,
// which no logit of ordinary size can distinguish.
const (
	excluded   = 0x1p100 // a power of two: its product with the scale is exact, with or without a fused subtraction
	leastScale = 1e-20
)

// atLeast returns scale, increased in magnitude to leastScale if necessary.
func atLeast(scale float32) float32 {
	if scale > -leastScale && scale < leastScale {
		return float32(math.Copysign(leastScale, float64(scale)))
	}
	return scale
}

// exclude removes the other pairs of pair i's group from its row.
func (t *pairTask) exclude(i int, row []float32) {
	if t.ring == nil {
		return
	}
	value := float32(math.Copysign(excluded, -float64(t.logits.Scale)))
	for j := int(t.ring[i]); j != i; j = int(t.ring[j]) {
		row[j] = value
	}
}

// link sets t.ring, which links the pairs of each group in a circle: ring[i] is the next pair of
// the group of pair i. A pair alone in its group is its own successor.
func (t *pairTask) link(groups Groups) {
	if groups == nil {
		t.ring = nil
		return
	}
	if t.last == nil {
		t.last = map[int]int32{}
	}
	clear(t.last)
	t.ring = grow(t.ring, len(groups))
	for i, group := range groups {
		before, seen := t.last[group]
		t.ring[i] = int32(i)
		if seen {
			t.ring[i], t.ring[before] = t.ring[before], int32(i)
		}
		t.last[group] = int32(i)
	}
}

// pairs runs a round over all blocks of rows. The caller holds the device's mutex.
func (c *CPU) pairs(t *pairTask, round pairRound) {
	t.round = round
	c.run(t, t.blocks.Rows)
}

// prepare sets up the device's task for a matrix of pairs.
func (c *CPU) prepare(dst, a Matrix[float32]) *pairTask {
	t := &c.allPairs
	blocks := (a.Rows + rowBlock - 1) / rowBlock
	t.cpu, t.dst, t.a = c, dst, a
	t.blocks = Matrix[float32]{Rows: blocks, Columns: a.Columns, Values: grow(t.blocks.Values, blocks*a.Columns)}
	t.most = grow(t.most, blocks*a.Columns)
	t.rows, t.columns = grow(t.rows, a.Rows), grow(t.columns, a.Columns)
	t.losses, t.dots = grow(t.losses, a.Rows), grow(t.dots, a.Rows)
	return t
}

// finish drops the arguments and returns the sums over the rows, in order.
func (t *pairTask) finish() (loss, dot float64) {
	for i := range t.a.Rows {
		loss += t.losses[i]
		dot += t.dots[i]
	}
	t.forget()
	return loss, dot
}

func (t *pairTask) forget() {
	none := Matrix[float32]{}
	t.dst, t.a, t.cosines, t.logits, t.margins = none, none, none, Logits[float32]{}, Margins{}
}

// addColumns sets dst to the sums over the blocks.
func (t *pairTask) addColumns(dst []float64) {
	clear(dst)
	for b := range t.blocks.Rows {
		for j, value := range t.blocks.Row(b) {
			dst[j] += float64(value)
		}
	}
}

// Contrast computes the symmetric InfoNCE loss and its gradient in two passes over the logits: one
// for the sums of exponentials of rows and columns, and one for the gradient, its column sums and
// its inner product with the logits.
func (c *CPU) Contrast(dst, a Matrix[float32], scale float32, groups Groups, columns []float64) (loss, dScale float64) {
	checkPairs("contrast", dst, a, groups)
	checkLength("contrast", columns, a.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if a.Rows == 0 {
		return 0, 0
	}
	t := c.prepare(dst, a)
	t.logits.Scale = atLeast(scale)
	t.link(groups)
	c.pairs(t, exponentSums)
	t.columnSums()
	c.pairs(t, contrastGradient)
	t.addColumns(columns)
	batch := float64(2 * a.Rows)
	loss, dScale = t.finish()
	return loss / batch, dScale
}

// SigmoidPairs computes the loss of separate pairs in one pass.
func (c *CPU) SigmoidPairs(dst, a Matrix[float32], logits Logits[float32], margins Margins) (loss, dScale float64) {
	checkPairs("pairs", dst, a, logits.Groups)
	checkLogits(a, logits, margins)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	t := c.prepare(dst, a)
	t.logits, t.margins = logits, margins
	t.logits.Scale = atLeast(logits.Scale)
	t.link(logits.Groups)
	c.pairs(t, sigmoidGradient)
	t.addColumns(margins.Columns)
	return t.finish()
}

// PowerGradient sets dst to g/(1+c) and radial to Σ g·log(1+c) − dst·c.
func (c *CPU) PowerGradient(dst, g, cosines Matrix[float32], radial []float64) {
	checkSame("power gradient", dst, g)
	checkSame("power gradient", dst, cosines)
	checkLength("power gradient", radial, dst.Columns)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	t := c.prepare(dst, g)
	t.cosines = cosines
	c.pairs(t, powerRound)
	t.addColumns(radial)
	t.forget()
}
