package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/evidence"
)

// Sizes in the kernels, as in step.cu.
const (
	tileRows    = 32
	tileColumns = 128
	warp        = 32
	mergers     = 8
	planWords   = 8
	seenWords   = 5
)

// A training is a training that runs entirely on the GPU.
type training struct {
	driver Driver
	work   device.TrainingPlan
	method method
	graphs map[int]Recording // of a step, by its number of pairs

	parameters, gradient                              Address
	memory                                            []Address // optimizer state
	adaptedSet, anchorSet, adaptedOf, anchorOf, order Address
	plans, seen, control                              Address
	groupOf, groups                                   Address // of all pairs and of the batch; 0 if nothing is masked
	parts                                             Address // of the gradient of a bias
	allocated                                         []Address
	projections                                       projections
	count                                             int // of the parameters
	placed, widest                                    int // number of parameters laid out so far; columns of the widest layer
}

// newTraining copies the data of a training to the GPU.
func newTraining(driver Driver, work device.TrainingPlan) (*training, error) {
	t, err := lay(driver, work)
	if err == nil {
		err = t.allocate()
	}
	if err == nil {
		err = t.fill()
	}
	if err != nil {
		if t != nil {
			t.Close()
		}
		return nil, err
	}
	return t, nil
}

// lay computes the layout of the parameters. It does not use the GPU.
func lay(driver Driver, work device.TrainingPlan) (*training, error) {
	t := &training{driver: driver, work: work, method: methodOf(work.Loss), graphs: map[int]Recording{}, count: len(work.Parameters)}
	if t.method == nil || memories[work.Optimizer] == 0 {
		return nil, device.ErrUnknownWork
	}
	if err := check(t.method, work); err != nil {
		return nil, err
	}
	t.method.lay(t)
	switch {
	case t.placed > mostParameters:
		return nil, fmt.Errorf("cuda: networks of widths %v have %d parameters, and the kernels count up to %d; choose narrower layers or the device %s",
			work.Widths, t.placed, mostParameters, device.NameCPU)
	case t.placed != t.count:
		return nil, fmt.Errorf("cuda: %d parameters, networks of widths %v and their numbers have %d", t.count, work.Widths, t.placed)
	}
	return t, nil
}

// The grid of the optimizers' kernels, which loop over the parameters, and the largest number of
// parameters that they can index with 31 bits including one more iteration.
const (
	updateThreads, updateBlocks = 256, 1024
	mostParameters              = math.MaxInt32 - updateThreads*updateBlocks
)

// memories maps optimizers to the number of their state vectors.
var memories = map[string]int{"sgd": 1, "adamw": 2, "adamp": 2}

// check returns an error if a work is invalid.
func check(m method, work device.TrainingPlan) error {
	_, masked := m.(masker)
	switch memories := memories[work.Optimizer]; {
	case work.Groups != nil && !masked:
		return fmt.Errorf("cuda: a %T has no wrong pairs that could be hidden; leave the groups out", work.Loss)
	case work.Groups != nil && len(work.Groups) != len(work.AdaptedOf):
		return fmt.Errorf("cuda: groups of %d pairs, want those of all %d", len(work.Groups), len(work.AdaptedOf))
	case len(work.Widths) < 2:
		return fmt.Errorf("cuda: a network of widths %v has no layer", work.Widths)
	case len(work.AdaptedOf) != len(work.AnchorOf) || len(work.AdaptedOf) > math.MaxInt32:
		return fmt.Errorf("cuda: pairs of %d and %d rows", len(work.AdaptedOf), len(work.AnchorOf))
	case len(work.Memory) != memories:
		return fmt.Errorf("cuda: %d vectors of the optimizer's memory, want %d", len(work.Memory), memories)
	}
	return nil
}

// tiles returns the number of tiles that cover a length.
func tiles(length, tile int) int { return (length + tile - 1) / tile }

