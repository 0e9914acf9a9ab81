package cuda

// projections are what AdamP needs besides the moments: the parameters as tensors, and memory.
type projections struct {
	tensors               []tensor
	steps, angles, chosen Address
}

// A tensor is weights row by row, or a bias or numbers, which have no rows.
type tensor struct{ at, rows, columns int }

// The words of an Angle and of a Projection in adamp.cu.
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

// fill sets what is read though a first step that sees something that is not finite leaves it unwritten.
func (p *projections) fill(d Driver, count int) error {
	if p.steps == 0 {
		return nil
	}
	return d.Write(p.steps, make([]float32, count))
}

// mostBlocksY is how many blocks a grid can have along y on any card; the kernel adamp goes on below them.
const mostBlocksY = 1<<16 - 1

// updateAdamP moves the moments of all parameters at once, and then takes the step tensor by tensor.
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
