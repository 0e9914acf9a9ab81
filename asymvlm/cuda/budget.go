package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gosphere/asymvlm/device"
)

// A Cost is what one part of a step must move and compute at least, counted from its shapes: every matrix is read and
// written once per part, wherever it lies; a multiplication with an addition is two operations, an exponential or a logarithm
// one.
type Cost struct {
	Name       string // of the kernel, or the shape of a product
	Product    bool
	Bytes      float64
	Operations float64
}

// A Speed is what a card does in a second at best.
type Speed struct {
	Name                    string
	Bytes, Products, Vector float64 // bytes of its memory; operations of products and of everything else
}

// The published speeds of one H200: 4.8 TB/s, 67 TFLOP/s in float32, 495 TFLOP/s in TF32 without sparsity.
var (
	H200     = Speed{"H200, float32", 4.8e12, 67e12, 67e12}
	H200TF32 = Speed{"H200, TF32 products", 4.8e12, 495e12, 67e12}
)

// Bound returns the least microseconds of a part, and whether its memory sets them.
func (c Cost) Bound(s Speed) (microseconds float64, memory bool) {
	computing := s.Vector
	if c.Product {
		computing = s.Products
	}
	moved, computed := 1e6*c.Bytes/s.Bytes, 1e6*c.Operations/computing
	return math.Max(moved, computed), moved >= computed
}

// A listing is no card at all, with memory without end: it writes down what is put into its stream.
type listing struct {
	Driver
	parts []Part
	next  Address
}

func (l *listing) Launch(launch Launch) error {
	l.parts = append(l.parts, Part{Launch: &launch})
	return nil
}

func (l *listing) Name() string { return "paper" }

func (l *listing) Allocate(int) (Address, error) {
	l.next += 1 << 40
	return l.next, nil
}

// Free, Write and Read do nothing.
func (l *listing) Free(Address) error { return nil }

func (l *listing) Write(Address, []float32) error { return nil }

func (l *listing) Read([]float32, Address) error { return nil }

// Budget counts what a full step of a work has to move and to compute, part by part in their order. The work needs no data.
func Budget(work device.Work) ([]Cost, error) {
	t, err := lay(&listing{}, work)
	if err == nil {
		err = t.allocate()
	}
	if err != nil {
		return nil, err
	}
	return costs(t.step(work.Batch)), nil
}

// BudgetOf counts what an operation on the card, such as drawing, has to move and to compute.
func BudgetOf(operation func(on *Device) error) ([]Cost, error) {
	l := &listing{}
	err := operation(&Device{driver: l, drawnWords: mostWords})
	return costs(l.parts), err
}

// costs counts parts.
func costs(parts []Part) []Cost {
	counted := make([]Cost, len(parts))
	for i, p := range parts {
		counted[i] = p.cost()
	}
	return counted
}

// cost counts a part.
func (p Part) cost() Cost {
	if q := p.Product; q != nil {
		form := map[[2]bool]string{{}: "ab", {true, false}: "aTb", {false, true}: "abT"}[[2]bool{q.LeftTransposed, q.RightTransposed}]
		words := q.Rows*q.Inner + q.Inner*q.Columns + q.Rows*q.Columns
		if q.Add {
			words += q.Rows * q.Columns
			form += " added"
		}
		return Cost{Name: fmt.Sprintf("product %s %d×%d×%d", form, q.Rows, q.Inner, q.Columns), Product: true,
			Bytes: 4 * float64(words), Operations: q.FLOP()}
	}
	l := p.Launch
	words, operations := kernelCosts[l.Kernel](func(i int) float64 { return float64(l.Arguments[i]) }, l.Grid)
	return Cost{Name: l.Kernel, Bytes: 4 * words, Operations: operations}
}