// allocate allocates all memory. If there is too little, the error contains the total.
func (t *training) allocate() error {
	w, total := t.work, 0
	var failed error
	take := taker(func(into *Address, words int) {
		total += 4 * words
		if failed != nil {
			return
		}
		if *into, failed = t.driver.Allocate(4 * max(words, 1)); failed == nil {
			t.allocated = append(t.allocated, *into)
		}
	})
	t.memory = make([]Address, len(w.Memory))
	take.all(t.count, append([]*Address{&t.parameters, &t.gradient}, addresses(t.memory)...)...)
	take(&t.adaptedSet, len(w.Adapted.Values))
	take(&t.anchorSet, len(w.Anchors.Values))
	take.all(len(w.AdaptedOf), &t.adaptedOf, &t.anchorOf, &t.order)
	take(&t.plans, planWords*device.Window)
	take(&t.seen, seenWords*device.Window)
	take(&t.control, 2)
	take(&t.parts, tiles(w.Batch, tileRows)*t.widest)
	t.projections.take(take, t)
	if w.Groups != nil {
		take(&t.groupOf, len(w.Groups))
		take(&t.groups, w.Batch)
	}
	t.method.take(take)
	if errors.Is(failed, device.ErrMemory) {
		return fmt.Errorf("cuda: the training wants %.2f GB of %s, %.2f of them for the embeddings; a smaller batch or the device %s helps: %w",
			float64(total)/1e9, t.driver.Name(), 4*float64(len(w.Adapted.Values)+len(w.Anchors.Values))/1e9, device.NameCPU, failed)
	}
	return failed
}

// addresses returns pointers to the elements.
func addresses(of []Address) []*Address {
	pointers := make([]*Address, len(of))
	for i := range of {
		pointers[i] = &of[i]
	}
	return pointers
}

// fill copies the parameters, the optimizer state and the data set to the GPU.
func (t *training) fill() error {
	d, w := t.driver, t.work
	err := errors.Join(d.Write(t.parameters, w.Parameters), d.Write(t.adaptedSet, w.Adapted.Values),
		d.Write(t.anchorSet, w.Anchors.Values), t.writeIndices(t.adaptedOf, w.AdaptedOf, w.Adapted.Rows),
		t.writeIndices(t.anchorOf, w.AnchorOf, w.Anchors.Rows))
	for i, vector := range w.Memory {
		err = errors.Join(err, d.Write(t.memory[i], vector))
	}
	if w.Groups != nil {
		err = errors.Join(err, t.writeIndices(t.groupOf, w.Groups, math.MaxInt32))
	}
	err = errors.Join(err, t.projections.fill(d, t.count))
	if filler, able := t.method.(interface{ fill(d Driver) error }); able {
		err = errors.Join(err, filler.fill(d))
	}
	// The host's copies are no longer needed.
	t.work.Adapted.Values, t.work.Anchors.Values, t.work.AdaptedOf, t.work.AnchorOf = nil, nil, nil, nil
	t.work.Parameters, t.work.Memory, t.work.Groups = nil, nil, nil
	return err
}

// writeIndices copies indices below a limit.
func (t *training) writeIndices(to Address, indices []int, limit int) error {
	words := make([]uint32, len(indices))
	for i, index := range indices {
		if index < 0 || index >= limit {
			return fmt.Errorf("cuda: index %d is %d, want one below %d", i, index, limit)
		}
		words[i] = uint32(index)
	}
	return t.driver.WriteWords(to, words)
}

// Order sets the order of the pairs.
func (t *training) Order(pairs []int) error { return t.writeIndices(t.order, pairs, len(pairs)) }

