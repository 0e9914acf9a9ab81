package device

import "math"

// A drawingTask samples unit vectors, some rows per part.
type drawingTask struct {
	unit           vectorUnit
	dst, means     Matrix[float32]
	law            Law
	concentrations []float32
	lengths        []float64
	draws          int
	from           Origin
}

func (t *drawingTask) do(part, _ int) {
	generator := newPhilox(t.from.Seed)
	for r := part * partOfRows; r < min((part+1)*partOfRows, t.dst.Rows); r++ {
		i, row, draw := r/t.draws, uint32(t.from.Row+r/t.draws), uint32(t.from.Draw+r%t.draws)
		s := sequence{generator: generator, row: row, draw: draw}
		t.unit.normals(t.dst.Row(r), generator, [3]uint32{draw, row, forDirections})
		around32(t.dst.Row(r), t.means.Row(i), t.lengths[i], s.cosine(t.law, t.dst.Columns, float64(t.concentrations[i])))
	}
}

// DrawSphere samples unit vectors around means.
func (c *CPU) DrawSphere(dst Matrix[float32], law Law, means Matrix[float32], concentrations []float32, from Origin) error {
	lengths, draws, err := CheckSphere(dst, law, means, concentrations, from)
	if err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.run(&drawingTask{c.unit, dst, means, law, concentrations, lengths, draws, from}, (dst.Rows+partOfRows-1)/partOfRows)
	return nil
}

// A softmaxTask computes means of softmax over samples. A part is one row, so that a few long rows
// keep all threads busy.
type softmaxTask struct {
	unit   vectorUnit
	dst    Matrix[float32]
	logits UncertainLogits[float32]
	draws  int
	from   Origin
	drawn  [][]float32 // of each thread: the logits of a sample
}

func (t *softmaxTask) do(i, worker int) {
	if t.drawn[worker] == nil {
		t.drawn[worker] = make([]float32, t.dst.Columns)
	}
	generator, drawn, dst := newPhilox(t.from.Seed), t.drawn[worker], t.dst.Row(i)
	means, deviations := t.logits.Means.Row(i)[:len(drawn)], t.logits.Deviations.Row(i)[:len(drawn)]
	clear(dst)
	for draw := range t.draws {
		t.unit.normals(drawn, generator, [3]uint32{uint32(t.from.Draw + draw), uint32(t.from.Row + i), forLogits})
		for j, normal := range drawn {
			drawn[j] = t.logits.Scale * (means[j] + float32(deviations[j]*normal))
		}
		top := t.unit.largest(drawn, 1, float32(math.Inf(-1)))
		for j := range drawn {
			drawn[j] -= top
		}
		sum := 0.0
		for from := 0; from < len(drawn); from += stretch { // a sum in a float32 lane has some hundred terms
			some := drawn[from:min(from+stretch, len(drawn))]
			sum += t.unit.exponentials(some, some)
		}
		t.unit.combine(dst, drawn, 1, float32(1/sum))
	}
	t.unit.combine(dst, dst, float32(1/float64(t.draws)), 0)
}

// MeanSoftmax computes the mean over samples of the softmax of uncertain logits.
func (c *CPU) MeanSoftmax(dst Matrix[float32], logits UncertainLogits[float32], draws int, from Origin) error {
	if err := CheckLogits(dst, logits, draws, from); err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if dst.Columns > 0 {
		c.run(&softmaxTask{c.unit, dst, logits, draws, from, make([][]float32, c.threads)}, dst.Rows)
	}
	return nil
}
