package adapter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// changes sets each option to another value that a user may choose. Options with a nil change do
// not affect the result.
var changes = map[string]func(o *Options){
	"Method": nil, "Label": nil, "Progress": nil, "Threads": nil,
	"Checkpoint": nil, "CheckpointEvery": nil, "Resume": nil, "Overwrite": nil, "Validation": nil, "Curves": nil, "Events": nil, "HeldOut": nil,
	"Steps":            func(o *Options) { o.Steps = 3 },
	"KLWeight":         func(o *Options) { weight := 0.25; o.KLWeight = &weight },
	"Seed":             func(o *Options) { o.Seed = 7 },
	"Epochs":           func(o *Options) { o.Epochs = 3 },
	"Batch":            func(o *Options) { o.Batch = 25 },
	"LearningRate":     func(o *Options) { o.LearningRate = 0.003 },
	"FinalRate":        func(o *Options) { o.FinalRate = 0.002 },
	"Momentum":         func(o *Options) { o.Momentum = 0.5 },
	"WeightDecay":      func(o *Options) { o.WeightDecay = 0.3 },
	"Loss":             func(o *Options) { o.Loss = lossFor(o.Method) },
	"Optimizer":        func(o *Options) { o.Optimizer = nn.AdamP },
	"WarmUp":           func(o *Options) { o.WarmUp = 2 },
	"Hidden":           func(o *Options) { o.Hidden = 24 },
	"HiddenLayers":     func(o *Options) { o.HiddenLayers = 1 },
	"MaskSameImage":    func(o *Options) { o.MaskSameImage = true },
	"MatchLengths":     func(o *Options) { o.MatchLengths = true },
	"TextLength":       func(o *Options) { o.TextLength = 3 },
	"ScaledStart":      func(o *Options) { o.ScaledStart = true },
	"FirstTemperature": func(o *Options) { o.FirstTemperature = 3 },
	"FixedTemperature": func(o *Options) { o.FixedTemperature = true },
	"LogTemperature":   func(o *Options) { o.LogTemperature = true },
	"Pairs":            func(o *Options) { o.Pairs = &nn.PairWeights{Bottleneck: 0.5, Inclusion: 2, Eps: 0.01, Sharpness: 20} },
	"Posterior":        func(o *Options) { o.Posterior.Variance = VarianceDelta },
	"Ranking":          func(o *Options) { o.Ranking = RankCSD },
	"Precision":        func(o *Options) { o.Precision = device.BFloat16 },
}

// lossFor returns a user-defined loss of the inputs that a method provides.
func lossFor(method string) custom.Loss {
	switch {
	case strings.HasPrefix(method, ProbVLM):
		return laplaces()
	case aboutOf(method).Gaussian:
		return spread()
	}
	return hinge()
}

// traces trains and returns all values that are learned and measured.
func traces(t *testing.T, set *embedding.Set, options Options) ([]float32, error) {
	t.Helper()
	a, err := Train(context.Background(), set, options)
	if err != nil {
		return nil, err
	}
	report, err := a.Evaluate(set, 4)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := a.Scores(set)
	if err != nil {
		t.Fatal(err)
	}
	all := append(bits(a), scores.Row(0)...)
	for _, u := range slices.Concat(report.TextToImage.Uncertainty, report.ImageToText.Uncertainty) {
		all = append(all, float32(u))
	}
	return all, nil
}

// unitSets returns a set of unit images, and the same set with unit texts as well.
func unitSets(t *testing.T) (images, both *embedding.Set) {
	t.Helper()
	images, _ = unitImages(t)
	texts, err := images.Texts.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	return images, &embedding.Set{Name: "unit", Images: images.Images, Texts: texts, CaptionImages: images.CaptionImages}
}

// shortOptions returns options for a few steps with the fields that a method reads.
func shortOptions(t *testing.T, method string) Options {
	t.Helper()
	options, err := PaperOptions(method)
	if err != nil {
		t.Fatal(err)
	}
	options.Progress = silent{}
	if options.Reads("Batch") {
		options.Batch = 40
	}
	if options.Reads("Hidden") {
		options.Hidden = 32
	}
	if options.Reads("Epochs") {
		options.Epochs, options.LearningRate = 2, 1e-3
	}
	switch method {
	case PCMEpp, ProLIPFull, ProLIPFullOfficial: // their wrong pairs have no effect in single precision at the initial weights
		options.Epochs, options.LearningRate = 6, 0.1
	}
	return options
}

