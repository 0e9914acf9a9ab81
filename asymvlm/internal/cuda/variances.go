package cuda

import "gosphere/asymvlm/device"

// Indices of the two sides in arrays.
const (
	texts = iota
	images
)

// sides holds both sides of a batch: the adapted side is the texts, the anchors are the images.
type sides struct {
	training *training
	inputs   [2]Address // B×D: the embeddings, raw or normalized
	unit     int        // 1 to normalize
}

func (b *sides) take(take taker) {
	take.all(b.training.work.Batch*b.training.columns(), &b.inputs[texts], &b.inputs[images])
}

// gather enqueues the gathering of a batch of both sides into the inputs.
func (b *sides) gather(s *script, rows int) {
	t := b.training
	s.run("gather_both", Size{rows, 2}, Size{rowThreads, 1}, b.inputs[texts], b.inputs[images], t.adaptedSet, t.anchorSet, t.adaptedOf,
		t.anchorOf, t.order, t.plans, t.control, t.columns(), t.work.Stretch, t.work.AnchorStretch, b.unit)
	t.gatherGroups(s, rows)
}

// spreads is the common part of methods whose means are the embeddings and whose networks, one on
// each side, learn variances.
type spreads struct {
	sides
	networks [2]network
	dOutputs [2]Address // B×D
	// 2B, the texts' first: sums of the variances of a row, and squared norms of gradients.
	traces, squares Address
	losses          Address
}

func (v *spreads) lay(t *training) {
	v.training = t
	v.networks = [2]network{t.network(t.work.Widths), t.network(t.work.Widths)}
}

func (v *spreads) take(take taker) {
	v.sides.take(take)
	batch := v.training.work.Batch
	take.all(batch*v.training.columns(), &v.dOutputs[texts], &v.dOutputs[images])
	take.all(2*batch, &v.traces, &v.squares)
	for _, n := range v.networks {
		n.take(take)
	}
}

// forward enqueues the forward passes of both networks.
func (v *spreads) forward(s *script, rows int) {
	v.gather(s, rows)
	for side, n := range v.networks {
		n.forward(s, rows, v.inputs[side])
	}
}

func (v *spreads) backward(s *script, rows int) {
	for side, n := range v.networks {
		n.backward(s, pass{rows: rows, input: v.inputs[side], dOutput: v.dOutputs[side]})
	}
}

// pairwise is PCME++ and ProLIP: a loss of separate pairs, whose logit is linear in the cosine and
// in the sum of both traces.
type pairwise struct {
	spreads
	trained bool             // PCME++: the scalars a and b
	share   float32          // ProLIP: of the log variance in the information bottleneck; 0 for none
	scaled  bool             // ProLIP with the scalars log a and b, and with the inclusion loss
	factors device.PairsLoss // of the terms of ProLIP's loss
	a       int

	inclusionLosses, counts, scaledNumbers Address // B, 1 and 2
	official                               int     // 1 for the reference implementation's form of the inclusion

	pairs               Address // B×B cosines
	rowSums, columnSums Address // partial sums of the gradient: tiles along a row × B, and along a column
	dots                Address // of tiles
	sums, terms         Address // 2B: of the gradient's columns and rows, and of the bottleneck
	added, weights      Address // 2
}

var _ = supports(func(device.MatchingLoss) method { return &pairwise{trained: true} })

var _ = supports(func(l device.PairsLoss) method {
	if l.Inclusion != 0 && !l.Scaled {
		return nil
	}
	p := &pairwise{share: 0.5, scaled: l.Scaled, factors: l, official: number(l.Scaled && !l.Exact)}
	if l.Exact {
		p.share = 1
	}
	return p
})

func (p *pairwise) masks() {}

func (p *pairwise) lay(t *training) {
	p.spreads.lay(t)
	p.unit = 1
	if p.trained || p.scaled {
		p.a = t.numbers(2)
	}
}

func (p *pairwise) take(take taker) {
	p.spreads.take(take)
	batch := p.training.work.Batch
	over := grid(batch)
	take(&p.pairs, batch*batch)
	take(&p.rowSums, over.X*batch)
	take(&p.columnSums, over.Y*batch)
	take.all(over.X*over.Y, &p.losses, &p.dots)
	take.all(2*batch, &p.sums, &p.terms)
	take(&p.added, 3) // the bottlenecks and the inclusion
	take(&p.weights, 2)
	if p.scaled {
		take(&p.inclusionLosses, batch)
		take(&p.counts, 1)
		take(&p.scaledNumbers, 2)
	}
}

func (p *pairwise) differentiate(s *script, rows int) {
	p.forward(s, rows)
	p.loss(s, rows)
	p.backward(s, rows)
}

