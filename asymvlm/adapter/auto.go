package adapter

import (
	"context"
	"fmt"
	"slices"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// Constants of AutoOptions. They were chosen with seed 0 on every fifth image of the training part
// of both built-in sets, after trainings on 400, 800, 1,600, 3,200 and 6,400 pairs of the others,
// and on coco500 with 400 pairs, by Recall@1 summed over both directions.
const (
	autoSteps     = 320  // minimum; three times as many changed Recall@1 by at most 0.02 below 2,000 pairs and lowered it above
	fewPairs      = 2000 // below it networks have one hidden layer
	fewestInBatch = 64

	autoTextLength = 9 // of CLIP's texts before normalization
)

// AutoOptions returns a schedule for a number of pairs, which must be at least 1:
//
//   - If the schedule of PaperOptions makes at least 2,000 steps, AutoOptions returns that schedule: from 18,433 pairs
//     for the methods of AsymVLM's reference implementation, and from 37,241 for those of ELIP's.
//   - With fewer pairs it returns SmallOptions with at least 320 steps, in batches of at most a quarter of the pairs but
//     at least 64.
//   - With the schedule of SmallOptions, networks read texts that all have norm 1 at norm 9, that of CLIP's texts before
//     normalization (TextLength). With norm 1 they learn several times slower.
//   - With the schedule of SmallOptions it sets HeldOut for methods that learn κ of texts, so that the training says
//     whether the pairs suffice for that.
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
	o.HeldOut = o.Reads("HeldOut")
	if o.Reads("TextLength") && o.Reads("Hidden") {
		o.TextLength = autoTextLength
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

// Constants of HeldOutOf: the images are divided into five folds, and folds are held out one after
// another until they have 4,000 texts.
const (
	heldOutFolds = 5
	heldOutTexts = 4000
)

// HeldOutOf measures whether the pairs of a set suffice to learn a concentration. It trains with
// the options on a part of the images and compares, on the texts of the others, two likelihoods of
// a text's image among the held-out images. With c the cosine for asymvlm-vmf, or log(1 + cosine)
// for asymvlm-psd, they are
//
//	softmax(s·κ·c) with the learned κ, and softmax(s·c) with the same κ for all texts
//
// each with the factor s that fits the held-out texts best. The gain is the difference of the mean
// logarithms. Methods without a concentration of texts that is learned by such a likelihood return
// an error; Options.Reads("HeldOut") tells. A set of fewer than 10 images with texts has nothing to
// hold out, and its gain is 0.
func HeldOutOf(ctx context.Context, set *embedding.Set, options Options) (*retrieval.HeldOut, error) {
	if !options.Reads("HeldOut") {
		return nil, fmt.Errorf("adapter: held-out likelihood of %s, which learns no concentration of texts by a likelihood of images", options.Method)
	}
	set, err := inMemory(set)
	if err != nil {
		return nil, err
	}
	if len(slices.Compact(slices.Sorted(slices.Values(set.CaptionImages)))) < 2*heldOutFolds {
		return new(retrieval.HeldOut), nil
	}
	rest, parts, err := set.Folds(heldOutFolds)
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	var gains retrieval.HeldOutGains
	for fold := 0; fold < heldOutFolds && gains.Texts() < heldOutTexts; fold++ {
		trained, err := Train(ctx, rest[fold], options.forHeldOut(rest[fold].Texts.Rows))
		if err == nil {
			err = addGains(&gains, trained, parts[fold])
		}
		if err != nil {
			return nil, fmt.Errorf("adapter: held-out likelihood, fold %d: %w", fold+1, err)
		}
	}
	return gains.HeldOut(), nil
}

// inMemory returns a set with its rows in memory.
func inMemory(set *embedding.Set) (*embedding.Set, error) {
	if set == nil || !set.IsStored() {
		return set, nil
	}
	loaded, err := set.Load()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return loaded, nil
}

// forHeldOut returns the options of a training on a number of pairs whose result is only measured.
func (o Options) forHeldOut(pairs int) Options {
	if o.Steps > 0 { // which may be more than those of the same epochs on fewer pairs
		o.Epochs = EpochsFor(o.Steps, pairs, o.Batch)
	}
	o.HeldOut, o.Validation, o.Checkpoints = false, nil, Checkpoints{}
	o.Progress = quiet{} // its notes are those of the training itself
	return o
}

// addGains adds the texts of a part that an adapter was not trained on.
func addGains(gains *retrieval.HeldOutGains, a *Adapter, part *embedding.Set) error {
	part, err := inMemory(part)
	if err != nil {
		return err
	}
	density := *a
	density.options.Ranking = RankLikelihood
	likelihoods, err := density.Scores(part)
	if err != nil {
		return err
	}
	kappas, err := a.Concentrations(part.Texts)
	if err != nil {
		return err
	}
	return gains.Add(likelihoods, kappas, retrieval.RelevanceOf(part))
}

// learnsConcentrations reports whether the method learns κ of a text by a likelihood of images that
// is linear in κ except for its normalizer.
func (m learned) learnsConcentrations() bool {
	switch m.architecture.Likelihood {
	case nn.VonMisesFisher, nn.VonMisesFisherExact, nn.PowerSpherical:
	default:
		return false
	}
	switch m.architecture.Objective {
	case nil, nn.Contrastive, nn.Sigmoid, nn.SigmoidLog:
		return true
	}
	return false
}
