package cuda

import "math"

// step puts a step of so many pairs into the stream. It reads its plan where the control says, so that a recording of it
// does one step after another.
func (t *training) step(rows int) error {
	s := &script{driver: t.driver}
	t.forward(s, rows)
	t.loss(s, rows)
	t.backward(s, rows)
	t.update(s)
	return s.err
}

// A script puts work into the stream up to the first error.
type script struct {
	driver Driver
	err    error
}

// run starts a kernel. Arguments are addresses, int and float32.
func (s *script) run(kernel string, grid, block Size, arguments ...any) {
	if s.err != nil {
		return
	}
	l := Launch{Kernel: kernel, Grid: grid, Block: block, Arguments: make([]uint64, len(arguments))}
	for i, argument := range arguments {
		switch value := argument.(type) {
		case Address:
			l.Arguments[i] = uint64(value)
		case int:
			l.Arguments[i] = uint64(uint32(value))
		case float32:
			l.Arguments[i] = uint64(math.Float32bits(value))
		}
	}
	s.err = s.driver.Launch(l)
}

func (s *script) multiply(p Product) {
	if s.err == nil {
		s.err = s.driver.Multiply(p)
	}
}

// rowThreads is the number of threads of a block that has one row of a matrix.
const rowThreads = 128

// forward gathers the batch and takes it through the network: input, anchors and the layers' outputs.
func (t *training) forward(s *script, rows int) {
	s.run("gather", Size{rows, 1}, Size{rowThreads, 1}, t.input, t.anchors, t.adaptedSet, t.anchorSet, t.adaptedOf, t.anchorOf,
		t.order, t.plans, t.control, t.work.Widths[0], t.work.Stretch)
	input := t.input
	for i, l := range t.layers {
		s.multiply(Product{Dst: l.output, A: input, B: t.parameters.at(l.weight), Rows: rows, Inner: l.in, Columns: l.out,
			RightTransposed: true})
		rectify := 0
		if i < len(t.layers)-1 {
			rectify = 1
		}
		s.run("add_bias", Size{tiles(l.out, rowThreads), min(rows, 256)}, Size{rowThreads, 1},
			l.output, t.parameters.at(l.bias), rows, l.out, rectify)
		input = l.output
	}
}

// temperature is the last parameter.
func (t *training) temperature() Address { return t.parameters.at(t.count - 1) }

// loss computes InfoNCE from the outputs, and its gradient with respect to them: dOutput.
func (t *training) loss(s *script, rows int) {
	columns, tau := t.work.Widths[0], t.temperature()
	eta, power, kind := t.layers[len(t.layers)-1].output, 0, "linear"
	direction := eta
	if t.work.Likelihood == "ps" {
		direction, power, kind = t.mu, 1, "power"
	}
	s.run("prepare", Size{rows, 1}, Size{rowThreads, 1}, eta, t.mu, t.kappas, t.logs, t.slopes, columns, t.work.Factor,
		likelihoods[t.work.Likelihood])
	s.multiply(Product{Dst: t.pairs, A: t.anchors, B: direction, Rows: rows, Inner: columns, Columns: rows, RightTransposed: true})

	grid := Size{tiles(rows, tileColumns), tiles(rows, tileRows)}
	merging, mergers := Size{tiles(rows, warp), 1}, Size{warp, mergers}
	s.run("sums_"+kind, grid, Size{tileColumns, 1}, t.rowMost, t.rowSums, t.columnMost, t.columnSums, t.pairs, t.kappas, t.logs,
		tau, rows)
	s.run("merge", merging, mergers, t.ofRows, t.rowMost, t.rowSums, grid.X, rows)
	s.run("merge", merging, mergers, t.ofColumns, t.columnMost, t.columnSums, grid.Y, rows)
	// The parts of the columns are merged; their memory has the sums of g's columns from here on.
	s.run("gradient_"+kind, grid, Size{tileColumns, 1}, t.pairs, t.columnMost, t.columnSums, t.losses, t.dots, t.ofRows, t.ofColumns,
		t.kappas, t.logs, tau, rows)
	s.run("along", merging, mergers, t.pulls, t.columnMost, t.columnSums, t.slopes, grid.Y, rows, power)
	s.multiply(Product{Dst: t.dOutput, A: t.pairs, B: t.anchors, Rows: rows, Inner: rows, Columns: columns, LeftTransposed: true})
	s.run("combine", Size{rows, 1}, Size{rowThreads, 1}, t.dOutput, t.squares, direction, t.pulls, tau, columns, t.work.Factor)
	s.run("report", Size{1, 1}, Size{1024, 1}, t.seen, t.control, t.gradient.at(t.count-1), t.losses, t.dots, t.kappas,
		t.squares, tau, rows, grid.X*grid.Y)
}

// backward sets the gradients of all layers.
func (t *training) backward(s *script, rows int) {
	dOutput, output := t.dOutput, Address(0) // the top layer is not rectified
	for i := len(t.layers) - 1; i >= 0; i-- {
		l := t.layers[i]
		down := tiles(rows, tileRows)
		s.run("rectify_gradient", Size{tiles(l.out, tileColumns), down}, Size{tileColumns, 1}, dOutput, t.parts, output, rows, l.out)
		s.run("add_parts", Size{tiles(l.out, warp), 1}, Size{warp, mergers}, t.gradient.at(l.bias), t.parts, down, l.out)
		input := t.input
		if i > 0 {
			input = t.layers[i-1].output
		}
		s.multiply(Product{Dst: t.gradient.at(l.weight), A: dOutput, B: input, Rows: l.out, Inner: rows, Columns: l.in,
			LeftTransposed: true})
		if i > 0 {
			s.multiply(Product{Dst: l.dInput, A: dOutput, B: t.parameters.at(l.weight), Rows: rows, Inner: l.out, Columns: l.in})
			dOutput, output = l.dInput, input
		}
	}
}

// update does the optimiser's part and ends the step.
func (t *training) update(s *script) {
	const threads, most = 256, 1024
	grid, block := Size{min(tiles(t.count, threads), most), 1}, Size{threads, 1}
	if t.work.Optimizer == "adamw" {
		s.run("adam", grid, block, t.parameters, t.memory[0], t.memory[1], t.gradient, t.plans, t.control, t.count)
	} else {
		s.run("descend", grid, block, t.parameters, t.memory[0], t.gradient, t.plans, t.control, t.count)
	}
	s.run("advance", Size{1, 1}, Size{1, 1}, t.control)
}
