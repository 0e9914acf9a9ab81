package graph

import (
	"fmt"
	"slices"
	"strings"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/custom"
)

// Inputs are the possible inputs of a loss for training. custom.Batch lists the inputs that each
// method provides. A loss need not use all, and the first training step rejects a loss that uses an
// input that the method does not provide. The sides are custom.Texts and custom.Images.
type Inputs struct {
	LogLikelihoods *gorgonia.Node    // B×B, images × texts
	Natural        *gorgonia.Node    // B×D
	NaturalImages  *gorgonia.Node    // B×D
	Images         *gorgonia.Node    // B×D, without derivatives
	Means          [2]*gorgonia.Node // by side, B×D; with derivatives for probvlm only
	LogVariances   [2]*gorgonia.Node // by side, B×D; with derivatives only for probvlm
	Targets        [2]*gorgonia.Node // by side, B×D, without derivatives
	LogScales      [2]*gorgonia.Node // by side, B×D
	LogShapes      [2]*gorgonia.Node // by side, B×D
	Numbers        []*gorgonia.Node  // 1×1 each
}

// A Loss is a training loss defined by a graph. It implements custom.Loss.
type Loss struct {
	name     string
	numbers  []custom.Number
	build    func(b *Builder, in Inputs) *gorgonia.Node
	programs map[[2]int]*Program // by B and D
}

// symbols maps the parts of a batch to the names of inputs in graphs.
var symbols = map[string]string{
	"LogLikelihoods": "ℓ", "Natural": "η", "NaturalImages": "η of images", "Images": "x",
	"Means[Texts]": "μ of texts", "Means[Images]": "μ of images",
	"LogVariances[Texts]": "log σ² of texts", "LogVariances[Images]": "log σ² of images",
	"Targets[Texts]": "y of texts", "Targets[Images]": "y of images",
	"LogScales[Texts]": "log α of texts", "LogScales[Images]": "log α of images",
	"LogShapes[Texts]": "log β of texts", "LogShapes[Images]": "log β of images",
}

// NewLoss returns a training loss whose graph is built by a function of the inputs, once for every
// batch size. The result must be a scalar. Errors of the function are reported by the first
// training step.
func NewLoss(name string, numbers []custom.Number, build func(b *Builder, in Inputs) *gorgonia.Node) *Loss {
	return &Loss{name: name, numbers: numbers, build: build, programs: map[[2]int]*Program{}}
}

// Name returns the name.
func (l *Loss) Name() string { return l.name }

// Numbers returns the trained numbers.
func (l *Loss) Numbers() []custom.Number { return l.numbers }

// Program builds the loss of a batch of B pairs with D dimensions. Its inputs are the Inputs that
// the loss uses, named ℓ, η, x and so on as in drawings, and the numbers by their names. Errors of
// the building function are returned with the name of the loss.
func (l *Loss) Program(pairs, dimension int) (*Program, error) {
	if known := l.programs[[2]int{pairs, dimension}]; known != nil {
		return known, nil
	}
	b := NewBuilder()
	program, err := b.NewProgram(l.build(b, l.inputs(b, pairs, dimension)))
	if err != nil {
		return nil, fmt.Errorf("graph: loss %q: %w", l.name, err)
	}
	l.programs[[2]int{pairs, dimension}] = program
	return program, nil
}

// inputs creates the inputs of the loss of a batch.
func (l *Loss) inputs(b *Builder, pairs, dimension int) Inputs {
	wide := func(part string) *gorgonia.Node { return b.Input(symbols[part], pairs, dimension) }
	in := Inputs{
		LogLikelihoods: b.Input(symbols["LogLikelihoods"], pairs, pairs), Natural: wide("Natural"),
		NaturalImages: wide("NaturalImages"), Images: wide("Images"),
	}
	for side, of := range [2]string{custom.Texts: "[Texts]", custom.Images: "[Images]"} {
		in.Means[side], in.LogVariances[side] = wide("Means"+of), wide("LogVariances"+of)
		in.Targets[side], in.LogScales[side], in.LogShapes[side] = wide("Targets"+of), wide("LogScales"+of), wide("LogShapes"+of)
	}
	for _, n := range l.numbers {
		in.Numbers = append(in.Numbers, b.Number(n.Name))
	}
	return in
}

// Differentiate runs the graph on a batch and adds its derivatives. Besides the errors of Program,
// it returns an error for a batch without pairs and for a loss that uses an input that the batch
// does not provide.
func (l *Loss) Differentiate(batch *custom.Batch) (float64, error) {
	if batch.Pairs() == 0 {
		return 0, fmt.Errorf("graph: loss %q of no pairs", l.name)
	}
	parts := batch.Parts()
	program, err := l.Program(batch.Pairs(), width(parts))
	if err != nil {
		return 0, err
	}
	if err := l.check(program, parts); err != nil {
		return 0, err
	}
	values := map[string][]float64{}
	for _, part := range parts {
		if program.uses(symbols[part.Name]) {
			values[symbols[part.Name]] = flat(part.Values)
		}
	}
	for i, n := range l.numbers {
		values[n.Name] = batch.Numbers[i : i+1]
	}
	loss, derivatives, err := program.Run(values)
	if err != nil {
		return 0, err
	}
	for _, part := range parts {
		addRows(part.Derivatives, derivatives[symbols[part.Name]])
	}
	for i, n := range l.numbers {
		if d := derivatives[n.Name]; d != nil {
			batch.DNumbers[i] += d[0]
		}
	}
	return loss, nil
}

// width returns D, or B if the batch has only cosines, so that a formula of D-wide inputs can be
// built and then rejected by name.
func width(parts []custom.Part) int {
	for _, part := range parts {
		if part.Name != "LogLikelihoods" && len(part.Values) > 0 {
			return len(part.Values[0])
		}
	}
	return len(parts[0].Values)
}

// check returns an error that names the inputs that a loss uses and a batch lacks, and the inputs
// that the batch has instead.
func (l *Loss) check(program *Program, parts []custom.Part) error {
	var given, missing []string
	for _, part := range parts {
		name, _, _ := strings.Cut(part.Name, "[")
		switch {
		case len(part.Values) > 0 && !slices.Contains(given, name):
			given = append(given, name)
		case len(part.Values) == 0 && program.uses(symbols[part.Name]) && !slices.Contains(missing, name):
			missing = append(missing, name)
		}
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("graph: loss %q uses %s, which this method does not give; it gives %s, see custom.Batch",
		l.name, strings.Join(missing, ", "), strings.Join(given, ", "))
}

// flat concatenates rows.
func flat(rows [][]float64) []float64 {
	var values []float64
	for _, row := range rows {
		values = append(values, row...)
	}
	return values
}

// addRows adds values to rows in row-major order. It does nothing for nil, the derivative of an
// unused input.
func addRows(rows [][]float64, values []float64) {
	if values == nil {
		return
	}
	at := 0
	for _, row := range rows {
		for j := range row {
			row[j] += values[at]
			at++
		}
	}
}
