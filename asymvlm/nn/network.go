package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// A linear layer is y = x·Wᵀ + b.
type linear[F device.Float] struct{ weight, bias *tensor[F] } // weight is out×in, as in PyTorch

// A network is a sequence of linear layers with rectifiers between them.
type network[F device.Float] struct {
	ops     device.Operations[F]
	layers  []linear[F]
	outputs []device.Matrix[F] // B×out of each layer; hidden ones are rectified in place
	dInputs []device.Matrix[F] // B×in: gradients with respect to the inputs of the layers
}

// sizes returns the widths from input to output.
func (a Architecture) sizes() []int {
	sizes := []int{a.Dimension}
	if a.Residual {
		return append(sizes, a.Dimension)
	}
	for range a.HiddenLayers {
		sizes = append(sizes, a.Hidden)
	}
	return append(sizes, a.Dimension)
}

// widths returns the widths from input to output.
func (n *network[F]) widths() []int {
	widths := []int{n.layers[0].weight.shape[1]}
	for _, l := range n.layers {
		widths = append(widths, l.weight.shape[0])
	}
	return widths
}

// newNetwork returns a network with buffers for a batch. As in PyTorch's Sequential, rectifiers
// have the odd indices.
func newNetwork[F device.Float](b *builder[F], name string, sizes []int) *network[F] {
	var names []string
	for i := range sizes[1:] {
		names = append(names, fmt.Sprintf("%s.%d", name, 2*i))
	}
	return newNamedNetwork(b, names, sizes)
}

// newNamedNetwork returns a network whose layers have the given names.
func newNamedNetwork[F device.Float](b *builder[F], names []string, sizes []int) *network[F] {
	n := &network[F]{ops: b.ops}
	for i, out := range sizes[1:] {
		n.layers = append(n.layers, linear[F]{
			b.tensors.take(names[i]+".weight", out, sizes[i]), b.tensors.take(names[i]+".bias", out)})
		n.outputs = append(n.outputs, device.NewMatrix[F](b.batch, out))
		if i == 0 {
			n.dInputs = append(n.dInputs, device.Matrix[F]{})
		} else {
			n.dInputs = append(n.dInputs, device.NewMatrix[F](b.batch, sizes[i]))
		}
	}
	return n
}

// initialize draws weights and biases uniformly from ±1/√in, PyTorch's default for linear layers.
func (n *network[F]) initialize(source *rand.Rand) {
	for _, l := range n.layers {
		bound := 1 / math.Sqrt(float64(l.weight.shape[1]))
		for _, values := range [][]F{l.weight.values, l.bias.values} {
			for i := range values {
				values[i] = F((2*source.Float64() - 1) * bound)
			}
		}
	}
}

// clear sets all weights and biases to 0.
func (n *network[F]) clear() {
	for _, l := range n.layers {
		clear(l.weight.values)
		clear(l.bias.values)
	}
}

// forward returns the outputs for a batch. The matrix belongs to the network and is valid until the
// next call.
func (n *network[F]) forward(input device.Matrix[F]) device.Matrix[F] {
	for i, l := range n.layers {
		output := n.outputs[i].Top(input.Rows)
		n.ops.Affine(output, input, l.weight.matrix(), device.Bias[F]{Values: l.bias.values, Rectify: i < len(n.layers)-1})
		input = output
	}
	return input
}

// backward sets the gradients of all layers after a forward pass with the same input. It overwrites
// nothing else. The gradient with respect to the input is not computed, because embeddings are
// frozen.
func (n *network[F]) backward(input, dOutput device.Matrix[F]) {
	n.backwardTo(device.Matrix[F]{}, input, dOutput)
}

// backwardTo is like backward and also sets dInput, unless it is empty, to the gradient with
// respect to the input.
func (n *network[F]) backwardTo(dInput, input, dOutput device.Matrix[F]) {
	for i := len(n.layers) - 1; i >= 0; i-- {
		l, in := n.layers[i], input
		if i > 0 {
			in = n.outputs[i-1].Top(input.Rows)
		}
		n.ops.AffineGradient(l.weight.dMatrix(), l.bias.gradient, dOutput, in)
		if i == 0 {
			break
		}
		below := n.dInputs[i].Top(input.Rows)
		n.ops.InputGradient(below, dOutput, l.weight.matrix(), in)
		dOutput = below
	}
	if len(dInput.Values) > 0 {
		n.ops.Product(dInput, dOutput, n.layers[0].weight.matrix())
	}
}
