package nn

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// A linear layer is y = x·Wᵀ + b. Its slices are parts of the learner's vectors.
type linear[F device.Float] struct {
	weight, dWeight device.Matrix[F] // out×in, as in PyTorch
	bias, dBias     []F
}

// A network is linear layers with rectifiers between them and nothing after the last.
type network[F device.Float] struct {
	ops     device.Operations[F]
	layers  []linear[F]
	outputs []device.Matrix[F] // B×out of each layer; hidden ones are rectified in place
	dInputs []device.Matrix[F] // B×in: gradients with respect to the inputs of the layers but the first
}

// sizes returns the widths from input to output.
func (a Architecture) sizes() []int {
	sizes := []int{a.Dimension}
	for range a.HiddenLayers {
		sizes = append(sizes, a.Hidden)
	}
	return append(sizes, a.Dimension)
}

// weights returns the number of parameters of the network.
func (a Architecture) weights() int {
	sizes, total := a.sizes(), 0
	for i, out := range sizes[1:] {
		total += out*sizes[i] + out
	}
	return total
}

// newNetwork lays a network over vectors of parameters and gradients, with buffers for batch rows.
func newNetwork[F device.Float](ops device.Operations[F], sizes []int, vectors [2][]F, batch int) *network[F] {
	n := &network[F]{ops: ops}
	at := 0
	take := func(length int) (parameters, gradients []F) {
		at += length
		return vectors[0][at-length : at : at], vectors[1][at-length : at : at]
	}
	for i, out := range sizes[1:] {
		in := sizes[i]
		l := linear[F]{weight: device.Matrix[F]{Rows: out, Columns: in}, dWeight: device.Matrix[F]{Rows: out, Columns: in}}
		l.weight.Values, l.dWeight.Values = take(out * in)
		l.bias, l.dBias = take(out)
		n.layers = append(n.layers, l)
		n.outputs = append(n.outputs, device.NewMatrix[F](batch, out))
		if i == 0 {
			n.dInputs = append(n.dInputs, device.Matrix[F]{})
		} else {
			n.dInputs = append(n.dInputs, device.NewMatrix[F](batch, in))
		}
	}
	return n
}

// initialize draws weights and biases uniformly from ±1/√in, PyTorch's default for linear layers.
func (n *network[F]) initialize(source *rand.Rand) {
	for _, l := range n.layers {
		bound := 1 / math.Sqrt(float64(l.weight.Columns))
		for _, values := range [][]F{l.weight.Values, l.bias} {
			for i := range values {
				values[i] = F((2*source.Float64() - 1) * bound)
			}
		}
	}
}

// forward returns the outputs for a batch. They are the network's memory until the next call.
func (n *network[F]) forward(input device.Matrix[F]) device.Matrix[F] {
	for i, l := range n.layers {
		output := n.outputs[i].Top(input.Rows)
		n.ops.ProductRightTransposed(output, input, l.weight)
		n.ops.AddBias(output, l.bias, i < len(n.layers)-1)
		input = output
	}
	return input
}

// backward sets the gradients of all layers after a forward pass with the same input. It overwrites nothing else.
func (n *network[F]) backward(input, dOutput device.Matrix[F]) {
	for i := len(n.layers) - 1; i >= 0; i-- {
		l, in := n.layers[i], input
		if i > 0 {
			in = n.outputs[i-1].Top(input.Rows)
		}
		n.ops.ProductLeftTransposed(l.dWeight, dOutput, in)
		n.ops.SumRows(l.dBias, dOutput)
		if i == 0 {
			return // nobody needs the gradient with respect to the frozen embeddings
		}
		dInput := n.dInputs[i].Top(input.Rows)
		n.ops.Product(dInput, dOutput, l.weight)
		n.ops.RectifierGradient(dInput, in)
		dOutput = dInput
	}
}
