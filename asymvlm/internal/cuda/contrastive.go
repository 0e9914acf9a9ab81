package cuda

import "gosphere/asymvlm/device"

// densities maps densities to their numbers in the kernel prepare. The normalizer of
// device.DensityExact is a Bessel function, which the kernel concentrate computes.
var densities = map[device.Density]int{device.DensityPaper: 0, device.DensityPowerSpherical: 1, device.DensityNormal: 2, device.DensityNone: 3}

// A contrast holds the buffers of the InfoNCE loss. Letters of shapes, here and in the other
// methods: B pairs of the largest batch, D the width of the embeddings.
type contrast struct {
	training               *training
	pairs                  Address // B×B: the inner products of both sides, then the gradient
	rowMost, rowSums       Address // partial sums over rows: tiles along a row × B
	columnMost, columnSums Address // the same for columns; later sums of the gradient's columns, and the radial ones
	ofRows, ofColumns      Address // logarithms of sums of exponentials, B
	losses, dots           Address // of rows, and of tiles
}

func (c *contrast) masks() {}

func (c *contrast) take(take taker) {
	batch := c.training.work.Batch
	grid := grid(batch)
	take.all(batch, &c.ofRows, &c.ofColumns, &c.losses)
	take.all(batch*batch, &c.pairs)
	take.all(grid.X*batch, &c.rowMost, &c.rowSums)
	take.all(grid.Y*batch, &c.columnMost, &c.columnSums)
	take(&c.dots, grid.X*grid.Y)
}

// grid returns the number of tiles that cover a matrix of pairs.
func grid(rows int) Size { return Size{tiles(rows, tileColumns), tiles(rows, tileRows)} }

// merging returns the grid and the blocks of kernels that add or merge parts of a vector.
func merging(length int) (grid, block Size) { return Size{tiles(length, warp), 1}, Size{warp, mergers} }

// A logit describes how inner products become logits: linear or power, with the values of every
// column and the temperature.
type logit struct {
	kind                      string
	kappas, logs, temperature Address
}

// differentiate enqueues the loss of the inner products in pairs, and replaces them by its
// gradient.
func (c *contrast) differentiate(s *script, rows int, l logit) {
	over, each := grid(rows), Size{tileColumns, 1}
	merge, merger := merging(rows)
	s.pairs(c.training, "sums_"+l.kind, over, each, c.rowMost, c.rowSums, c.columnMost, c.columnSums, c.pairs, l.kappas, l.logs, l.temperature, rows)
	s.run("merge", merge, merger, c.ofRows, c.rowMost, c.rowSums, over.X, rows)
	s.run("merge", merge, merger, c.ofColumns, c.columnMost, c.columnSums, over.Y, rows)
	// The column parts have been merged, so their memory is reused for the sums of the gradient's
	// columns.
	s.pairs(c.training, "gradient_"+l.kind, over, each, c.pairs, c.columnMost, c.columnSums, c.losses, c.dots, c.ofRows, c.ofColumns,
		l.kappas, l.logs, l.temperature, rows)
}

// report enqueues the kernel that reports the results of the loss; squares has values for the given
// number of sides.
func (c *contrast) report(s *script, rows int, l logit, squares Address, sides int) {
	t, over := c.training, grid(rows)
	place := int(l.temperature-t.parameters) / 4
	s.report("report", t.seen, t.control, t.gradient.at(place), c.losses, c.dots, l.kappas, squares, l.temperature, rows, over.X*over.Y, sides)
}

// contrastive is AsymVLM and its variants: a network on one side, whose outputs are distributions
// on the sphere, or directions. The loss is InfoNCE, or SigLIP's loss of separate pairs.
type contrastive struct {
	contrast
	network     network
	tau         int
	density     device.Density
	sigmoid     bool // with a bias after the temperature
	logarithmic bool // the parameter is the logarithm of the temperature

	totals, temperature Address // of tiles; of a training with a logarithmic temperature
	bessel              table

	input, anchors, mu, dOutput          Address // B×D
	kappas, logs, slopes, pulls, squares Address // B
}

var _ = supports(func(l device.ContrastiveLoss) method {
	if _, known := densities[l.Density]; !known && l.Density != device.DensityExact {
		return nil
	}
	return &contrastive{density: l.Density, sigmoid: l.Sigmoid, logarithmic: l.LogTemperature}
})

