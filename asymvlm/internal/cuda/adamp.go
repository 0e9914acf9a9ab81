package cuda

// projections holds the additional data of AdamP: the tensors of the parameters, and buffers.
type projections struct {
	tensors               []tensor
	steps, angles, chosen Address
}

// A tensor is a row-major weight matrix, or a bias or scalars, which have no rows.
type tensor struct{ at, rows, columns int }

// Sizes of an Angle and of a Projection in adamp.cu, in words.
const (
	angleWords      = 4
	projectionWords = 3
)

func (p *projections) take(take taker, t *training) {
	if t.work.Optimizer != "adamp" {
		return
	}
	rows := 0
	for _, one := range p.tensors {
		rows = max(rows, one.rows)
	}
	take(&p.steps, t.count)
	take(&p.angles, angleWords*rows)
	take(&p.chosen, projectionWords)
}

// fill initializes memory that is read even if the first step has a value that is not finite and
// therefore does not write it.
func (p *projections) fill(d Driver, count int) error {
	if p.steps == 0 {
		return nil
	}
	return d.Write(p.steps, make([]float32, count))
}

// mostBlocksY is the largest number of blocks of a grid along y on any GPU; the kernel adamp loops
// over further rows.
const mostBlocksY = 1<<16 - 1

// updateAdamP updates the moments of all parameters in one kernel, and then applies the step tensor
// by tensor.
func (t *training) updateAdamP(s *script, grid, block Size) {
	p := t.projections
	s.run("adamp_moments", grid, block, p.steps, t.memory[0], t.memory[1], t.gradient, t.plans, t.control, t.count)
	for _, w := range p.tensors {
		rows, angles, chosen := w.rows, p.angles, p.chosen
		if rows == 0 {
			rows, angles, chosen = 1, 0, 0
		} else {
			s.rows("adamp_angles", rows, angles, t.parameters.at(w.at), t.gradient.at(w.at), p.steps.at(w.at), w.columns)
			s.report("adamp_choose", chosen, angles, rows, w.columns)
		}
		s.run("adamp", Size{tiles(w.columns, rowThreads), min(rows, mostBlocksY)}, Size{rowThreads, 1}, t.parameters.at(w.at), p.steps.at(w.at), angles, chosen,
			t.plans, t.control, rows, w.columns)
	}
}