// kernelCosts count the words and operations of a kernel from its arguments and its grid.
var kernelCosts = map[string]func(argument func(int) float64, grid Size) (words, operations float64){
	"gather": func(a func(int) float64, g Size) (float64, float64) { // the anchor's row is in the cache the second time
		values := float64(g.X) * a(9)
		return 4*values + 4*float64(g.X), 4 * values
	},
	"add_bias": func(a func(int) float64, _ Size) (float64, float64) { return 2*a(2)*a(3) + a(3), 2 * a(2) * a(3) },
	"prepare": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		if kind := int(a(7)); kind == likelihoods["ps"] || kind == likelihoods["cosine"] {
			return 3*values + 3*float64(g.X), 4 * values // the direction is written, too
		}
		return 2*values + 3*float64(g.X), 3 * values
	},
	"gather_groups":          func(a func(int) float64, _ Size) (float64, float64) { return 3 * a(5), a(5) },
	"sums_linear":            sumsCost(6),
	"sums_power":             sumsCost(9),
	"sums_linear_masked":     masked(sumsCost(7), 8),
	"sums_power_masked":      masked(sumsCost(10), 8),
	"gradient_linear_masked": masked(gradientCost(11, 1), 10),
	"gradient_power_masked":  masked(gradientCost(21, 2), 10),
	"merge":                  func(a func(int) float64, _ Size) (float64, float64) { return (2*a(3) + 1) * a(4), 4 * a(3) * a(4) },
	"gradient_linear":        gradientCost(10, 1),
	"gradient_power":         gradientCost(20, 2),
	"along": func(a func(int) float64, _ Size) (float64, float64) {
		return (1+a(6))*a(4)*a(5) + 2*a(5), (1 + a(6)) * a(4) * a(5)
	},
	"combine": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		return 3*values + 2*float64(g.X), 6 * values
	},
	"report": func(a func(int) float64, _ Size) (float64, float64) {
		vectors := 1 + a(10) // the losses, and the squares of every side
		if a(5) != 0 {
			vectors++ // the concentrations
		}
		return vectors*a(8) + a(9), vectors*a(8) + a(9)
	},
	"gather_both": func(a func(int) float64, g Size) (float64, float64) { // a row is in the cache the second time
		values := float64(g.X*g.Y) * a(9)
		return 2*values + 2*float64(g.X*g.Y), (1 + 2*a(12)) * values
	},
	"variances_of": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(5)
		if a(2) == 0 {
			return 2*values + rows, 2 * values
		}
		return 3*values + 2*rows, 8 * values
	},
	"sigmoid_pairs":        sigmoidCost(17),
	"sigmoid_pairs_masked": masked(sigmoidCost(18), 8),
	"bottleneck": func(a func(int) float64, g Size) (float64, float64) {
		return float64(g.X) * a(3), float64(g.X) * a(3)
	},
	"variance_gradient": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(6)
		if a(4) == 0 {
			return 2*values + 2*rows, 3 * values
		}
		return 3*values + 2*rows, 7 * values
	},
	"report_pairs": func(a func(int) float64, _ Size) (float64, float64) { return 6*a(10) + 2*a(12), 9*a(10) + 2*a(12) },
	"matched_variances": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(9)
		return 6*values + 3*rows, 33 * values
	},
	"report_rows": func(a func(int) float64, _ Size) (float64, float64) {
		vectors := 1 + 2*a(8) // the traces, the losses and the squares of every side
		if a(4) != 0 {
			vectors += a(8)
		}
		return vectors * a(6), vectors * a(6)
	},
	"add_detour": func(a func(int) float64, _ Size) (float64, float64) { return 3*a(3)*a(4) + a(4), 2 * a(3) * a(4) },
	"generalized": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(12)
		each := 110.
		if a(14) != 0 {
			each += 12 // an exponential and a logarithm for each target
		}
		if a(4) != 0 {
			return 8*values + 4*rows, (each + 60) * values
		}
		return 8*values + 3*rows, each * values
	},
	"across": func(a func(int) float64, g Size) (float64, float64) { // the second time both rows are in the cache
		values := float64(g.X) * a(5)
		return 3*values + 2*float64(g.X), 7 * values
	},
	"evidence": func(a func(int) float64, _ Size) (float64, float64) { // of double numbers: an exponential and log Γ, ψ and ψ′ of each
		batch := a(5)
		return 2*batch*batch + 12*batch, 2 * 100 * batch * batch
	},
	"evidence_gradient": func(a func(int) float64, g Size) (float64, float64) {
		batch := a(7)
		return 2*batch*batch + 12*batch + batch + float64(g.X*g.Y), 110 * batch * batch
	},
	"report_members": func(a func(int) float64, _ Size) (float64, float64) {
		values := a(9) * (3*a(7) + a(8) + 1)
		return values, values
	},
	"rectify_gradient": func(a func(int) float64, g Size) (float64, float64) {
		values := a(3) * a(4)
		if a(2) == 0 {
			return values + float64(g.Y)*a(4), values // the top layer is only added up
		}
		return 3*values + float64(g.Y)*a(4), 2 * values
	},
	"add_parts": func(a func(int) float64, _ Size) (float64, float64) { return (a(2) + 1) * a(3), a(2) * a(3) },
	"descend":   func(a func(int) float64, _ Size) (float64, float64) { return 5 * a(5), 6 * a(5) },
	"adam":      func(a func(int) float64, _ Size) (float64, float64) { return 7 * a(6), 14 * a(6) },
	// A normal number takes some 42 operations: 20 for a quarter of a counter's rounds, the rest for half a pair of Box and Muller.
	"mean_softmax": func(a func(int) float64, g Size) (float64, float64) {
		values := float64(g.X) * a(5)
		return 4 * values, 51 * values * a(6)
	},
	"draw_cosines": func(a func(int) float64, _ Size) (float64, float64) { return 2*a(2) + a(2)/a(3), 300 * a(2) },
	"draw_around": func(a func(int) float64, g Size) (float64, float64) {
		rows, values := float64(g.X), float64(g.X)*a(4)
		return values + values/a(3) + 2*rows, 54 * values
	},
	"advance": func(func(int) float64, Size) (float64, float64) { return 2, 1 },
}

