package cuda

// rowThreads is the number of threads of a block that processes one row of a matrix.
const rowThreads = 128

// A layer holds the positions of a layer's parameters in the vectors, and its buffers.
type layer struct {
	in, out        int
	weight, bias   int     // indices of the first elements
	output, dInput Address // B×out and B×in
}

// A network is a sequence of linear layers with rectifiers between them.
type network struct {
	training *training
	layers   []layer
	around   bool // residual: the input is added to the output
}

// network adds a network after the parameters laid out so far.
func (t *training) network(widths []int) network {
	n := network{training: t}
	for i, out := range widths[1:] {
		in := widths[i]
		n.layers = append(n.layers, layer{in: in, out: out, weight: t.placed, bias: t.placed + in*out})
		t.projections.tensors = append(t.projections.tensors, tensor{t.placed, out, in}, tensor{t.placed + in*out, 0, out})
		t.placed += in*out + out
		t.widest = max(t.widest, out)
	}
	return n
}

// numbers adds scalars after the parameters laid out so far, and returns the index of the first.
func (t *training) numbers(count int) int {
	t.projections.tensors = append(t.projections.tensors, tensor{t.placed, 0, count})
	t.placed += count
	return t.placed - count
}

// take allocates the buffers of a network.
func (n network) take(take taker) {
	batch := n.training.work.Batch
	for i := range n.layers {
		take(&n.layers[i].output, batch*n.layers[i].out)
		if i > 0 {
			take(&n.layers[i].dInput, batch*n.layers[i].in)
		}
	}
}

// output returns the address of the result of forward.
func (n network) output() Address { return n.layers[len(n.layers)-1].output }

// forward enqueues the forward pass of a batch.
func (n network) forward(s *script, rows int, input Address) {
	t, first := n.training, input
	for i, l := range n.layers {
		s.multiply(Product{Dst: l.output, A: input, B: t.parameters.at(l.weight), Rows: rows, Inner: l.in, Columns: l.out,
			RightTransposed: true})
		grid, block := Size{tiles(l.out, rowThreads), min(rows, 256)}, Size{rowThreads, 1}
		bias, rectify := t.parameters.at(l.bias), 1
		if i == len(n.layers)-1 {
			rectify = 0
		}
		if rectify == 0 && n.around {
			s.run("add_detour", grid, block, l.output, bias, first, rows, l.out)
		} else {
			s.run("add_bias", grid, block, l.output, bias, rows, l.out, rectify)
		}
		input = l.output
	}
}

// A pass holds the arguments of one backward pass through a network.
type pass struct {
	rows           int
	input, dOutput Address
	dInput         Address // of the network, 0 if not needed
	add            bool    // add to dInput
}

// backward enqueues the gradients of all layers.
func (n network) backward(s *script, p pass) {
	t, dOutput, output := n.training, p.dOutput, Address(0) // the top layer is not rectified
	for i := len(n.layers) - 1; i >= 0; i-- {
		l := n.layers[i]
		down := tiles(p.rows, tileRows)
		s.run("rectify_gradient", Size{tiles(l.out, tileColumns), down}, Size{tileColumns, 1}, dOutput, t.parts, output, p.rows, l.out)
		s.run("add_parts", Size{tiles(l.out, warp), 1}, Size{warp, mergers}, t.gradient.at(l.bias), t.parts, down, l.out)
		input, below, add := p.input, p.dInput, p.add
		if i > 0 {
			input, below, add = n.layers[i-1].output, l.dInput, false
		}
		s.multiply(Product{Dst: t.gradient.at(l.weight), A: dOutput, B: input, Rows: l.out, Inner: p.rows, Columns: l.in,
			LeftTransposed: true})
		if below != 0 {
			s.multiply(Product{Dst: below, A: dOutput, B: t.parameters.at(l.weight), Rows: p.rows, Inner: l.out, Columns: l.in, Add: add})
			dOutput, output = below, input
		}
	}
}
