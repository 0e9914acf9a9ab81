package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/custom"
)

// Inputs are what a loss for training is built from; see custom.Batch. It need not use all.
type Inputs struct {
	LogLikelihoods *gorgonia.Node   // B×B, images × texts
	Natural        *gorgonia.Node   // B×D
	Images         *gorgonia.Node   // B×D, without derivatives
	Numbers        []*gorgonia.Node // 1×1 each
}

// A Loss is a loss for training that is written as a graph. It satisfies custom.Loss.
type Loss struct {
	name     string
	numbers  []custom.Number
	build    func(b *Builder, in Inputs) *gorgonia.Node
	programs map[[2]int]*Program // by B and D
}

// The names of the inputs in graphs.
const (
	ellName     = "ℓ"
	naturalName = "η"
	imagesName  = "x"
)

// NewLoss returns a loss for training whose graph is built by a function from the inputs, once for every size of batch. The
// result must be a single number. Mistakes of the function are errors of the first training step.
func NewLoss(name string, numbers []custom.Number, build func(b *Builder, in Inputs) *gorgonia.Node) *Loss {
	return &Loss{name: name, numbers: numbers, build: build, programs: map[[2]int]*Program{}}
}

// Name returns the name.
func (l *Loss) Name() string { return l.name }

// Numbers returns the trained numbers.
func (l *Loss) Numbers() []custom.Number { return l.numbers }

// Program builds the loss of a batch of B pairs with D dimensions. Its inputs are ℓ, η, x and the numbers by their names.
// Mistakes of the building function are errors that name the loss.
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

// inputs makes the inputs of the loss of a batch.
func (l *Loss) inputs(b *Builder, pairs, dimension int) Inputs {
	in := Inputs{
		LogLikelihoods: b.Input(ellName, pairs, pairs), Natural: b.Input(naturalName, pairs, dimension),
		Images: b.Input(imagesName, pairs, dimension),
	}
	for _, n := range l.numbers {
		in.Numbers = append(in.Numbers, b.Number(n.Name))
	}
	return in
}

// Differentiate runs the graph on a batch and adds its derivatives. The errors are those of Program, and a batch of no
// pairs.
func (l *Loss) Differentiate(batch *custom.Batch) (float64, error) {
	if batch.Pairs() == 0 {
		return 0, fmt.Errorf("graph: loss %q of no pairs", l.name)
	}
	if len(batch.Natural) == 0 {
		return 0, fmt.Errorf("graph: loss %q needs log-likelihoods and natural parameters, which this method does not have; write it as a custom.Func", l.name)
	}
	program, err := l.Program(batch.Pairs(), len(batch.Natural[0]))
	if err != nil {
		return 0, err
	}
	values := map[string][]float64{ellName: flat(batch.LogLikelihoods), naturalName: flat(batch.Natural), imagesName: flat(batch.Images)}
	for i, n := range l.numbers {
		values[n.Name] = batch.Numbers[i : i+1]
	}
	loss, derivatives, err := program.Run(values)
	if err != nil {
		return 0, err
	}
	addRows(batch.DLogLikelihoods, derivatives[ellName])
	addRows(batch.DNatural, derivatives[naturalName])
	for i, n := range l.numbers {
		if d := derivatives[n.Name]; d != nil {
			batch.DNumbers[i] += d[0]
		}
	}
	return loss, nil
}

// flat joins rows.
func flat(rows [][]float64) []float64 {
	var values []float64
	for _, row := range rows {
		values = append(values, row...)
	}
	return values
}

// addRows adds values, row by row; none where an input has no part in the loss.
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
