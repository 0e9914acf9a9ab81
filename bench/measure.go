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

// A task is one measurement. All fields except name are also sent to the other side.
type task struct {
	name string
	Kind string `json:"kind"` // product or step
	// Method of a step: vmf, ps, pcmepp or probvlm.
	Method string `json:"method"`
	// Form of a product: "ab", "aTb" or "abT".
	Form    string `json:"form"`
	Rows    int    `json:"rows"`  // of the result; pairs of a step
	Inner   int    `json:"inner"` // inner dimension; hidden width of a step
	Columns int    `json:"columns"`
}

// products returns the matrix products of training steps: layers forward, gradients of weights and
// inputs, log-likelihoods.
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

// steps returns training steps: the paper's sizes for each method, and other batches and widths for
// the first.
func steps() []task {
	var tasks []task
	add := func(method string, batch, columns int) {
		tasks = append(tasks, task{name: fmt.Sprintf("%s, batch %d, d=%d", method, batch, columns),
			Kind: "step", Method: method, Rows: batch, Inner: 1024, Columns: columns})
	}
	for _, columns := range []int{512, 768} {
		for _, method := range []string{"vmf", "ps", "pcmepp", "probvlm"} {
			add(method, 2048, columns)
		}
	}
	for _, batch := range []int{256, 512, 1024, 4096} {
		add("vmf", batch, 512)
	}
	add("vmf", 512, 384)
	return tasks
}

// flops returns the number of multiplications and additions in the task's matrix products.
func (t task) flops() float64 {
	if t.Kind == "product" {
		return 2 * float64(t.Rows) * float64(t.Inner) * float64(t.Columns)
	}
	d, h, batch := float64(t.Columns), float64(t.Inner), float64(t.Rows)
	first, inside := d*h, 2*h*h+h*d
	// Forward and gradient of the weights for all layers, gradient of the inputs for all except the
	// first.
	network := 2 * batch * (2*(first+inside) + inside)
	pairs := 2 * batch * batch * d
	switch t.Method {
	case "pcmepp":
		return 2*network + pairs // the means are frozen
	case "probvlm":
		trunk, heads := h*h+h*d, 6*d*d
		return 2 * 2 * batch * (2*(first+trunk+heads) + trunk + heads)
	}
	return network + 2*pairs // the log-likelihoods and their gradient
}

// A cost is the wall time and the CPU time of one repetition in seconds. Wall times are comparable
// on an idle machine; on a shared machine CPU times of one thread are.
type cost struct{ clock, processor float64 }

// repeat measures a function for a slice of time, after one call that is not counted.
func repeat(slice time.Duration, work func()) cost {
	work()
	count, start, spent := 0, time.Now(), processorTime()
	for time.Since(start) < slice || count == 0 {
		work()
		count++
	}
	return cost{time.Since(start).Seconds() / float64(count), (processorTime() - spent).Seconds() / float64(count)}
}

// own returns gosphere's implementation of a task.
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
		learner, err := nn.NewLearner(cpu, t.architecture(), t.Rows)
		if err != nil {
			return nil, err
		}
		learner.Initialize(source)
		texts, images := random(t.Rows, t.Columns), random(t.Rows, t.Columns)
		for i := range images.Values {
			texts.Values[i] *= 0.4 // norms like an encoder's
			images.Values[i] /= 20 // norms of about 1
		}
		return func() {
			if _, err := learner.Step(texts, images, device.Rate{Rate: 1e-4, Momentum: 0.9, WeightDecay: 5e-4}); err != nil {
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

// architecture returns the network and the loss of a step.
func (t task) architecture() nn.Architecture {
	a := nn.Architecture{Dimension: t.Columns, Hidden: t.Inner, HiddenLayers: 3, Likelihood: nn.VonMisesFisher}
	switch t.Method {
	case "ps":
		a.Likelihood = nn.PowerSpherical
	case "pcmepp":
		a.Objective, a.Optimizer = nn.PCMEPP, nn.AdamW
	case "probvlm":
		a.Objective, a.Optimizer = nn.ProbVLM, nn.AdamW
	}
	return a
}

// results are the costs of one task, round by round.
type results struct {
	own    []cost
	others map[string][]cost
}

// compare measures one task in rounds, all programs in each.
func compare(t task, cpu device.Device, others peer, p plan) (results, error) {
	work, err := t.own(cpu)
	if err != nil {
		return results{}, err
	}
	r := results{others: map[string][]cost{}}
	for range p.rounds {
		r.own = append(r.own, repeat(p.slice, work))
		for _, name := range others.names() {
			spent, err := others.measure(name, t, p.slice)
			if err != nil {
				return results{}, err
			}
			if spent.clock > 0 {
				r.others[name] = append(r.others[name], spent)
			}
		}
	}
	return r, nil
}

// line formats the results of one task: our milliseconds and GFLOP per second of CPU time, and the
// ratios of the other programs' wall time and CPU time to ours.
func (r results) line(t task, others []string) string {
	var text strings.Builder
	clock, processor := r.medians("")
	fmt.Fprintf(&text, "| %s | %.1f | %.1f | %.1f |", t.name, 1e3*clock, 1e3*processor, t.flops()/processor/1e9)
	for _, other := range others {
		if len(r.others[other]) == 0 {
			text.WriteString(" – |")
			continue
		}
		_, processor := r.medians(other)
		fmt.Fprintf(&text, " ×%.2f ×%.2f (%.1f) |", median(r.ratios(other, cost.onClock)), median(r.ratios(other, cost.ofProcessor)),
			t.flops()/processor/1e9)
	}
	return text.String()
}

func (c cost) onClock() float64     { return c.clock }
func (c cost) ofProcessor() float64 { return c.processor }

// medians returns the median costs of a program; the empty name is ours.
func (r results) medians(name string) (clock, processor float64) {
	all := r.own
	if name != "" {
		all = r.others[name]
	}
	var clocks, processors []float64
	for _, c := range all {
		clocks, processors = append(clocks, c.clock), append(processors, c.processor)
	}
	return median(clocks), median(processors)
}

// ratios returns another program's cost divided by gosphere's, for each round.
func (r results) ratios(other string, of func(cost) float64) []float64 {
	var ratios []float64
	for i, c := range r.others[other] {
		ratios = append(ratios, of(c)/of(r.own[i]))
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
