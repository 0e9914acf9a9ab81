package cuda

import "gosphere/asymvlm/device"

// elip is ELIP without its evidence: each side has an adapter with a residual connection, whose
// outputs are directions, and the loss is the contrastive loss of their cosines. An ensemble has
// several members, which use the buffers of pairs one after the other.
type elip struct {
	sides
	contrast
	members []adapters

	mu, dOutputs [2]Address // B×D
	lengths      [2]Address // B
	logs         Address    // B zeros
	squares      Address    // 2B of each member
	allLosses    Address    // B of each member
	allDots      Address    // tiles of each member
}

// adapters is one member: an adapter on each side and a factor on their cosines.
type adapters struct {
	networks [2]network
	iota     int
}

var _ = supports(func(l device.AdapterLoss) method {
	e := elip{members: make([]adapters, l.Members)}
	switch {
	case l.Members < 1 || l.Evidential && l.Members > 1:
		return nil
	case l.Evidential:
		return &evidential{elip: e}
	}
	return &e
})

func (e *elip) lay(t *training) {
	e.sides.training, e.contrast.training = t, t
	for i := range e.members {
		m := &e.members[i]
		for side := range m.networks {
			m.networks[side] = t.network(t.work.Widths)
			m.networks[side].around = true
		}
		m.iota = t.numbers(1)
	}
}

func (e *elip) take(take taker) {
	e.sides.take(take)
	e.contrast.take(take)
	t := e.sides.training
	batch, count := t.work.Batch, len(e.members)
	over := grid(batch)
	take(&e.logs, batch)
	take(&e.squares, 2*batch*count)
	e.allLosses, e.allDots = e.losses, e.dots
	if count > 1 {
		take(&e.allLosses, batch*count)
		take(&e.allDots, over.X*over.Y*count)
	}
	for side := range e.mu {
		take.all(batch*t.columns(), &e.mu[side], &e.dOutputs[side])
		take(&e.lengths[side], batch)
	}
	for _, m := range e.members {
		for _, n := range m.networks {
			n.take(take)
		}
	}
}

func (e *elip) differentiate(s *script, rows int) {
	t, over := e.sides.training, grid(rows)
	e.gather(s, rows)
	for i := range e.members {
		m := &e.members[i]
		e.losses, e.dots = e.allLosses.at(i*rows), e.allDots.at(i*over.X*over.Y)
		squares := e.squares.at(2 * i * rows)
		e.forward(s, rows, m, squares)
		l := logit{kind: "linear", logs: e.logs, temperature: t.parameters.at(m.iota)} // no concentrations
		e.contrast.differentiate(s, rows, l)
		e.across(s, rows, m, squares)
		if len(e.members) == 1 {
			e.report(s, rows, l, squares, 2)
		}
		e.backward(s, rows, m)
	}
	if first := e.members[0].iota; len(e.members) > 1 {
		s.report("report_members", t.seen, t.control, t.gradient.at(first), e.allLosses, e.allDots, e.squares, t.parameters.at(first), rows,
			over.X*over.Y, len(e.members), e.members[1].iota-first)
	}
}

// forward sets the pairs to the cosines of a member. Scratch is B words.
func (e *elip) forward(s *script, rows int, m *adapters, scratch Address) {
	columns := e.sides.training.columns()
	for side, n := range m.networks {
		n.forward(s, rows, e.inputs[side])
		s.rows("prepare", rows, n.output(), e.mu[side], e.lengths[side], e.logs, scratch, columns, float32(1), densities[device.DensityNone])
	}
	s.multiply(Product{Dst: e.pairs, A: e.mu[images], B: e.mu[texts], Rows: rows, Inner: columns, Columns: rows, RightTransposed: true})
}

// across propagates the gradient of the pairs to the outputs of both sides, and sets the squares of
// its rows.
func (e *elip) across(s *script, rows int, m *adapters, squares Address) {
	t := e.sides.training
	for side := range m.networks {
		s.multiply(Product{Dst: e.dOutputs[side], A: e.pairs, B: e.mu[1-side], Rows: rows, Inner: rows, Columns: t.columns(),
			LeftTransposed: side == texts})
		s.rows("across", rows, e.dOutputs[side], squares.at(side*rows), e.mu[side], e.lengths[side], t.parameters.at(m.iota), t.columns(), float32(1))
	}
}

func (e *elip) backward(s *script, rows int, m *adapters) {
	for side, n := range m.networks {
		n.backward(s, pass{rows: rows, input: e.inputs[side], dOutput: e.dOutputs[side]})
	}
}

// evidential is ELIP: the same with the evidential loss. It has no wrong pairs to mask.
type evidential struct {
	elip    elip
	queries Address // 2B of queryWords, those of the rows first
}

// queryWords is the size of a Query in evidence.cu, in words.
const queryWords = 6

// readsEpochs marks the method: the weight of its divergence follows from the epoch.
func (e *evidential) readsEpochs() {}

func (e *evidential) lay(t *training) { e.elip.lay(t) }

func (e *evidential) take(take taker) {
	e.elip.take(take)
	take(&e.queries, 2*e.elip.sides.training.work.Batch*queryWords)
}

func (e *evidential) differentiate(s *script, rows int) {
	a, t, m := &e.elip, e.elip.sides.training, &e.elip.members[0]
	iota := t.parameters.at(m.iota)
	a.gather(s, rows)
	a.forward(s, rows, m, a.squares)
	s.run("evidence", Size{rows, 2}, Size{rowThreads, 1}, e.queries, a.pairs, iota, t.plans, t.control, rows)
	s.run("evidence_gradient", grid(rows), Size{tileColumns, 1}, a.pairs, a.losses, a.dots, e.queries, iota, t.plans, t.control, rows)
	a.across(s, rows, m, a.squares)
	a.report(s, rows, logit{temperature: iota}, a.squares, 2)
	a.backward(s, rows, m)
}
