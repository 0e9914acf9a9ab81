package adapter

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/tracking"
	"gosphere/asymvlm/world"
)

// halves returns two sets of different images of smallSet.
func halves(t *testing.T) (train, validation *embedding.Set) {
	t.Helper()
	rest, part, err := smallSet(60, 16).Folds(2)
	if err != nil {
		t.Fatal(err)
	}
	return rest[0], part[0]
}

// validated returns options that measure another set after every epoch.
func validated(method string, set *embedding.Set) Options {
	o := smallOptions(method)
	o.Epochs, o.Validation = 5, NewValidation(set)
	o.Validation.Levels = 4
	return o
}

// A validation set does not change random numbers or learned values, for every method that
// minimizes a loss.
func TestAValidationSetChangesNoStep(t *testing.T) {
	train, validation := halves(t)
	for _, method := range Methods() {
		if o := smallOptions(method); !o.Reads("Epochs") {
			continue
		}
		o := validated(method, validation)
		with, err := Train(t.Context(), train, o)
		if err != nil && !errors.Is(err, ErrNotImproved) {
			t.Fatal(err)
		}
		o.Validation = nil
		without := mustTrain(t, train, o)
		if !slices.Equal(with.History().Loss, without.History().Loss) {
			t.Errorf("%s: losses %v with validation, %v without", method, with.History().Loss, without.History().Loss)
		}
		if n := len(with.Measurements()); n != 6 || len(without.Measurements()) != 0 {
			t.Errorf("%s: %d measurements, want one before the first epoch and one after each of 5", method, n)
		}
	}
}

// The adapter and its checkpoint reproduce the best measurement, by each criterion.
func TestTheBestWeightsAreKept(t *testing.T) {
	train, validation := halves(t)
	for _, by := range CriteriaOf(AsymVLMVonMisesFisher) {
		o := validated(AsymVLMVonMisesFisher, validation)
		o.Validation.By, o.LearningRate = by, 0.3
		o.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		trained := mustTrain(t, train, o)
		loaded, err := Load(o.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		for name, a := range map[string]*Adapter{"trained": trained, "loaded": loaded} {
			kept, ok := a.Best()
			if !ok || !a.Complete() || len(a.Measurements()) != 6 {
				t.Fatalf("%s, %s: best %v, complete %v, %d measurements", by, name, ok, a.Complete(), len(a.Measurements()))
			}
			for _, m := range a.Measurements() {
				if m.Score(by) > kept.Score(by) || m.Score(by) == kept.Score(by) && m.Epoch < kept.Epoch {
					t.Errorf("%s, %s: epoch %d is better than %d", by, name, m.Epoch, kept.Epoch)
				}
			}
			report, err := a.Evaluate(validation, 4)
			if err != nil {
				t.Fatal(err)
			}
			if got := measuresOf(report.TextToImage); got != kept.TextToImage {
				t.Errorf("%s, %s: measures %+v, kept %+v of epoch %d", by, name, got, kept.TextToImage, kept.Epoch)
			}
		}
		if !loaded.IsOf(train, o) {
			t.Errorf("%s: the checkpoint is said to be of another training", by)
		}
	}
}

func TestScoresAreMeansOverBothDirections(t *testing.T) {
	m := Measurement{TextToImage: Measures{Recall1: 0.5, MinusSR2: 0.8, AURC: 0.2}, ImageToText: Measures{Recall1: 0.7, MinusSR2: math.NaN(), AURC: 0.4}}
	for by, want := range map[Criterion]float64{ByAURC: -0.3, ByRecall: 0.6, ByMinusSR2: 0.4, ByBoth: 1} {
		if got := m.Score(by); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s: %g, want %g", by, got, want)
		}
	}
	if !math.IsNaN(m.Score("")) {
		t.Error("no criterion has a score")
	}
}

