package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gosphere/asymvlm/custom"
)

// A Model is a user-defined method whose networks, loss and uncertainties are graphs, so that no
// derivative is written by hand. Custom converts it for adapter.Register:
//
//	model := graph.Model{
//		Texts:   func(b *graph.Builder, raw *gorgonia.Node) *gorgonia.Node { return b.Sum(raw, b.Linear(raw, "text", raw.Shape()[1])) },
//		Numbers: []custom.Number{{Name: "tau", First: 1}},
//		Loss: func(b *graph.Builder, out graph.Outputs) *gorgonia.Node {
//			return b.Contrastive(b.Inner(b.Directions(out.Images), b.Directions(out.Texts)), out.Numbers[0])
//		},
//	}
//	definition, err := model.Custom()
//	err = adapter.Register(adapter.Definition{ID: "mine", Model: definition})
//
// The functions are called once for every batch size and dimension, with a builder whose other
// inputs, such as those of Builder.Linear and Builder.Network, become the trained tensors. They
// must create the same inputs in every call and work for every dimension: raw.Shape()[1] is D.
type Model struct {
	// Texts and Images return the outputs of a side for raw embeddings, B×D. Both sides must have
	// the same number of columns. Nil returns the embeddings; at least one side or Numbers must be
	// there to train.
	Texts, Images func(b *Builder, raw *gorgonia.Node) *gorgonia.Node
	// Numbers are trained scalars. One named tau is shown as the temperature of the training.
	Numbers []custom.Number
	// Loss returns the loss of B pairs as a scalar.
	Loss func(b *Builder, out Outputs) *gorgonia.Node
	// Uncertainty returns the uncertainties of the outputs of one side, custom.Texts or
	// custom.Images, as a column, or nil if the side has none. Nil means that no side has any.
	Uncertainty func(b *Builder, side int, outputs *gorgonia.Node) *gorgonia.Node
	// Score returns the retrieval scores of N images and M texts, N×M, of their outputs. Nil uses
	// the cosine.
	Score func(b *Builder, images, texts *gorgonia.Node) *gorgonia.Node
	// Initialize sets the initial values. Nil draws weights and biases of layers uniformly from
	// ±1/√in, as PyTorch and package nn do, and starts other tensors at 0.
	Initialize func(values custom.Values, source *rand.Rand)
}

// Outputs are the outputs of both sides for a batch, B×K, and the trained numbers, 1×1 each.
type Outputs struct {
	Texts, Images *gorgonia.Node
	Numbers       []*gorgonia.Node
}

// Names of the inputs that hold embeddings.
const (
	rawTexts  = "raw texts"
	rawImages = "raw images"
)

// Custom returns the model in the form of adapter.Register. It returns an error if Loss is nil or
// the graphs of a small batch cannot be built.
func (m Model) Custom() (custom.Model, error) {
	if m.Loss == nil {
		return custom.Model{}, fmt.Errorf("graph: a model without Loss")
	}
	g := &graphs{model: m, losses: map[[2]int]*Program{}, sides: map[[3]int]*forward{}, scores: map[[3]int]*forward{}}
	const some = 8 // any dimension
	if err := g.validate(some); err != nil {
		return custom.Model{}, err
	}
	c := custom.Model{
		Tensors:       g.tensors,
		Validate:      g.validate,
		Width:         g.width,
		Initialize:    g.initialize,
		Differentiate: g.differentiate,
		Represent:     g.represent,
	}
	if m.Score != nil {
		c.Score = g.score
	}
	return c, nil
}

// graphs holds the graphs of a model by their sizes.
type graphs struct {
	model Model

	mutex  sync.Mutex // guards everything below; programs run one at a time
	losses map[[2]int]*Program
	sides  map[[3]int]*forward // by side, rows and dimension
	scores map[[3]int]*forward // by images, texts and columns
}

// A forward is a graph without derivatives.
type forward struct {
	inputs  []*gorgonia.Node
	outputs []*gorgonia.Node // the second, if any, is the uncertainty
	machine gorgonia.VM
}

// newForward prepares the graph of some results.
func newForward(b *Builder, outputs ...*gorgonia.Node) (*forward, error) {
	if !b.ok("output", outputs...) {
		return nil, b.err
	}
	return &forward{inputs: b.inputs, outputs: outputs, machine: gorgonia.NewTapeMachine(b.graph)}, nil
}

