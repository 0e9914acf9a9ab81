package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gosphere/asymvlm/device"
)

// A Cost is a lower bound on the memory traffic and arithmetic of one part of a step, counted from
// its shapes. Every matrix is read and written once per part, wherever it is stored; a multiply-add
// counts as two operations, an exponential or a logarithm as one.
type Cost struct {
	Name       string // of the kernel, or the shape of a product
	Product    bool
	Bytes      float64
	Operations float64
}

// A Speed holds the peak rates of a GPU per second.
type Speed struct {
	Name                    string
	Bytes, Products, Vector float64 // bytes of its memory; operations of matrix products and of everything else
}

// Published peak rates of one H200: 4.8 TB/s, 67 TFLOP/s in float32, 495 TFLOP/s in TF32 without
// sparsity.
var (
	H200     = Speed{"H200, float32", 4.8e12, 67e12, 67e12}
	H200TF32 = Speed{"H200, TF32 products", 4.8e12, 495e12, 67e12}
)

// Bound returns the minimum microseconds of a part, and reports whether memory traffic determines
// them.
func (c Cost) Bound(s Speed) (microseconds float64, memory bool) {
	computing := s.Vector
	if c.Product {
		computing = s.Products
	}
	moved, computed := 1e6*c.Bytes/s.Bytes, 1e6*c.Operations/computing
	return math.Max(moved, computed), moved >= computed
}

// A listing is a Driver without a GPU. It has unlimited memory and records the kernels that are
// launched.
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

// Budget returns the costs of the parts of a full training step, in order. The work needs no data.
func Budget(work device.TrainingPlan) ([]Cost, error) {
	parts, err := stepOf(work)
	return costs(parts), err
}

// stepOf returns the parts of a full training step.
func stepOf(work device.TrainingPlan) ([]Part, error) {
	t, err := lay(&listing{}, work)
	if err == nil {
		err = t.allocate()
	}
	if err != nil {
		return nil, err
	}
	return t.step(work.Batch), nil
}

// BudgetOf returns the costs of an operation on the GPU, such as sampling.
func BudgetOf(operation func(on *Device) error) ([]Cost, error) {
	l := &listing{}
	err := operation(&Device{driver: l, drawnWords: mostWords})
	return costs(l.parts), err
}

// costs returns the costs of parts.
func costs(parts []Part) []Cost {
	counted := make([]Cost, len(parts))
	for i, p := range parts {
		counted[i] = p.cost()
	}
	return counted
}

// cost returns the cost of a part.
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

// A Timer is a driver that can measure recorded work.
type Timer interface {
	// Times returns the mean milliseconds of one replay.
	Times(r Recording, replays int) (milliseconds float64, err error)
}

// Times measures every part of a full step separately, on the data of a work, in microseconds. The
// last value is the whole step as recorded for training. The results of the parts are meaningless.
func (d *Device) Times(work device.TrainingPlan, replays int) ([]float64, error) {
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
	for _, some := range append(alone, step[:len(step)-1]) { // omit the end of the step, so that every replay runs the first step
		time, err := t.time(timer, some, replays)
		if err != nil {
			return nil, err
		}
		times = append(times, 1e3*time)
	}
	return times, nil
}

// timedParts is the approximate number of parts in a timed recording. Launching a kernel takes the
// CPU some microseconds, longer than many kernels run; within a recording kernels follow each other
// without that delay.
const timedParts = 40

// time measures parts of the first step. A recording repeats them several times if there are few.
func (t *training) time(timer Timer, parts []Part, replays int) (float64, error) {
	if err := t.driver.WriteWords(t.control, []uint32{0, 0}); err != nil {
		return 0, err
	}
	copies := max(1, min(replays, timedParts/len(parts)))
	recorded, err := t.driver.Record(slices.Repeat(parts, copies))
	if err != nil {
		return 0, err
	}
	time, err := timer.Times(recorded, replays/copies)
	return time / float64(copies), errors.Join(err, recorded.Release())
}
