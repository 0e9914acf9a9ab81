package graph

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Program is a graph with a scalar result, ready to run with its derivatives. It is not safe for
// concurrent use.
type Program struct {
	builder     *Builder
	result      *gorgonia.Node
	used        []*gorgonia.Node // inputs that the result depends on
	derivatives []*gorgonia.Node
	machine     gorgonia.VM
}

// NewProgram prepares a result, a 1×1 matrix, with its derivatives with respect to all inputs that
// it depends on. The builder must not be used afterward. The first error of the builder, a result
// that is not a scalar, and a result that depends on no input are errors.
func (b *Builder) NewProgram(result *gorgonia.Node) (*Program, error) {
	if !b.ok("result", result) {
		return nil, b.err
	}
	if result.Shape().TotalSize() != 1 {
		return nil, fmt.Errorf("graph: the result has the shape %v, want a single number", result.Shape())
	}
	cost, err := gorgonia.Sum(result)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	p := &Program{builder: b, result: result}
	below, zeros := b.below(result), map[[2]int]*tensor.Dense{}
	for _, input := range b.inputs {
		if below[input] {
			p.used = append(p.used, input)
			continue
		}
		// The machine requires values for all inputs of the graph; unused inputs of one shape share
		// a zero matrix.
		shape := [2]int{input.Shape()[0], input.Shape()[1]}
		if zeros[shape] == nil {
			zeros[shape] = tensor.New(tensor.WithShape(shape[0], shape[1]), tensor.Of(tensor.Float64))
		}
		if err := gorgonia.Let(input, zeros[shape]); err != nil {
			return nil, fmt.Errorf("graph: input %s: %w", input.Name(), err)
		}
	}
	if len(p.used) == 0 {
		return nil, fmt.Errorf("graph: the result depends on no input")
	}
	derivatives, err := gorgonia.Grad(cost, p.used...)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	if b.err != nil {
		return nil, b.err
	}
	p.derivatives = derivatives
	return p, nil
}

// uses reports whether the result depends on an input.
func (p *Program) uses(name string) bool {
	return slices.ContainsFunc(p.used, func(input *gorgonia.Node) bool { return input.Name() == name })
}

// below returns all nodes that a node depends on, including itself.
func (b *Builder) below(node *gorgonia.Node) map[*gorgonia.Node]bool {
	seen := map[*gorgonia.Node]bool{}
	var visit func(n *gorgonia.Node)
	visit = func(n *gorgonia.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for children := b.graph.From(n.ID()); children.Next(); {
			if child, ok := children.Node().(*gorgonia.Node); ok {
				visit(child)
			}
		}
	}
	visit(node)
	return seen
}

// Run computes the result and its derivatives, by input name, for the values of the inputs in
// row-major order. Inputs that the result does not depend on have no derivative and need no value.
// A list of values with the wrong length is an error that names its input.
func (p *Program) Run(values map[string][]float64) (result float64, derivatives map[string][]float64, err error) {
	// Gorgonia panics if values do not match its types, which only operations from outside this
	// package can cause.
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("graph: %v", problem)
		}
	}()
	for _, input := range p.used {
		given, shape := values[input.Name()], input.Shape()
		if len(given) != shape.TotalSize() {
			return 0, nil, fmt.Errorf("graph: input %s has %d values, want %v", input.Name(), len(given), shape)
		}
		if err := gorgonia.Let(input, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(append([]float64(nil), given...)))); err != nil {
			return 0, nil, fmt.Errorf("graph: input %s: %w", input.Name(), err)
		}
	}
	if p.machine == nil {
		p.machine = gorgonia.NewTapeMachine(p.builder.graph)
	}
	defer p.machine.Reset()
	if err := p.machine.RunAll(); err != nil {
		return 0, nil, fmt.Errorf("graph: %w", err)
	}
	whole, err := nodeValues(p.result)
	if err != nil {
		return 0, nil, err
	}
	derivatives = map[string][]float64{}
	for i, node := range p.derivatives {
		list, err := nodeValues(node)
		if err != nil {
			return 0, nil, err
		}
		derivatives[p.used[i].Name()] = list
	}
	return whole[0], derivatives, nil
}

// nodeValues copies the values of a node.
func nodeValues(node *gorgonia.Node) ([]float64, error) {
	switch value := node.Value().(type) {
	case nil:
		return nil, fmt.Errorf("graph: %s has no value", node.Name())
	case *tensor.Dense:
		list, err := denseValues(value)
		return append([]float64(nil), list...), err
	case *gorgonia.F64:
		return []float64{float64(*value)}, nil
	default:
		return nil, fmt.Errorf("graph: %s is a %T", node.Name(), value)
	}
}

// denseValues returns the values of a matrix in row-major order.
func denseValues(x *tensor.Dense) ([]float64, error) {
	switch data := x.Data().(type) {
	case []float64:
		if x.RequiresIterator() || !x.DataOrder().IsRowMajor() {
			return nil, fmt.Errorf("graph: a matrix whose memory is not row by row")
		}
		return data, nil
	case float64:
		return []float64{data}, nil
	}
	return nil, fmt.Errorf("graph: values of %s, want float64", x.Dtype())
}