// With rate 0 nothing improves, so a training ends after as many measurements as Patience allows.
func TestPatienceEndsATraining(t *testing.T) {
	train, validation := halves(t)
	o := validated(AsymVLMVonMisesFisher, validation)
	o.LearningRate, o.FinalRate, o.Validation.Patience = 0, 0, 2
	o.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	a, err := Train(t.Context(), train, o)
	if !errors.Is(err, ErrNotImproved) {
		t.Fatal(err)
	}
	perEpoch := a.History().StepsPerEpoch
	if kept, _ := a.Best(); a.History().Steps() != 2*perEpoch || !a.Complete() || kept.Epoch != 0 || !math.IsNaN(kept.Loss) {
		t.Errorf("%d steps of %d an epoch, best %+v", a.History().Steps(), perEpoch, kept)
	}
	before, err := os.ReadFile(o.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{true, false} { // complete: no step is repeated, and starting over is allowed
		o.Resume = resume
		if again, err := Train(t.Context(), train, o); !errors.Is(err, ErrNotImproved) || again.History().Steps() != 2*perEpoch {
			t.Errorf("resumed %v: %d steps, %v", resume, again.History().Steps(), err)
		}
		if after, err := os.ReadFile(o.Checkpoint); err != nil || !bytes.Equal(before, after) {
			t.Errorf("resumed %v: another checkpoint, %v", resume, err)
		}
	}
	o.Resume, o.Validation.Patience = true, 0
	if _, err := Train(context.Background(), train, o); err == nil || !strings.Contains(err.Error(), "validation: the checkpoint has validation every epoch by aurc, patience 2 on a set") {
		t.Errorf("another patience: %v", err)
	}
}

// A training that is stopped and resumed ends with the same bytes as an uninterrupted one, and so
// do its curves.
func TestResumingKeepsTheBestWeightsAndTheCurves(t *testing.T) {
	train, validation := halves(t)
	folder := t.TempDir()
	options := func(name string) Options {
		o := validated(AsymVLMVonMisesFisher, validation)
		o.LearningRate, o.Validation.By = 0.3, ByBoth
		o.Checkpoint, o.Curves = filepath.Join(folder, name+".safetensors"), filepath.Join(folder, name+".jsonl")
		return o
	}
	whole := options("whole")
	mustTrain(t, train, whole)
	perEpoch := (train.Texts.Rows + whole.Batch - 1) / whole.Batch
	for _, at := range []int{1, 2*perEpoch + 1, 4 * perEpoch} {
		stopped := options("stopped")
		stopped.Overwrite = true
		halt := errors.New("halt")
		stopped.Progress = Watch(func(u Update) error {
			if u.Step == at {
				return halt
			}
			return nil
		})
		if _, err := Train(context.Background(), train, stopped); !errors.Is(err, halt) {
			t.Fatal(err)
		}
		stopped.Progress, stopped.Overwrite, stopped.Resume = silent{}, false, true
		mustTrain(t, train, stopped)
		for _, pair := range [][2]string{{whole.Checkpoint, stopped.Checkpoint}, {whole.Curves, stopped.Curves}} {
			want, err := os.ReadFile(pair[0])
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(pair[1]); err != nil || !bytes.Equal(got, want) {
				t.Errorf("stopped after step %d: other bytes in %s, %v", at, filepath.Base(pair[1]), err)
			}
		}
	}
	lines, err := os.ReadFile(whole.Curves)
	if err != nil || strings.Count(string(lines), "\n") != 6 || !strings.HasPrefix(string(lines), `{"epoch":0,"step":0,"t2i_recall_1":`) ||
		!strings.Contains(string(lines), `{"epoch":5,"step":`+strconv.Itoa(5*perEpoch)+`,"loss":`) {
		t.Errorf("curves %s, %v", lines, err)
	}
}

// The loss of a point is the mean of the losses of its steps, and a training without a validation
// set has a point for each epoch.
func TestCurvesAreMeansOverEpochs(t *testing.T) {
	train, _ := halves(t)
	o := smallOptions(AsymVLMVonMisesFisher)
	o.Epochs, o.Batch, o.Events = 3, 16, t.TempDir()
	a := mustTrain(t, train, o)
	points := a.Curves()
	if len(points) != 3 {
		t.Fatalf("%d points", len(points))
	}
	means := a.History().Epochs(a.History().Loss)
	for i, p := range points {
		if p.Epoch != i+1 || p.Step != (i+1)*a.History().StepsPerEpoch || p.Values[0].Name != "loss" || math.Abs(p.Values[0].Number-means[i]) > 1e-12 ||
			len(p.Values) != 4 || p.Values[3].Number != a.History().LearningRate[p.Step-1] {
			t.Errorf("point %+v, mean loss %g", p, means[i])
		}
	}
	if file, err := os.Stat(filepath.Join(o.Events, tracking.EventsName)); err != nil || file.Size() < 100 {
		t.Errorf("events: %v", err)
	}
}

func TestValidationsThatCannotBeUsedAreRefused(t *testing.T) {
	train, validation := halves(t)
	narrow := smallSet(20, 8)
	for want, change := range map[string]func(o *Options){
		"without a set":               func(o *Options) { o.Validation = &Validation{Every: 1, Levels: 4, By: ByRecall} },
		"validation every 0 epochs":   func(o *Options) { o.Validation.Every = 0 },
		"patience -1":                 func(o *Options) { o.Validation.Patience = -1 },
		`validation by "loss"`:        func(o *Options) { o.Validation.By = "loss" },
		"is the training set":         func(o *Options) { o.Validation.Set = train },
		"has 8 columns of images":     func(o *Options) { o.Validation.Set = narrow },
		"leave 500 levels empty":      func(o *Options) { o.Validation.Levels = 500 },
		"changes nothing in clip":     func(o *Options) { o.Method = CLIP },
		"changes nothing in bayesvlm": func(o *Options) { *o = validatedPass(o.Validation) },
	} {
		o := validated(AsymVLMVonMisesFisher, validation)
		change(&o)
		if _, err := Train(context.Background(), train, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if _, err := CrossValidate(context.Background(), train, validated(PFE, validation), 2, 2); err == nil || !strings.Contains(err.Error(), "takes no validation set") {
		t.Errorf("cross-validation: %v", err)
	}
	o := smallOptions(CLIP)
	o.Curves = filepath.Join(t.TempDir(), "a.jsonl")
	if _, err := Train(context.Background(), train, o); err == nil || !strings.Contains(err.Error(), "Curves") {
		t.Errorf("curves of clip: %v", err)
	}
}

func validatedPass(v *Validation) Options {
	o, _ := PaperOptions(BayesVLM)
	o.Validation, o.Progress = v, silent{}
	return o
}

// A GPU returns its weights for every measurement and continues to the same bits.
func TestAValidationSetIsMeasuredOnACard(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	train, validation := halves(t)
	options := cardOptions(t, AsymVLMVonMisesFisher)
	ops, _ := emulated(t)
	without, err := trainOn(t, ops, train, options)
	if err != nil {
		t.Fatal(err)
	}
	options.Validation, options.Overwrite = NewValidation(validation), true
	options.Validation.Levels = 4
	with, err := trainOn(t, ops, train, options)
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := with.Best()
	if len(with.Measurements()) != 4 || !slices.Equal(with.History().Loss, without.History().Loss) {
		t.Errorf("%d measurements, losses %v, without validation %v", len(with.Measurements()), with.History().Loss, without.History().Loss)
	}
	report, err := with.Evaluate(validation, 4)
	if err != nil || measuresOf(report.TextToImage) != kept.TextToImage {
		t.Errorf("%v, measures %+v, kept %+v", err, report, kept)
	}
}

// A criterion is refused by name where it cannot see what a method learns, and every method has one
// that can. The methods that are said to keep the ranking rank as the embeddings after a training.
func TestCriteriaSeeWhatIsLearned(t *testing.T) {
	train, validation := halves(t)
	clip, err := mustTrain(t, train, smallOptions(CLIP)).Ranking(validation, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range Methods() {
		o := smallOptions(method)
		if !o.Reads("Epochs") {
			continue
		}
		o.Epochs, o.LearningRate = 3, 0.05
		trained, err := Train(t.Context(), train, o)
		if err != nil && !errors.Is(err, ErrMirrored) {
			continue // a rate this large can end in NaN
		}
		ranking, err := trained.Ranking(validation, 1)
		if err != nil {
			t.Fatal(err)
		}
		same := slices.Equal(ranking.TextToImage.Items, clip.TextToImage.Items)
		if keepsRanking(method) && !same || same && !keepsRanking(method) && !aboutOf(method).Gaussian && method != ResidualCosine && !trained.learner.IsResidual() {
			t.Errorf("%s: the ranking is that of the embeddings: %t; said to be: %t", method, same, keepsRanking(method))
		}
		offered := CriteriaOf(method)
		if len(offered) == 0 || offered[0] != ByAURC {
			t.Errorf("%s: criteria %q", method, offered)
		}
		for _, by := range Criteria() {
			o := validated(method, validation)
			o.Validation.By = by
			if err := o.Check(); (err == nil) != slices.Contains(offered, by) {
				t.Errorf("%s by %s: %v, offered are %q", method, by, err, offered)
			}
		}
	}
}

// With rate 0 nothing is learned, and a training says so, for every method and criterion.
func TestATrainingThatLearnsNothingIsAnError(t *testing.T) {
	train, validation := halves(t)
	for _, method := range Methods() {
		if o := smallOptions(method); !o.Reads("Epochs") {
			continue
		}
		for _, by := range CriteriaOf(method) {
			o := validated(method, validation)
			o.Epochs, o.LearningRate, o.FinalRate, o.Validation.By = 1, 0, 0, by
			o.Optimizer = nn.SGD
			a, err := Train(t.Context(), train, o)
			if !errors.Is(err, ErrNotImproved) || a == nil {
				t.Errorf("%s by %s: %v, want ErrNotImproved and the adapter", method, by, err)
			}
		}
	}
}

// World's captions have known concentrations, so the best epoch of a residual adapter is not that
// of its start, whose concentrations are all the same.
func TestValidationKeepsALearnedUncertainty(t *testing.T) {
	train, test, err := world.New(world.Options{Scenes: 600, TestScenes: 150, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{ResidualVonMisesFisher, ResidualPowerSpherical} {
		for _, by := range CriteriaOf(method) {
			o, err := SmallOptions(method)
			if err != nil {
				t.Fatal(err)
			}
			o.Epochs, o.Batch, o.Validation = 15, 128, NewValidation(&test.Set)
			o.Validation.By = by
			a, err := Train(t.Context(), &train.Set, o)
			if err != nil {
				t.Fatal(err)
			}
			kappas, err := a.Concentrations(test.Texts)
			if err != nil {
				t.Fatal(err)
			}
			if best, _ := a.Best(); best.Step == 0 || retrieval.Spearman(kappas, test.Kappas) < 0.3 {
				t.Errorf("%s by %s: best is %v, rank correlation with the true concentrations %.3f", method, by, best, retrieval.Spearman(kappas, test.Kappas))
			}
		}
	}
}
