package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Linear returns x·Wᵀ + b with W, out×in, and b, 1×out, as inputs named name.weight and name.bias,
// as in package nn and PyTorch.
func (b *Builder) Linear(x *gorgonia.Node, name string, out int) *gorgonia.Node {
	if !b.ok("layer", x) {
		return nil
	}
	weight, bias := b.Input(name+".weight", out, x.Shape()[1]), b.Input(name+".bias", 1, out)
	product := b.Times(x, b.Transposed(weight))
	return b.note(b.Sum(product, b.RepeatedLike(bias, product)), "linear", x, weight, bias)
}

// Rectified returns max(x, 0), with derivative 0 at 0.
func (b *Builder) Rectified(x *gorgonia.Node) *gorgonia.Node { return b.apply(rectified, x) }

// Network returns linear layers of the given widths with rectifiers between them. The layers are
// named name.0, name.2 and so on; the odd numbers belong to the rectifiers.
func (b *Builder) Network(x *gorgonia.Node, name string, widths ...int) *gorgonia.Node {
	for i, width := range widths {
		if i > 0 {
			x = b.Rectified(x)
		}
		x = b.Linear(x, fmt.Sprintf("%s.%d", name, 2*i), width)
	}
	return x
}