// loss enqueues the loss of the outputs, and its gradient with respect to them.
func (p *pairwise) loss(s *script, rows int) {
	t, columns, over := p.training, p.training.columns(), grid(rows)
	numbers, d, weight := Address(0), Address(0), 1/float32(rows)
	if p.trained {
		numbers, d, weight = t.parameters.at(p.a), t.gradient.at(p.a), 2/(float32(rows)*float32(rows))
	}
	if p.scaled {
		numbers = p.scaledNumbers
		s.run("scaled_numbers", Size{1, 1}, Size{1, 1}, numbers, t.parameters.at(p.a))
	}
	terms, added, weights := p.terms, p.added, p.weights
	if p.share == 0 {
		terms, added, weights = 0, 0, 0
	}
	for side, n := range p.networks {
		s.rows("variances_of", rows, p.dOutputs[side], p.traces.at(side*rows), terms.of(side*rows), n.output(), p.inputs[side], columns, p.share)
	}
	s.multiply(Product{Dst: p.pairs, A: p.inputs[images], B: p.inputs[texts], Rows: rows, Inner: columns, Columns: rows, RightTransposed: true})
	s.pairs(t, "sigmoid_pairs", over, Size{tileColumns, 1}, p.rowSums, p.columnSums, p.losses, p.dots, p.pairs, p.traces.at(images*rows),
		p.traces, numbers, rows, weight)
	merge, merger := merging(rows)
	s.run("add_parts", merge, merger, p.sums, p.columnSums, over.Y, rows)
	s.run("add_parts", merge, merger, p.sums.at(images*rows), p.rowSums, over.X, rows)
	if p.share != 0 {
		s.run("bottleneck", Size{2, 1}, Size{1024, 1}, added, weights, terms, rows, columns, p.factors.Bottleneck)
	}
	scale := p.share / (2 * float32(rows) * float32(columns))
	for side, n := range p.networks {
		s.rows("variance_gradient", rows, p.dOutputs[side], p.squares.at(side*rows), p.sums.at(side*rows), n.output(), weights.of(side),
			numbers, columns, p.share, scale)
	}
	if p.scaled {
		p.include(s, rows)
		s.report("report_scaled", t.seen, t.control, t.gradient.at(p.a), p.losses, p.dots, p.sums, p.traces, p.squares, added, t.parameters.at(p.a),
			rows, columns, over.X*over.Y, weight)
		return
	}
	s.report("report_pairs", t.seen, t.control, d, p.losses, p.dots, p.sums, p.traces, p.squares, added, numbers, rows, columns,
		over.X*over.Y, weight)
}

// include enqueues ProLIP's inclusion loss of images in texts, and its gradient.
func (p *pairwise) include(s *script, rows int) {
	columns := p.training.columns()
	x, y, of, in := p.inputs[images], p.inputs[texts], p.networks[images].output(), p.networks[texts].output()
	s.rows("inclusion", rows, p.inclusionLosses, x, y, of, in, columns, p.factors.Eps, p.factors.Sharpness, p.official)
	s.report("include", p.added.at(2), p.counts, p.inclusionLosses, rows, columns, p.factors.Inclusion)
	s.run("inclusion_gradient", Size{rows, 2}, Size{rowThreads, 1}, p.dOutputs[texts], p.dOutputs[images], p.squares, p.counts, x, y, of, in, columns,
		p.factors.Eps, p.factors.Sharpness, p.official)
}

// matched is PFE: variances of matching raw embeddings.
type matched struct{ spreads }

var _ = supports(func(device.MatchedLoss) method { return &matched{} })

func (m *matched) take(take taker) {
	m.spreads.take(take)
	take(&m.losses, m.training.work.Batch)
}

func (m *matched) differentiate(s *script, rows int) {
	t, columns := m.training, m.training.columns()
	m.forward(s, rows)
	weight := 1 / float32(rows)
	s.rows("matched_variances", rows, m.dOutputs[texts], m.dOutputs[images], m.losses, m.traces, m.squares, m.networks[texts].output(),
		m.networks[images].output(), m.inputs[texts], m.inputs[images], columns, weight)
	s.report("report_rows", t.seen, t.control, m.losses, m.traces, Address(0), m.squares, rows, columns, 1, weight)
	m.backward(s, rows)
}

// All methods, and those with wrong pairs that groups can mask.
var _ = [...]method{&contrastive{}, &pairwise{}, &matched{}, &reconstruction{}, &elip{}, &evidential{}, &symmetric{}}
var _ = [...]masker{&contrastive{}, &pairwise{}, &elip{}, &symmetric{}}

// columns returns the width of the embeddings.
func (t *training) columns() int { return t.work.Widths[0] }

// of is at, except that the null address stays null.
func (a Address) of(index int) Address {
	if a == 0 {
		return 0
	}
	return a.at(index)
}

var _ device.DeviceTraining = (*training)(nil)