func (c *contrastive) lay(t *training) {
	c.training = t
	c.network, c.tau = t.network(t.work.Widths), t.numbers(1)
	if c.sigmoid {
		t.numbers(1)
	}
	if c.density == device.DensityExact {
		c.bessel = t.bessel()
	}
}

func (c *contrastive) take(take taker) {
	batch := c.training.work.Batch
	take.all(batch*c.training.columns(), &c.input, &c.anchors, &c.mu, &c.dOutput)
	take.all(batch, &c.kappas, &c.logs, &c.slopes, &c.pulls, &c.squares)
	c.contrast.take(take)
	c.network.take(take)
	c.bessel.take(take)
	if over := grid(batch); c.sigmoid {
		take.all(over.X*over.Y, &c.losses, &c.totals)
		take(&c.temperature, 1)
	}
}

// fill writes constant data.
func (c *contrastive) fill(d Driver) error { return c.bessel.write(d) }

func (c *contrastive) differentiate(s *script, rows int) {
	t, columns := c.training, c.training.columns()
	s.rows("gather", rows, c.input, c.anchors, t.adaptedSet, t.anchorSet, t.adaptedOf, t.anchorOf, t.order, t.plans, t.control,
		columns, t.work.Stretch)
	t.gatherGroups(s, rows)
	c.network.forward(s, rows, c.input)
	c.loss(s, rows)
	c.network.backward(s, pass{rows: rows, input: c.input, dOutput: c.dOutput})
}

// loss enqueues the loss of the outputs, and its gradient with respect to them: dOutput.
func (c *contrastive) loss(s *script, rows int) {
	t, columns := c.training, c.training.columns()
	eta, power := c.network.output(), 0
	direction, l := eta, logit{"linear", c.kappas, c.logs, t.parameters.at(c.tau)}
	if c.density == device.DensityPowerSpherical || c.density == device.DensityNone {
		direction = c.mu
	}
	if c.density == device.DensityPowerSpherical {
		power, l.kind = 1, "power"
	}
	if c.density == device.DensityExact {
		s.rows("concentrate", rows, eta, Address(0), c.kappas, c.logs, Address(0), c.slopes, columns, t.work.Factor, c.bessel.at)
	} else {
		s.rows("prepare", rows, eta, c.mu, c.kappas, c.logs, c.slopes, columns, t.work.Factor, densities[c.density])
	}
	s.multiply(Product{Dst: c.pairs, A: c.anchors, B: direction, Rows: rows, Inner: columns, Columns: rows, RightTransposed: true})
	if c.logarithmic {
		l.temperature = c.temperature
	}
	if c.sigmoid {
		c.everyPair(s, rows, l)
	} else {
		c.contrast.differentiate(s, rows, l)
	}
	if c.density != device.DensityNone {
		merge, merger := merging(rows)
		s.run("along", merge, merger, c.pulls, c.columnMost, c.columnSums, c.slopes, grid(rows).Y, rows, power)
	}
	s.multiply(Product{Dst: c.dOutput, A: c.pairs, B: c.anchors, Rows: rows, Inner: rows, Columns: columns, LeftTransposed: true})
	if c.density == device.DensityNone {
		s.rows("across", rows, c.dOutput, c.squares, c.mu, c.kappas, l.temperature, columns, t.work.Factor)
	} else {
		s.rows("combine", rows, c.dOutput, c.squares, direction, c.pulls, l.temperature, columns, t.work.Factor)
	}
	if !c.sigmoid {
		c.report(s, rows, l, c.squares, 1)
		return
	}
	over := grid(rows)
	s.report("report_sigmoid", t.seen, t.control, t.gradient.at(c.tau), c.losses, c.dots, c.totals, c.kappas, c.squares, l.temperature, rows,
		over.X*over.Y, number(c.logarithmic))
}

// everyPair enqueues SigLIP's loss of the inner products in pairs, and replaces them by its
// gradient.
func (c *contrastive) everyPair(s *script, rows int, l logit) {
	t := c.training
	if c.logarithmic {
		s.run("temperature_of", Size{1, 1}, Size{1, 1}, c.temperature, t.parameters.at(c.tau))
	}
	s.pairs(t, "sigmoid_"+l.kind, grid(rows), Size{tileColumns, 1}, c.pairs, c.columnMost, c.columnSums, c.losses, c.dots, c.totals,
		l.kappas, l.logs, l.temperature, t.parameters.at(c.tau+1), rows)
}