// No option is silently ignored: changing it changes the learned or measured values, or it is
// rejected by its name and the method's, and Reads agrees.
func TestEveryOptionChangesWhatIsLearnedOrIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	images, both := unitSets(t)
	for _, f := range fields {
		name := f.name
		change, known := changes[name]
		if !known {
			t.Errorf("no change of the option %s", name)
		}
		if change == nil {
			continue
		}
		set := images
		if name == "TextLength" {
			set = both
		}
		for _, method := range Methods() {
			options := shortOptions(t, method)
			plain, err := traces(t, set, options)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			reads := options.Reads(name)
			change(&options)
			changed, err := traces(t, set, options)
			switch {
			case err != nil:
				if !strings.Contains(err.Error(), method) {
					t.Errorf("%s of %s: the error does not name the method: %v", name, method, err)
				}
				if !reads && name != "Epochs" && name != "Optimizer" && name != "MaskSameImage" && name != "ScaledStart" && !strings.Contains(err.Error(), "adapter: "+name+" ") {
					t.Errorf("%s of %s: the error does not name the option: %v", name, method, err)
				}
			case slices.Equal(plain, changed):
				if reads && !(name == "Seed" && method == CLIP) { // the seed is part of file names and reports
					t.Errorf("%s of %s: nothing changed", name, method)
				}
			case !reads && !isLength(name):
				t.Errorf("%s of %s: something changed that is not read", name, method)
			}
		}
	}
}

// The table of options names all fields of Options, and that of records all of theirs.
func TestTablesNameAllFields(t *testing.T) {
	var names []string
	var list func(of reflect.Type)
	list = func(of reflect.Type) {
		for i := range of.NumField() {
			if f := of.Field(i); f.Anonymous {
				list(f.Type)
			} else {
				names = append(names, f.Name)
			}
		}
	}
	list(reflect.TypeFor[Options]())
	for _, name := range names {
		fieldOf(name) // panics without an entry
	}
	if len(names) != len(fields) {
		t.Errorf("%d fields, the table has %d", len(names), len(fields))
	}
	var labels []string
	of := reflect.TypeFor[record]()
	for i := range of.NumField() {
		label, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		labels = append(labels, strings.ReplaceAll(label, "_", " "))
	}
	for i, f := range recordFields {
		if i >= len(labels) || f.label != labels[i] {
			t.Errorf("entry %d of the records' table is %q", i, f.label)
		}
	}
	if len(labels) != len(recordFields) {
		t.Errorf("%d fields of records, the table has %d", len(labels), len(recordFields))
	}
}

func TestOptionsPrintTheirSections(t *testing.T) {
	o, err := PaperOptions(AsymVLMVonMisesFisher)
	if err != nil {
		t.Fatal(err)
	}
	o.Checkpoint, o.Validation = "a.safetensors", &Validation{Patience: 3}
	want := `asymvlm-vmf, seed 0: paper: 200 epochs, batch 2048
  schedule     Epochs 200, Batch 2048, LearningRate 0.01, FinalRate 1e-06, Momentum 0.9, WeightDecay 0.0005
  network      Hidden 1024, HiddenLayers 3
  validation   Validation ` + o.Validation.String() + `
  files        Checkpoint a.safetensors, CheckpointEvery 10`
	if o.String() != want {
		t.Errorf("got\n%s\nwant\n%s", o, want)
	}
	clip, _ := PaperOptions(CLIP)
	if strings.Contains(clip.String(), "Epochs") {
		t.Errorf("options that clip does not read:\n%s", clip)
	}
}

// isLength reports whether an option rescales norms, which some methods normalize away, so that it
// changes rounding at most.
func isLength(option string) bool { return option == "TextLength" || option == "MatchLengths" }

// Older versions ignored options that the method does not read and wrote them to checkpoints. These
// load, and stopped trainings resume to the same bits.
func TestCheckpointsWithOptionsThatAreNotReadLoadAndGoOn(t *testing.T) {
	set := smallSet(40, 16)
	for method, pass := range map[string]func(o *Options){
		ELIP:     func(o *Options) { o.Hidden, o.Label = 256, "small, hidden layers of 256" },
		ProbVLM:  func(o *Options) { o.HiddenLayers, o.Momentum = 1, 0.5 },
		BayesVLM: func(o *Options) { o.Momentum, o.Hidden = 0.5, 512 },
	} {
		options := smallOptions(method)
		whole := mustTrain(t, set, options)
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		older := options
		pass(&older)
		if _, err := Train(context.Background(), set, older); err == nil || !strings.Contains(err.Error(), "changes nothing in "+method) {
			t.Errorf("%s: error %v", method, err)
		}
		begun, err := newTraining(device.Shared(), set, older) // as older versions began it
		if err != nil {
			t.Fatal(err)
		}
		halt := errors.New("halt")
		if _, err := begun.run(context.Background(), Watch(func(u Update) error {
			if u.Step == 2 {
				return halt
			}
			return nil
		})); !errors.Is(err, halt) {
			t.Fatal(err)
		}
		loaded, err := Load(options.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		if !loaded.IsOf(set, options) {
			t.Errorf("%s: the training is told to be another one", method)
		}
		other := options
		if other.Batch = 39; loaded.IsOf(set, other) {
			t.Errorf("%s: batches of 39 are told to be those of 40", method)
		}
		if loaded.IsOf(smallSet(20, 16), options) {
			t.Errorf("%s: the set is told to be another one", method)
		}
		options.Resume = true
		if again := mustTrain(t, set, options); !slices.Equal(bits(again), bits(whole)) {
			t.Errorf("%s: other bits", method)
		}
	}
}

// A checkpoint of clip is written if one is named, and does not overwrite an existing file.
func TestNothingTrainedIsWrittenAllTheSame(t *testing.T) {
	set, options := smallSet(20, 8), smallOptions(CLIP)
	options.Checkpoint = filepath.Join(t.TempDir(), "folder", "a.safetensors")
	for range 2 {
		mustTrain(t, set, options)
	}
	if loaded, err := Load(options.Checkpoint); err != nil || !loaded.IsOf(set, options) {
		t.Errorf("error %v, or another training", err)
	}
	work := smallOptions(AsymVLMVonMisesFisher)
	work.Checkpoint, work.Overwrite = options.Checkpoint, true
	mustTrain(t, set, work)
	for _, resume := range []bool{false, true} {
		options.Resume = resume
		if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "holds another training") {
			t.Errorf("error %v", err)
		}
	}
	options.Checkpoint = ""
	if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "resuming needs the name of a checkpoint") {
		t.Errorf("error %v", err)
	}
}

