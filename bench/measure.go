package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/nn"
)

// A task is one thing to measure. Its fields but name are also what the other side is told.
type task struct {
	name string
	Kind string `json:"kind"` // product or step
	// Form of a product: "ab", "aTb" or "abT".
	Form    string `json:"form"`
	Rows    int    `json:"rows"`  // of the result; pairs of a step
	Inner   int    `json:"inner"` // summed over; hidden width of a step
	Columns int    `json:"columns"`
}

// products lists the products of training steps: layers forward, gradients of weights and inputs, log-likelihoods.
func products() []task {
	var tasks []task
	for _, t := range []task{
		{Form: "abT", Rows: 512, Inner: 384, Columns: 1024},
		{Form: "abT", Rows: 512, Inner: 1024, Columns: 1024},
		{Form: "ab", Rows: 512, Inner: 1024, Columns: 1024},
		{Form: "aTb", Rows: 1024, Inner: 512, Columns: 1024},
		{Form: "abT", Rows: 2048, Inner: 1024, Columns: 1024},
		{Form: "ab", Rows: 2048, Inner: 1024, Columns: 1024},
		{Form: "aTb", Rows: 1024, Inner: 2048, Columns: 1024},
		{Form: "abT", Rows: 2048, Inner: 512, Columns: 2048},
	} {
		t.Kind, t.name = "product", fmt.Sprintf("%-3s %4d×%4d×%4d", t.Form, t.Rows, t.Inner, t.Columns)
		tasks = append(tasks, t)
	}
	return tasks
}

// steps lists training steps: the built-in scenes with the reduced schedule, and the paper's.
func steps() []task {
	var tasks []task
	for _, t := range []task{{Rows: 256, Columns: 384}, {Rows: 512, Columns: 384}, {Rows: 2048, Columns: 512}} {
		t.Kind, t.Inner, t.name = "step", 1024, fmt.Sprintf("batch %d, d=%d", t.Rows, t.Columns)
		tasks = append(tasks, t)
	}
	return tasks
}

// flops returns the multiplications and additions of the task's products.
func (t task) flops() float64 {
	if t.Kind == "product" {
		return 2 * float64(t.Rows) * float64(t.Inner) * float64(t.Columns)
	}
	first, inside := float64(t.Columns*t.Inner), float64(2*t.Inner*t.Inner+t.Inner*t.Columns)
	batch := float64(t.Rows)
	// Forward and gradient of the weights for all layers, gradient of the inputs for all but the first; then the
	// log-likelihoods and their gradient.
	return 2*batch*(2*(first+inside)+inside) + 4*batch*batch*float64(t.Columns)
}

// repeat measures the rate of a function over a slice of time, after one call that does not count.
func repeat(flops float64, slice time.Duration, work func()) float64 {
	work()
	count, start := 0, time.Now()
	for time.Since(start) < slice {
		work()
		count++
	}
	return flops * float64(count) / time.Since(start).Seconds() / 1e9
}

// own returns gosphere's form of a task.
func (t task) own(cpu device.Device) (func(), error) {
	source := rand.New(rand.NewPCG(1, 2))
	random := func(rows, columns int) nn.Matrix {
		m := device.NewMatrix[float32](rows, columns)
		for i := range m.Values {
			m.Values[i] = float32(source.NormFloat64())
		}
		return m
	}
	if t.Kind == "step" {
		architecture := nn.Architecture{Dimension: t.Columns, Hidden: t.Inner, HiddenLayers: 3, Likelihood: nn.VonMisesFisher}
		learner, err := nn.NewLearner(cpu, architecture, t.Rows)
		if err != nil {
			return nil, err
		}
		learner.Initialize(source)
		texts, images := random(t.Rows, t.Columns), random(t.Rows, t.Columns)
		for i := range images.Values {
			images.Values[i] /= 20 // about length 1
		}
		return func() {
			if _, err := learner.Step(texts, images, device.Rate{Rate: 1e-3, Momentum: 0.9, WeightDecay: 5e-4}); err != nil {
				panic(err)
			}
		}, nil
	}
	dst := random(t.Rows, t.Columns)
	switch t.Form {
	case "ab":
		a, b := random(t.Rows, t.Inner), random(t.Inner, t.Columns)
		return func() { cpu.Product(dst, a, b) }, nil
	case "aTb":
		a, b := random(t.Inner, t.Rows), random(t.Inner, t.Columns)
		return func() { cpu.ProductLeftTransposed(dst, a, b) }, nil
	default:
		a, b := random(t.Rows, t.Inner), random(t.Columns, t.Inner)
		return func() { cpu.ProductRightTransposed(dst, a, b) }, nil
	}
}

// rates are the results of one task in GFLOP/s, round by round.
type rates struct {
	own    []float64
	others map[string][]float64
}

// compare measures one task in rounds, all programs in each.
func compare(t task, cpu device.Device, others peer, p plan) (rates, error) {
	work, err := t.own(cpu)
	if err != nil {
		return rates{}, err
	}
	r := rates{others: map[string][]float64{}}
	for range p.rounds {
		r.own = append(r.own, repeat(t.flops(), p.slice, work))
		for _, name := range others.names() {
			seconds, err := others.measure(name, t, p.slice)
			if err != nil {
				return rates{}, err
			}
			if seconds > 0 {
				r.others[name] = append(r.others[name], t.flops()/seconds/1e9)
			}
		}
	}
	return r, nil
}

// line formats the results of one task.
func (r rates) line(name string, others []string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-20s gosphere %6.1f", name, slices.Max(r.own))
	for _, other := range others {
		if len(r.others[other]) == 0 {
			fmt.Fprintf(&text, "   %s      –          ", other)
			continue
		}
		fmt.Fprintf(&text, "   %s %6.1f (×%.2f)", other, slices.Max(r.others[other]), median(r.ratios(other)))
	}
	return text.String()
}

// ratios returns gosphere's rate divided by another's, for each round.
func (r rates) ratios(other string) []float64 {
	var ratios []float64
	for i, rate := range r.others[other] {
		ratios = append(ratios, r.own[i]/rate)
	}
	return ratios
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