// sumsCost is that of the sums of exponentials, with so many operations for a pair.
func sumsCost(each float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(8)
		return batch*batch + 2*batch*float64(g.X+g.Y) + 2*batch, each * batch * batch
	}
}

// sigmoidCost is that of the loss of every pair by itself.
func sigmoidCost(each float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(8)
		return batch*batch + batch*float64(g.X+g.Y) + 2*batch + 2*float64(g.X*g.Y), each * batch * batch
	}
}

// masked is a cost with the groups of a batch, whose size is an argument, for rows and for columns.
func masked(cost func(func(int) float64, Size) (float64, float64), batch int) func(func(int) float64, Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		words, operations := cost(a, g)
		return words + 2*a(batch), operations
	}
}

// gradientCost is that of the loss's gradient, with so many sums of columns.
func gradientCost(each, sums float64) func(a func(int) float64, g Size) (float64, float64) {
	return func(a func(int) float64, g Size) (float64, float64) {
		batch := a(10)
		return 2*batch*batch + sums*batch*float64(g.Y) + 5*batch, each * batch * batch
	}
}

// A Timer is a driver that can tell how long recorded work takes.
type Timer interface {
	// Times returns the milliseconds of one replay, as the mean of several.
	Times(r Recording, replays int) (milliseconds float64, err error)
}

// Times measures every part of a full step by itself, on the data of a work, in microseconds; the last value is the whole
// step as it is recorded for trainings. What the parts leave behind is of no use.
func (d *Device) Times(work device.Work, replays int) ([]float64, error) {
	timer, able := d.driver.(Timer)
	if !able {
		return nil, fmt.Errorf("cuda: %s has no clock", d.driver.Name())
	}
	t, err := newTraining(d.driver, work)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	order := make([]int, len(work.AdaptedOf))
	for i := range order {
		order[i] = i
	}
	if err := t.Order(order); err != nil {
		return nil, err
	}
	if _, err := t.Steps(context.Background(), []device.PlannedStep{{Rows: work.Batch, Epoch: 1, Adam: device.NewAdamStep(device.Rate{}, 1)}}); err != nil { // so that all buffers hold numbers
		return nil, err
	}
	step := t.step(work.Batch)
	alone := make([][]Part, 0, len(step)+1)
	for _, p := range step {
		alone = append(alone, []Part{p})
	}
	times := make([]float64, 0, len(alone)+1)
	for _, some := range append(alone, step[:len(step)-1]) { // the end of the step is left out, so that replays all do the first one
		time, err := t.time(timer, some, replays)
		if err != nil {
			return nil, err
		}
		times = append(times, 1e3*time)
	}
	return times, nil
}

// time measures some parts in one recording, from the first step on.
func (t *training) time(timer Timer, parts []Part, replays int) (float64, error) {
	if err := t.driver.WriteWords(t.control, []uint32{0, 0}); err != nil {
		return 0, err
	}
	recorded, err := t.driver.Record(parts)
	if err != nil {
		return 0, err
	}
	time, err := timer.Times(recorded, replays)
	return time, errors.Join(err, recorded.Release())
}