func TestAnOptionThatIsNoneIsAskedForInVain(t *testing.T) {
	defer func() {
		if problem := recover(); problem != `adapter: Options has no field "epochs"` {
			t.Errorf("%v", problem)
		}
	}()
	Options{Method: CLIP}.Reads("epochs")
}

// An option that the method reads but that has no effect on the data is reported in one line; no
// other note appears.
func TestOptionsThatTheDataDoNotNeedAreTold(t *testing.T) {
	_, both := unitSets(t)
	raw := smallSet(40, 16)
	single := &embedding.Set{Name: "single", Images: raw.Images, Texts: raw.Texts.RowRange(0, 40)}
	for i := range 40 {
		single.CaptionImages = append(single.CaptionImages, i)
	}
	for want, c := range map[string]struct {
		method string
		set    *embedding.Set
		change func(o *Options)
	}{
		"a text length of 3 changes nothing in small: its texts do not all have length 1": {AsymVLMVonMisesFisher, raw, func(o *Options) { o.TextLength = 3 }},
		"masking captions of the same image changes nothing in single: no image has two":  {AsymVLMVonMisesFisher, single, func(o *Options) { o.MaskSameImage = true }},
		"TextLength changes rounding alone in pcmepp, which gives texts length 1":         {PCMEpp, both, func(o *Options) { o.TextLength = 3 }},
		"MatchLengths changes rounding alone in prolip, which gives images length 1":      {ProLIP, both, func(o *Options) { o.MatchLengths = true }},
		"matching lengths changes nothing in small: its images do not all have length 1":  {BayesVLM, raw, func(o *Options) { o.MatchLengths = true }},
		"": {DeterministicFineTuning, both, func(o *Options) { o.TextLength, o.MaskSameImage = 3, true }},
	} {
		options, told := shortOptions(t, c.method), &noted{}
		options.Progress = told
		c.change(&options)
		mustTrain(t, c.set, options)
		if got := strings.Join(told.notes, "\n"); got != want {
			t.Errorf("told is %q, want %q", got, want)
		}
	}
}

// The length that the automatic schedule gives to unit texts is told where it changes something,
// also with another number of steps, and is not mentioned where it changes nothing.
func TestTheLengthOfTheAutomaticScheduleIsToldOnlyOfUnitTexts(t *testing.T) {
	raw := smallSet(40, 16)
	_, unit := unitSets(t)
	for label, texts := range map[string][2]string{
		"auto for 40 pairs: 1 epochs":               {"", "the texts of " + unit.Name + " have length 1 and are read at length 9"},
		"own: 5 steps, batch 16":                    {"", "the texts of " + unit.Name + " have length 1 and are read at length 9"},
		"own: 5 steps, batch 16, texts of length 9": {"a text length of 9 changes nothing in " + raw.Name + ": its texts do not all have length 1", ""},
	} {
		for i, set := range []*embedding.Set{raw, unit} {
			options, told := shortOptions(t, AsymVLMVonMisesFisher), &noted{}
			options.Label, options.TextLength, options.Progress = label, autoTextLength, told
			mustTrain(t, set, options)
			if got := strings.Join(told.notes, "\n"); got != texts[i] {
				t.Errorf("%s, %s: told is %q, want %q", label, set.Name, got, texts[i])
			}
		}
	}
}

func TestGoingOnAndBeginningAgainExcludeEachOther(t *testing.T) {
	set, options := smallSet(40, 16), shortOptions(t, AsymVLMVonMisesFisher)
	options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	mustTrain(t, set, options)
	options.Resume, options.Overwrite = true, true
	if err := options.Check(); err == nil || err.Error() != "adapter: Resume continues "+options.Checkpoint+" and Overwrite starts it again: choose one" {
		t.Errorf("error %v", err)
	}
	options.Overwrite = false
	if err := os.Truncate(options.Checkpoint, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), options.Checkpoint) ||
		!strings.HasSuffix(err.Error(), "without Resume the training begins again") {
		t.Errorf("error %v", err)
	}
	options.Resume = false
	mustTrain(t, set, options)
}