// Steps runs steps until ctx ends, and returns their results.
func (t *training) Steps(ctx context.Context, steps []device.PlannedStep) ([]device.SeenStep, error) {
	if len(steps) == 0 || len(steps) > device.Window {
		return nil, fmt.Errorf("cuda: %d steps at once, want at most %d", len(steps), device.Window)
	}
	rows := steps[0].Rows
	if err := t.checkEpochs(steps); err != nil {
		return nil, err
	}
	graph, err := t.graph(rows)
	if err != nil {
		return nil, err
	}
	adapters, _ := t.work.Loss.(device.AdapterLoss) // other losses have no divergence and do not read its weight
	words := make([]uint32, 0, planWords*len(steps))
	for _, s := range steps {
		words = append(words, uint32(s.From))
		for _, factor := range []float64{s.Rate.Rate, s.Rate.Momentum, s.Rate.WeightDecay, s.Adam.Keep, s.Adam.Size, s.Adam.Correction} {
			words = append(words, math.Float32bits(float32(factor)))
		}
		words = append(words, math.Float32bits(float32(adapters.Divergence*evidence.KLWeight(s.Epoch))))
	}
	if err := errors.Join(t.driver.WriteWords(t.plans, words), t.driver.WriteWords(t.control, []uint32{0, 0})); err != nil {
		return nil, err
	}
	begun := 0
	for ; begun < len(steps) && ctx.Err() == nil; begun++ {
		if err := t.driver.Replay(graph); err != nil {
			return nil, err
		}
	}
	return t.read(begun)
}

// checkEpochs returns an error for a step without an epoch if the loss depends on it.
func (t *training) checkEpochs(steps []device.PlannedStep) error {
	if _, epochal := t.method.(interface{ readsEpochs() }); !epochal {
		return nil
	}
	for i, s := range steps {
		if s.Epoch < 1 {
			return fmt.Errorf("cuda: step %d of %d is of epoch %d; the weight of ELIP's divergence follows from the epoch, counted from 1", i, len(steps), s.Epoch)
		}
	}
	return nil
}

// read returns the results of steps, up to the first with a value that is not finite.
func (t *training) read(steps int) ([]device.SeenStep, error) {
	control, values := make([]uint32, 2), make([]float32, seenWords*steps)
	if err := errors.Join(t.driver.Wait(), t.driver.ReadWords(control, t.control), t.driver.Read(values, t.seen)); err != nil {
		return nil, err
	}
	done := int(control[0])
	if control[1] != 0 {
		done++
	}
	seen := make([]device.SeenStep, done)
	for i := range seen {
		v := values[seenWords*i:]
		seen[i] = device.SeenStep{Loss: float64(v[0]), Temperature: float64(v[1]), Concentration: float64(v[2]),
			Slope: float64(v[3]), Gradient: float64(v[4])}
	}
	return seen, nil
}

// graph returns the recorded step for a number of pairs.
func (t *training) graph(rows int) (Recording, error) {
	if rows < 1 || rows > t.work.Batch {
		return nil, fmt.Errorf("cuda: a step of %d pairs, want at most %d", rows, t.work.Batch)
	}
	if recorded := t.graphs[rows]; recorded != nil {
		return recorded, nil
	}
	recorded, err := t.driver.Record(t.step(rows))
	if err == nil {
		t.graphs[rows] = recorded
	}
	return recorded, err
}

// Save copies the parameters and the optimizer state from the GPU. If the GPU fails, the arguments
// are not changed.
func (t *training) Save(parameters []float32, memory [][]float32) error {
	vectors := append([][]float32{parameters}, memory...)
	read := make([][]float32, len(vectors))
	for i, from := range append([]Address{t.parameters}, t.memory...) {
		read[i] = make([]float32, t.count)
		if err := t.driver.Read(read[i], from); err != nil {
			return err
		}
	}
	for i, vector := range vectors {
		copy(vector, read[i])
	}
	return nil
}

// Close frees the memory.
func (t *training) Close() {
	for _, graph := range t.graphs {
		_ = graph.Release() // a failure here was preceded by another
	}
	for _, buffer := range t.allocated {
		_ = t.driver.Free(buffer)
	}
	t.graphs, t.allocated = nil, nil
}