// run computes the outputs for values of the inputs.
func (f *forward) run(values map[string][]float64) (results [][]float64, err error) {
	defer func() { // gorgonia panics if values do not match its types
		if problem := recover(); problem != nil {
			err = fmt.Errorf("graph: %v", problem)
		}
	}()
	for _, input := range f.inputs {
		shape := input.Shape()
		given := values[input.Name()]
		if len(given) != shape.TotalSize() {
			return nil, fmt.Errorf("graph: input %s has %d values, want %v", input.Name(), len(given), shape)
		}
		if err := gorgonia.Let(input, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(slices.Clone(given)))); err != nil {
			return nil, fmt.Errorf("graph: input %s: %w", input.Name(), err)
		}
	}
	defer f.machine.Reset()
	if err := f.machine.RunAll(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	for _, output := range f.outputs {
		list, err := nodeValues(output)
		if err != nil {
			return nil, err
		}
		results = append(results, list)
	}
	return results, nil
}

// outputs builds the outputs of one side.
func (m Model) outputs(b *Builder, side, rows, dimension int) *gorgonia.Node {
	name, network := rawTexts, m.Texts
	if side == custom.Images {
		name, network = rawImages, m.Images
	}
	raw := b.Input(name, rows, dimension)
	if network == nil {
		return raw
	}
	return network(b, raw)
}

// loss returns the program of a batch.
func (g *graphs) loss(pairs, dimension int) (*Program, error) {
	key := [2]int{pairs, dimension}
	if known := g.losses[key]; known != nil {
		return known, nil
	}
	b := NewBuilder()
	out := Outputs{Texts: g.model.outputs(b, custom.Texts, pairs, dimension), Images: g.model.outputs(b, custom.Images, pairs, dimension)}
	for _, n := range g.model.Numbers {
		out.Numbers = append(out.Numbers, b.Number(n.Name))
	}
	if b.err != nil {
		return nil, b.err
	}
	if !b.ok("output", out.Texts, out.Images) {
		return nil, b.err
	}
	if a, c := out.Texts.Shape(), out.Images.Shape(); a[0] != pairs || c[0] != pairs || a[1] != c[1] {
		return nil, fmt.Errorf("graph: outputs of the shapes %v for texts and %v for images, want %d rows and as many columns of both", a, c, pairs)
	}
	program, err := b.NewProgram(g.model.Loss(b, out))
	if err == nil {
		g.losses[key] = program
	}
	return program, err
}

// side returns the graph of the outputs and uncertainties of one side.
func (g *graphs) side(side, rows, dimension int) (*forward, error) {
	key := [3]int{side, rows, dimension}
	if known := g.sides[key]; known != nil {
		return known, nil
	}
	b := NewBuilder()
	outputs := []*gorgonia.Node{g.model.outputs(b, side, rows, dimension)}
	if g.model.Uncertainty != nil {
		if u := g.model.Uncertainty(b, side, outputs[0]); u != nil {
			outputs = append(outputs, u)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	if len(outputs) > 1 && outputs[1].Shape().TotalSize() != rows {
		return nil, fmt.Errorf("graph: uncertainties of the shape %v for %d rows, want a column", outputs[1].Shape(), rows)
	}
	f, err := newForward(b, outputs...)
	if err == nil {
		g.sides[key] = f
	}
	return f, err
}

// validate builds the graphs of a small batch.
func (g *graphs) validate(dimension int) error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	const pairs = 3
	program, err := g.loss(pairs, dimension)
	if err != nil {
		return err
	}
	if len(g.list(program)) == 0 {
		return fmt.Errorf("graph: a model without networks and numbers has nothing to train")
	}
	for _, side := range []int{custom.Texts, custom.Images} {
		if _, err := g.side(side, pairs, dimension); err != nil {
			return err
		}
	}
	if g.model.Score != nil {
		_, err = g.scoring(pairs, pairs+1, g.width(dimension))
	}
	return err
}

// list returns the trained tensors of a program.
func (g *graphs) list(program *Program) []custom.Tensor {
	var tensors []custom.Tensor
	for _, input := range program.builder.inputs {
		name, shape := input.Name(), input.Shape()
		switch {
		case name == rawTexts || name == rawImages:
		case shape.TotalSize() == 1 && slices.ContainsFunc(g.model.Numbers, func(n custom.Number) bool { return n.Name == name }):
			tensors = append(tensors, custom.Tensor{Name: name})
		case strings.HasSuffix(name, ".bias"): // 1×out here, out in PyTorch
			tensors = append(tensors, custom.Tensor{Name: name, Shape: []int{shape.TotalSize()}})
		default:
			tensors = append(tensors, custom.Tensor{Name: name, Shape: slices.Clone([]int(shape))})
		}
	}
	return tensors
}

// must panics with an error of a graph that validate could not foresee, such as one of a function
// that builds another graph for another batch size.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (g *graphs) tensors(dimension int) []custom.Tensor {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	const pairs = 3
	return g.list(must(g.loss(pairs, dimension)))
}

