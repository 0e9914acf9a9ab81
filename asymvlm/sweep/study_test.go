package sweep_test

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/sweep"
	"gosphere/asymvlm/world"
	"gosphere/internal/host"
)

// steps is a progress that counts, and is told to stop after some messages.
type steps struct {
	total, done, calls int
	ended              bool
	err                error
}

func (s *steps) Begin(_ string, total int) { s.total = total }
func (s *steps) Step(done int, _ string)   { s.done, s.calls = max(s.done, done), s.calls+1 }
func (s *steps) End(err error)             { s.ended, s.err = true, err }

// sets returns three small parts of a world.
func sets(t *testing.T) (train, validation, test *embedding.Set) {
	t.Helper()
	a, b, err := world.New(world.Options{Scenes: 60, TestScenes: 20, Dimension: 16, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	_, c, err := world.New(world.Options{Scenes: 60, TestScenes: 25, Dimension: 16, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	return &a.Set, &c.Set, &b.Set
}

func short(method string) (adapter.Options, error) {
	o, err := adapter.SmallOptions(method)
	if o.Reads("Hidden") {
		o.Hidden = 16
	}
	if o.Reads("Epochs") {
		o.Epochs, o.Batch = 8, 60
	}
	return o, err
}

func TestAStudyTrainsEveryCombinationOnceAndGoesOn(t *testing.T) {
	train, validation, test := sets(t)
	rates, err := sweep.Flag("lr", 0.1, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	folder, bar := t.TempDir(), &steps{}
	study := sweep.Study{Train: train, Test: test, Validation: validation, Methods: []string{"asymvlm-vmf", "determ-ft"}, Seeds: []uint64{0, 3},
		Axes:    []sweep.Axis{rates, {Name: "decay", Values: []float64{0, 0.1}, Set: func(o *adapter.Options, x float64) { o.WeightDecay = x }}},
		Options: short, Levels: 2, Folder: folder, Jobs: 2, Progress: bar}
	result, err := sweep.Run(context.Background(), study)
	if err != nil || len(result.Runs) != 16 {
		t.Fatalf("%d runs, %v", len(result.Runs), err)
	}
	if bar.done != bar.total || bar.total != 16000 || !bar.ended || bar.err != nil || bar.calls < 16 {
		t.Errorf("progress %+v", bar)
	}
	for i, task := range study.Tasks() {
		if got := result.Runs[i]; got.String() != task.String() || math.IsNaN(got.Score) || got.Report == nil {
			t.Errorf("run %d is %s with score %g, want %s", i, got, got.Score, task)
		}
	}
	// One of them by itself is the same training.
	o, _ := short("determ-ft")
	o.Seed, o.LearningRate, o.WeightDecay, o.Validation = 3, 0.2, 0.1, adapter.NewValidation(validation)
	alone, err := adapter.Train(context.Background(), train, o)
	if err != nil {
		t.Fatal(err)
	}
	report, err := alone.Evaluate(test, 2)
	if last := result.Runs[15]; err != nil || last.Report.TextToImage.Recall1 != report.TextToImage.Recall1 || last.Report.TextToImage.Uncertainty[3] != report.TextToImage.Uncertainty[3] {
		t.Errorf("%s has the recall %g, alone %g, %v", last, last.Report.TextToImage.Recall1, report.TextToImage.Recall1, err)
	}
	rows := result.Rows()
	best, err := result.Best()
	if err != nil || len(rows) != 8 || rows[0].Runs != 2 || rows[0].Score.Mean < rows[7].Score.Mean {
		t.Errorf("rows %+v, %v", rows, err)
	}
	for _, run := range result.Runs {
		if run.Score > best.Score {
			t.Errorf("%s has the score %g, the best %g", run, run.Score, best.Score)
		}
	}
	curve, err := result.Curve("determ-ft", "lr")
	if err != nil || len(curve.Values) != 2 || curve.Low[1] > curve.Mean[1] || curve.Mean[1] > curve.High[1] {
		t.Errorf("curve %+v, %v", curve, err)
	}
	if values, err := result.Values("decay"); err != nil || len(values) != 16 || values[2] != 0.1 {
		t.Errorf("values %v, %v", values, err)
	}
	if text := result.String(); !strings.Contains(text, "without training") || strings.Count(text, "\n") < 10 {
		t.Errorf("table\n%s", text)
	}
	// The files of the first time are read again, and nothing is trained.
	before, err := os.Stat(result.Runs[0].Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sweep.Run(context.Background(), study)
	if err != nil || again.String() != result.String() {
		t.Errorf("again: %v\n%v", err, again)
	}
	if after, err := os.Stat(result.Runs[0].Checkpoint); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a finished training is written again, %v", err)
	}
}

// stopping is a host that stops work.
type stopping func() error

func (s stopping) Stopped() error { return s() }

func TestAStudyThatIsStoppedSaysWhatIsDone(t *testing.T) {
	train, _, test := sets(t)
	reason := errors.New("enough")
	asked := 0
	defer host.Enter(stopping(func() error {
		if asked++; asked > 6 {
			return reason
		}
		return nil
	}))()
	study := sweep.Study{Train: train, Test: test, Methods: []string{"determ-ft"}, Seeds: []uint64{0, 1, 2, 3, 4, 5, 6, 7}, Options: short, Levels: 2, Progress: &steps{}}
	result, err := sweep.Run(context.Background(), study)
	if !errors.Is(err, reason) || len(result.Runs) == 8 || !strings.Contains(err.Error(), "of 8 trainings are done") {
		t.Errorf("%d runs, %v", len(result.Runs), err)
	}
	if _, err := result.Best(); err == nil || !strings.Contains(err.Error(), "the test set must not choose") {
		t.Errorf("the best without a validation set: %v", err)
	}
}

func TestStudiesThatCannotBeDoneAreRefusedBeforeAnyTraining(t *testing.T) {
	train, _, test := sets(t)
	if _, err := sweep.Flag("dataset", 1); err == nil || !strings.Contains(err.Error(), `no flag "dataset" with numbers; there are batch, bottleneck`) {
		t.Errorf("%v", err)
	}
	axis := func(values ...float64) []sweep.Axis {
		a, err := sweep.Flag("lr", values...)
		if err != nil {
			t.Fatal(err)
		}
		return []sweep.Axis{a}
	}
	for want, change := range map[string]func(s *sweep.Study){
		"wants a training set and a test set":                 func(s *sweep.Study) { s.Test = nil },
		"a study without methods":                             func(s *sweep.Study) { s.Methods = nil },
		`method "determ", want one of`:                        func(s *sweep.Study) { s.Methods = []string{"determ"} },
		"axis lr has the value 0.1, want finite numbers":      func(s *sweep.Study) { s.Axes = axis(0.1, 0.1) },
		`axis 0, "lr", wants a name, values`:                  func(s *sweep.Study) { s.Axes = axis() },
		"two axes named lr":                                   func(s *sweep.Study) { s.Axes = append(axis(0.1), axis(0.2)...) },
		"determ-ft, seed 0, lr -1: adapter: learning rate -1": func(s *sweep.Study) { s.Axes = axis(0.1, -1) },
	} {
		s := sweep.Study{Train: train, Test: test, Methods: []string{"determ-ft"}, Options: short, Progress: &steps{}}
		change(&s)
		if _, err := sweep.Run(context.Background(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
