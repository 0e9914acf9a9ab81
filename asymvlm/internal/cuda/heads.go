package cuda

import "gosphere/asymvlm/device"

// reconstruction is ProbVLM: each side has a network with a residual connection and three heads on
// the sum, for the mean, 1/α and β of generalized Gaussians.
type reconstruction struct {
	sides
	exact  int // 1 for the likelihood of the density
	towers [2]tower

	losses, outputs, squares Address // 2B, the texts' first
	traces                   Address // B: sums of the variances predicted for the texts
}

// A tower is the network of one side.
type tower struct {
	trunk    network
	heads    [3]network
	dOutputs [3]Address // B×D
	dSum     Address    // B×D
}

var _ = supports(func(l device.ReconstructionLoss) method { return &reconstruction{exact: number(l.Exact)} })

func (r *reconstruction) lay(t *training) {
	r.training = t
	d := t.columns()
	for side := range r.towers {
		w := &r.towers[side]
		w.trunk = t.network(t.work.Widths)
		w.trunk.around = true
		for i := range w.heads {
			w.heads[i] = t.network([]int{d, d, d})
		}
	}
}

func (r *reconstruction) take(take taker) {
	r.sides.take(take)
	batch := r.training.work.Batch
	take.all(2*batch, &r.losses, &r.outputs, &r.squares)
	take(&r.traces, batch)
	for side := range r.towers {
		w := &r.towers[side]
		take.all(batch*r.training.columns(), &w.dSum, &w.dOutputs[0], &w.dOutputs[1], &w.dOutputs[2])
		w.trunk.take(take)
		for _, head := range w.heads {
			head.take(take)
		}
	}
}

func (r *reconstruction) differentiate(s *script, rows int) {
	t, columns := r.training, r.training.columns()
	r.gather(s, rows)
	weight := 1 / (float32(rows) * float32(columns))
	for side, w := range r.towers {
		w.trunk.forward(s, rows, r.inputs[side])
		for _, head := range w.heads {
			head.forward(s, rows, w.trunk.output())
		}
		traces := r.traces
		if side == images {
			traces = 0
		}
		// The target of the same side comes first; the other has the small weight.
		s.rows("generalized", rows, w.dOutputs[0], w.dOutputs[1], w.dOutputs[2], r.losses.at(side*rows), traces, r.outputs.at(side*rows),
			r.squares.at(side*rows), w.heads[0].output(), w.heads[1].output(), w.heads[2].output(), r.inputs[side], r.inputs[1-side],
			columns, weight, r.exact)
	}
	s.report("report_rows", t.seen, t.control, r.losses, r.traces, r.outputs, r.squares, rows, columns, 2, weight)
	for side, w := range r.towers {
		for i, head := range w.heads {
			head.backward(s, pass{rows: rows, input: w.trunk.output(), dOutput: w.dOutputs[i], dInput: w.dSum, add: i > 0})
		}
		w.trunk.backward(s, pass{rows: rows, input: r.inputs[side], dOutput: w.dSum})
	}
}