func (g *graphs) width(dimension int) int {
	if out := g.model.outputs(NewBuilder(), custom.Texts, 1, dimension); out != nil {
		return out.Shape()[1]
	}
	return dimension
}

func (g *graphs) initialize(values custom.Values, source *rand.Rand) {
	for _, n := range g.model.Numbers {
		values[n.Name][0] = n.First
	}
	if g.model.Initialize != nil {
		g.model.Initialize(values, source)
		return
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names) // the order of random numbers must not depend on that of the map
	for _, name := range names {
		layer, ok := strings.CutSuffix(name, ".weight")
		bias := values[layer+".bias"]
		if !ok || len(bias) == 0 {
			continue
		}
		bound := 1 / math.Sqrt(float64(len(values[name])/len(bias)))
		for _, list := range [][]float64{values[name], bias} {
			for i := range list {
				list[i] = (2*source.Float64() - 1) * bound
			}
		}
	}
}

// with returns the values with the embeddings as further inputs.
func with(values custom.Values, raw map[string][][]float64) map[string][]float64 {
	all := map[string][]float64{}
	for name, list := range values {
		all[name] = list
	}
	for name, rows := range raw {
		all[name] = flat(rows)
	}
	return all
}

func (g *graphs) differentiate(values custom.Values, texts, images [][]float64, gradient custom.Values) float64 {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	program := must(g.loss(len(texts), len(texts[0])))
	loss, derivatives, err := program.Run(with(values, map[string][][]float64{rawTexts: texts, rawImages: images}))
	if err != nil {
		panic(err)
	}
	for name, list := range gradient {
		for i, d := range derivatives[name] { // none if the loss does not depend on the tensor
			list[i] += d
		}
	}
	return loss
}

func (g *graphs) represent(values custom.Values, side int, raw, dst [][]float64, uncertainty []float64) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	f := must(g.side(side, len(raw), len(raw[0])))
	name := rawTexts
	if side == custom.Images {
		name = rawImages
	}
	results := must(f.run(with(values, map[string][][]float64{name: raw})))
	columns := len(results[0]) / len(raw)
	for i, row := range dst {
		copy(row, results[0][i*columns:])
		if g.model.Score == nil {
			toUnit(row)
		}
	}
	if len(results) > 1 {
		copy(uncertainty, results[1])
	}
	return len(results) > 1
}

// toUnit divides a row by its norm.
func toUnit(row []float64) {
	sum := 0.0
	for _, x := range row {
		sum += x * x
	}
	length := max(math.Sqrt(sum), least)
	for i := range row {
		row[i] /= length
	}
}

// scoring returns the graph of scores.
func (g *graphs) scoring(images, texts, columns int) (*forward, error) {
	key := [3]int{images, texts, columns}
	if known := g.scores[key]; known != nil {
		return known, nil
	}
	b := NewBuilder()
	score := g.model.Score(b, b.Input(rawImages, images, columns), b.Input(rawTexts, texts, columns))
	if b.err != nil {
		return nil, b.err
	}
	if !b.ok("scores", score) {
		return nil, b.err
	}
	if s := score.Shape(); s[0] != images || s[1] != texts {
		return nil, fmt.Errorf("graph: scores of the shape %v, want %d×%d: images × texts", s, images, texts)
	}
	f, err := newForward(b, score)
	if err == nil {
		g.scores[key] = f
	}
	return f, err
}

// scoreBlock is the number of images whose scores one graph computes.
const scoreBlock = 64

func (g *graphs) score(_ custom.Values, dst, images, texts [][]float64) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for from := 0; from < len(images); from += scoreBlock {
		to := min(from+scoreBlock, len(images))
		f := must(g.scoring(to-from, len(texts), len(texts[0])))
		results := must(f.run(map[string][]float64{rawImages: flat(images[from:to]), rawTexts: flat(texts)}))
		for i := from; i < to; i++ {
			copy(dst[i], results[0][(i-from)*len(texts):])
		}
	}
}
