package adapter

import "fmt"

// The numbers of AutoOptions. They were chosen with seed 0 on every fifth image of the training part of both built-in sets, after trainings
// on 400, 800, 1,600, 3,200 and 6,400 pairs of the others, and on coco500 with 400 pairs, by Recall@1 summed over both directions.
const (
	autoSteps     = 320  // the fewest; three times as many changed Recall@1 by at most 0.02 below 2,000 pairs and lowered it above
	fewPairs      = 2000 // below it networks have one hidden layer, and residual adapters fewRate
	fewRate       = 1e-3 // with 0.003 and more asymvlm-vmf-residual loses recall on 400 pairs of world
	somePairs     = 5000 // below it residual adapters have at most someRate
	someRate      = 1e-2
	fewestInBatch = 64
)

// AutoOptions returns a schedule for a number of pairs, which is at least 1:
//
//   - where the schedule of PaperOptions makes at least 2,000 steps, that schedule: from 18,433 pairs for the methods of AsymVLM's
//     program, and from 37,241 for those of ELIP's;
//   - on fewer pairs SmallOptions with at least 320 steps, in batches of at most a quarter of the pairs, but of 64 at least;
//   - below 2,000 pairs networks that move embeddings have one hidden layer of 256 in place of three, and the residual adapters
//     have the learning rate 0.001; from 2,000 to 5,000 pairs these have at most 0.01.
//
// On few pairs only the residual adapters keep the recall of the embeddings: the networks lose a third of it with any schedule.
// On the built-in training sets, 8,000 pairs each, the result is that of SmallOptions but for its label. Methods that descend no loss
// have one schedule. An unknown method is an error, and so is a number of pairs below 1.
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
		o.Schedule = fmt.Sprintf("auto for %d pairs: %s", pairs, o.Schedule)
		return o, nil
	}
	if o, err = SmallOptions(method); err != nil {
		return o, err
	}
	for o.Batch > fewestInBatch && o.Batch > pairs/4 {
		o.Batch /= 2
	}
	o.Epochs = max(o.Epochs, EpochsFor(autoSteps, pairs, o.Batch))
	o.LearningRate = autoRate(m, o.LearningRate, pairs)
	o.Schedule = fmt.Sprintf("auto for %d pairs: %d epochs, batch %d, learning rate %g", pairs, o.Epochs, o.Batch, o.LearningRate)
	layers := "hidden layers"
	if pairs < fewPairs && o.Reads("HiddenLayers") && !m.About().Gaussian {
		o.HiddenLayers, layers = 1, "one hidden layer"
	}
	if o.Reads("Hidden") {
		o.Schedule += fmt.Sprintf(", %s of %d", layers, o.Hidden)
	}
	if o.Optimizer != "" {
		o.Schedule += ", " + string(o.Optimizer)
	}
	return o, nil
}

// autoRate lowers the rate of residual adapters on few pairs.
func autoRate(m Method, rate float64, pairs int) float64 {
	l, ok := m.(learned)
	switch {
	case !ok || !l.architecture.Residual:
		return rate
	case pairs < fewPairs:
		return min(rate, fewRate)
	case pairs < somePairs:
		return min(rate, someRate)
	}
	return rate
}

// EpochsFor returns the fewest epochs over a number of pairs, in batches of at most batch, that make at least so many steps. All three
// are at least 1.
func EpochsFor(steps, pairs, batch int) int {
	perEpoch := max(1, (pairs+batch-1)/batch)
	return (steps + perEpoch - 1) / perEpoch
}

// stepsOn returns the number of steps that options make on a number of pairs.
func stepsOn(pairs int, o Options) int { return (pairs + o.Batch - 1) / o.Batch * o.Epochs }
