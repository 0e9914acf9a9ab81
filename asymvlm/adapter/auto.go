package adapter

import "fmt"

// Constants of AutoOptions. They were chosen with seed 0 on every fifth image of the training part
// of both built-in sets, after trainings on 400, 800, 1,600, 3,200 and 6,400 pairs of the others,
// and on coco500 with 400 pairs, by Recall@1 summed over both directions.
const (
	autoSteps     = 320  // minimum; three times as many changed Recall@1 by at most 0.02 below 2,000 pairs and lowered it above
	fewPairs      = 2000 // below it networks have one hidden layer
	fewestInBatch = 64
)

// AutoOptions returns a schedule for a number of pairs, which must be at least 1:
//
//   - If the schedule of PaperOptions makes at least 2,000 steps, AutoOptions returns that schedule: from 18,433 pairs
//     for the methods of AsymVLM's reference implementation, and from 37,241 for those of ELIP's.
//   - With fewer pairs it returns SmallOptions with at least 320 steps, in batches of at most a quarter of the pairs but
//     at least 64.
//   - Below 2,000 pairs, networks that change embeddings have one hidden layer of 256 instead of three.
//
// With few pairs only the residual adapters keep the recall of the embeddings; the networks lose a
// third of it under any schedule. On the built-in training sets, with 8,000 pairs each, the result
// equals SmallOptions except for its label. Methods that minimize no loss have one schedule. An
// unknown method and a number of pairs below 1 are errors.
func AutoOptions(method string, pairs int) (Options, error) {
	m, err := Lookup(method)
	if err != nil {
		return Options{}, err
	}
	if pairs < 1 {
		return Options{}, fmt.Errorf("adapter: a schedule for %d pairs, want at least 1", pairs)
	}
	o := m.Published()
	if !o.Reads("Epochs") {
		return o, nil
	}
	if stepsOn(pairs, o) >= fewSteps {
		o.Label = fmt.Sprintf("auto for %d pairs: %s", pairs, o.Label)
		return o, nil
	}
	if o, err = SmallOptions(method); err != nil {
		return o, err
	}
	for o.Batch > fewestInBatch && o.Batch > pairs/4 {
		o.Batch /= 2
	}
	o.Epochs = max(o.Epochs, EpochsFor(autoSteps, pairs, o.Batch))
	o.Label = fmt.Sprintf("auto for %d pairs: %d epochs, batch %d, learning rate %g", pairs, o.Epochs, o.Batch, o.LearningRate)
	layers := "hidden layers"
	if pairs < fewPairs && o.Reads("HiddenLayers") && !m.About().Gaussian {
		o.HiddenLayers, layers = 1, "one hidden layer"
	}
	if o.Reads("Hidden") {
		o.Label += fmt.Sprintf(", %s of %d", layers, o.Hidden)
	}
	if o.Optimizer != "" {
		o.Label += ", " + string(o.Optimizer)
	}
	return o, nil
}

// EpochsFor returns the smallest number of epochs over the given pairs, in batches of at most
// batch, that makes at least the given number of steps. All three arguments are at least 1.
func EpochsFor(steps, pairs, batch int) int {
	perEpoch := max(1, (pairs+batch-1)/batch)
	return (steps + perEpoch - 1) / perEpoch
}

// stepsOn returns the number of steps that the options make on a number of pairs.
func stepsOn(pairs int, o Options) int { return (pairs + o.Batch - 1) / o.Batch * o.Epochs }
