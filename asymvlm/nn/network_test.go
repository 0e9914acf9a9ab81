package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
)

// aNetwork returns a network 4-6-5-3 with random weights, and inputs for seven rows.
func aNetwork(t *testing.T) (n *network[float64], all tensors[float64], input device.Matrix[float64]) {
	t.Helper()
	b := &builder[float64]{ops: device.Reference[float64]{}, batch: 9, tensors: &all}
	n = newNetwork(b, "net", []int{4, 6, 5, 3})
	all.allocate()
	source := rand.New(rand.NewPCG(2, 3))
	n.initialize(source)
	input = device.NewMatrix[float64](7, 4)
	for i := range input.Values {
		input.Values[i] = source.NormFloat64()
	}
	return n, all, input
}

func TestNetworkIsLinearLayersWithRectifiersBetween(t *testing.T) {
	n, all, input := aNetwork(t)
	p := plain{}
	for _, part := range all.all {
		p[part.name] = parameter[float64]{Name: part.name, Shape: part.shape, Values: part.values}
	}
	output := n.forward(input)
	if output.Rows != 7 || output.Columns != 3 {
		t.Fatalf("%d×%d outputs", output.Rows, output.Columns)
	}
	negative := false
	for i := range 7 {
		want := p.mlp("net", 3, input.Row(i))
		for j, value := range output.Row(i) {
			if math.Abs(value-want[j]) > 1e-14 {
				t.Errorf("output %d of row %d is %g, want %g", j, i, value, want[j])
			}
			negative = negative || value < 0
		}
	}
	if !negative {
		t.Error("the last layer is rectified, or the weights are odd")
	}
}

// Compares the gradient of Σ c·output with respect to every weight, bias and input with
// differences.
func TestBackwardIsTheDerivativeOfForward(t *testing.T) {
	n, all, input := aNetwork(t)
	source := rand.New(rand.NewPCG(5, 5))
	weights := device.NewMatrix[float64](7, 3)
	for i := range weights.Values {
		weights.Values[i] = source.NormFloat64()
	}
	sum := func() float64 {
		total := 0.0
		for i, value := range n.forward(input).Values {
			total += weights.Values[i] * value
		}
		return total
	}
	sum()
	dInput := device.NewMatrix[float64](7, 4)
	n.backwardTo(dInput, input, weights)
	compare := func(name string, values, gradient []float64) {
		const h = 1e-6
		for i, kept := range values {
			values[i] = kept + h
			up := sum()
			values[i] = kept - h
			down := sum()
			values[i] = kept
			if numeric := (up - down) / (2 * h); math.Abs(numeric-gradient[i]) > 1e-7 {
				t.Errorf("%s %d: gradient %g, difference %g", name, i, gradient[i], numeric)
			}
		}
	}
	gradient := slices.Clone(dInput.Values)
	compare("input", input.Values, gradient)
	for _, part := range all.all {
		compare(part.name, part.values, slices.Clone(part.gradient))
	}
}

// A batch that is not full uses the first rows of the buffers and produces the same result as in
// buffers of its size.
func TestShortBatchesUseTheSameBuffers(t *testing.T) {
	n, _, input := aNetwork(t)
	full := slices.Clone(n.forward(input).Values)
	short := n.forward(part(input, 0, 2))
	if !slices.Equal(short.Values, full[:6]) {
		t.Errorf("outputs %v, want %v", short.Values, full[:6])
	}
	if &short.Values[0] != &n.forward(input).Values[0] {
		t.Error("a short batch has memory of its own")
	}
}

func TestNetworksHavePyTorchsNames(t *testing.T) {
	var all tensors[float64]
	b := &builder[float64]{Architecture: Architecture{Dimension: 8, Hidden: 5, HiddenLayers: 2}, ops: device.Reference[float64]{}, batch: 1, tensors: &all}
	newNetwork(b, "text", b.sizes())
	var names []string
	for _, part := range all.all {
		names = append(names, part.name)
	}
	want := []string{"text.0.weight", "text.0.bias", "text.2.weight", "text.2.bias", "text.4.weight", "text.4.bias"}
	if !slices.Equal(names, want) {
		t.Errorf("names %q", names)
	}
	if got := (Architecture{Dimension: 8}).sizes(); !slices.Equal(got, []int{8, 8}) {
		t.Errorf("without hidden layers the widths are %d", got)
	}
}

// Tensors are contiguous in one vector, scalars as one element each, and writing to a tensor
// changes the vector.
func TestTensorsShareOneVector(t *testing.T) {
	var all tensors[float64]
	a, b, c := all.take("a", 2, 3), all.take("b"), all.take("c", 4)
	parameters, gradient := all.allocate()
	if len(parameters) != 11 || len(gradient) != 11 || a.length() != 6 || b.length() != 1 || c.length() != 4 {
		t.Fatalf("lengths %d, %d, %d of %d", a.length(), b.length(), c.length(), len(parameters))
	}
	a.matrix().Row(1)[2], b.values[0], c.gradient[3] = 5, 7, 9
	if parameters[5] != 5 || parameters[6] != 7 || gradient[10] != 9 || b.number() != 7 {
		t.Errorf("vectors %v and %v", parameters, gradient)
	}
	a.dMatrix().Row(0)[0] = 3
	if gradient[0] != 3 {
		t.Error("the gradient's matrix has memory of its own")
	}
	if extended := append(b.values, 1); parameters[7] == 1 && len(extended) == 2 {
		t.Error("appending to one tensor wrote into the next")
	}
	named := all.named("velocity/", parameters)
	if len(named) != 3 || named[0].Name != "velocity/a" || !slices.Equal(named[0].Shape, []int{2, 3}) || named[1].Values[0] != 7 ||
		named[1].Shape != nil || len(named[2].Values) != 4 {
		t.Errorf("named %+v", named)
	}
}
