package laboratory

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

func decimal(n int) string { return strconv.Itoa(n) }

// optionsOf parses flags and returns the options of the first training.
func optionsOf(t *testing.T, arguments ...string) adapter.Options {
	t.Helper()
	var command Train
	if err := parse(t, &command, arguments...); err != nil {
		t.Fatal(err)
	}
	options, err := command.options(command.jobs()[0])
	if err != nil {
		t.Fatal(err)
	}
	return options
}

func TestFlagsBecomeOptionsAndShowInTheSchedule(t *testing.T) {
	plain := optionsOf(t, "--dataset", "coco")
	for _, c := range []struct {
		flag, label string
		holds       func(o adapter.Options) bool
	}{
		{"--hidden=64", plain.Label + ", hidden layers of 64", func(o adapter.Options) bool { return o.Hidden == 64 && o.LearningRate == plain.LearningRate }},
		{"--hidden=1024", plain.Label, func(o adapter.Options) bool { return o.Hidden == 1024 }},
		{"--mask-same-image", plain.Label + ", captions of the same image masked", func(o adapter.Options) bool { return o.MaskSameImage }},
		{"--text-length=9", plain.Label + ", texts of length 9", func(o adapter.Options) bool { return o.TextLength == 9 }},
		{"--match-lengths", plain.Label, func(o adapter.Options) bool { return o.MatchLengths }},
		{"--epochs=3", "own: 3 epochs, batch 2048, learning rate 0.01", func(o adapter.Options) bool { return o.Epochs == 3 && o.Batch == 2048 }},
		{"--optimizer=adamp", plain.Label + ", adamp", func(o adapter.Options) bool { return o.Optimizer == nn.AdamP && o.LearningRate == plain.LearningRate }},
		{"--warm-up=7", plain.Label + ", warm-up of 7 steps", func(o adapter.Options) bool { return o.WarmUp == 7 && o.Optimizer == plain.Optimizer }},
		{"--constant", plain.Label + ", constant rate", func(o adapter.Options) bool { return o.FinalRate == plain.LearningRate }},
		{"--final-rate=0", plain.Label + ", last rate 0", func(o adapter.Options) bool { return o.FinalRate == 0 && o.LearningRate == plain.LearningRate }},
		{"--momentum=0", plain.Label + ", momentum 0", func(o adapter.Options) bool { return o.Momentum == 0 }},
		{"--weight-decay=0.01", plain.Label + ", weight decay 0.01", func(o adapter.Options) bool { return o.WeightDecay == 0.01 }},
		{"--hidden-layers=0", plain.Label + ", 0 hidden layers", func(o adapter.Options) bool { return o.HiddenLayers == 0 }},
		{"--first-temperature=5", plain.Label + ", temperature from 5", func(o adapter.Options) bool { return o.FirstTemperature == 5 && !o.FixedTemperature }},
		{"--fixed-temperature", plain.Label + ", temperature fixed", func(o adapter.Options) bool { return o.FixedTemperature && o.FirstTemperature == 0 }},
		{"--every=2", plain.Label, func(o adapter.Options) bool { return o.CheckpointEvery == 2 }},
		{"--threads=1", plain.Label, func(o adapter.Options) bool { return o.Threads == 1 }},
		{"--schedule=small", "small: 20 epochs, batch 512, learning rate 0.1, hidden layers of 256", func(o adapter.Options) bool { return o.Hidden == 256 }},
		{"--seed=6", plain.Label, func(o adapter.Options) bool { return o.Seed == 6 }},
	} {
		o := optionsOf(t, "--dataset", "coco", c.flag)
		if o.Label != c.label || !c.holds(o) {
			t.Errorf("%s: schedule %q, options %+v", c.flag, o.Label, o)
		}
	}
}

// Reduced schedules set options that some methods need for unit images; the paper's schedule does
// not.
func TestReducedSchedulesMatchLengthsWhereANetworkSeesImages(t *testing.T) {
	for method, want := range map[string]bool{"symvlm": true, "asymvlm-image": true, "pfe": true, "probvlm": true, "elip": true,
		"asymvlm-vmf": false, "pcmepp": false, "determ-ft": false} {
		if got := optionsOf(t, "--method", method).MatchLengths; got != want {
			t.Errorf("%s: %v", method, got)
		}
		if optionsOf(t, "--method", method, "--schedule", "paper").MatchLengths {
			t.Errorf("%s: the paper's schedule matches lengths", method)
		}
	}
	for method, optimizer := range map[string]string{"asymvlm-gauss": "adamw", "siglip-vmf": "adamw", "asymvlm-vmf": ""} {
		o := optionsOf(t, "--method", method)
		if string(o.Optimizer) != optimizer || o.ScaledStart != (method == "asymvlm-gauss") {
			t.Errorf("%s: optimizer %q, scaled start %v", method, o.Optimizer, o.ScaledStart)
		}
	}
}

func TestZeroShotHasNoSchedule(t *testing.T) {
	for _, schedule := range []string{"paper", "reduced", "small"} {
		if o := optionsOf(t, "--method", "clip,pfe", "--schedule", schedule, "--lr", "3", "--epochs", "9"); o.Label != "nothing is trained" {
			t.Errorf("%s: %q", schedule, o.Label)
		}
	}
	if o := optionsOf(t, "--method", "bayesvlm,pfe", "--lr", "3", "--epochs", "9", "--optimizer", "adamw", "--warm-up", "2", "--hidden", "9"); o.Epochs != 1 || o.Label != "one pass in groups of 2048" || o.Hidden == 9 {
		t.Errorf("bayesvlm: %q, %d epochs", o.Label, o.Epochs)
	}
	folder := t.TempDir()
	stdout, stderr, err := train(t, folder, "--method", "clip")
	if err != nil || strings.Contains(stdout+stderr, "epoch") || strings.Contains(stdout, "learning rate") {
		t.Errorf("%v, output %q, log %q", err, stdout, stderr)
	}
}

// The printed schedule describes exactly what is done, also for methods that ignore a flag of the
// list.
func TestSchedulesTellOnlyWhatTheMethodReads(t *testing.T) {
	for arguments, want := range map[string]string{
		"--method elip,pfe --hidden 64":                                  "reduced: 5 epochs, batch 64, learning rate 5e-05",
		"--method elip,pfe --schedule small":                             "small: 5 epochs, batch 64, learning rate 0.001",
		"--method clip-ensemble,pfe --schedule small --epochs 2":         "own: 2 epochs, batch 512, learning rate 0.001",
		"--method pfe --schedule small --epochs 2":                       "own: 2 epochs, batch 512, learning rate 0.0001, hidden layers of 256",
		"--method pfe --schedule small --epochs 2 --hidden 256":          "own: 2 epochs, batch 512, learning rate 0.0001, hidden layers of 256",
		"--method bayesvlm --batch 64":                                   "one pass in groups of 64",
		"--method bayesvlm,pfe --batch 64 --epochs 3 --text-length 9":    "one pass in groups of 64, texts of length 9",
		"--method bayesvlm,pfe --epochs 3 --lr 3 --hidden 64 --constant": "one pass in groups of 2048",
	} {
		if got := optionsOf(t, strings.Fields(arguments)...); got.Label != want {
			t.Errorf("%s: %q, want %q", arguments, got.Label, want)
		}
	}
}

func TestFlagsThatNoMethodUsesAreRefused(t *testing.T) {
	const clip, bayes = "clip, which is not trained", "bayesvlm, which passes over the pairs once and descends no loss"
	flags := map[string]bool{ // and whether bayesvlm reads them
		"--epochs=9": false, "--lr=3": false, "--constant": false, "--optimizer=adamw": false, "--warm-up=2": false, "--hidden=9": false,
		"--mask-same-image": false, "--batch=9": true, "--match-lengths": true, "--text-length=9": true,
	}
	for flag, gathers := range flags {
		name, _, _ := strings.Cut(flag, "=")
		for methods, of := range map[string]string{"clip": clip, "bayesvlm": bayes, "clip,bayesvlm": clip + ", nor on " + bayes, "clip,pfe": "", "all": ""} {
			var command Train
			if err := parse(t, &command, "--method", methods, flag); err != nil {
				t.Fatal(err)
			}
			want := ""
			if of != "" && !(gathers && methods != "clip") {
				want = name + " has no effect on " + of + ": omit it"
			}
			got := ""
			if err := command.recipe.check(command.Method.methods); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s of %s: %q, want %q", flag, methods, got, want)
			}
		}
	}
	for arguments, want := range map[string]string{
		"--method elip,clip-ensemble --hidden 64": "--hidden has no effect on elip, whose adapters are half as wide as the embeddings, nor on clip-ensemble, " +
			"whose adapters are half as wide as the embeddings: omit it",
		"--method pcmepp --text-length 9":      "--text-length has no effect on pcmepp, which gives texts length 1: omit it",
		"--method asymvlm-vmf --match-lengths": "--match-lengths has no effect on asymvlm-vmf, which gives images length 1: omit it",
		"--method asymvlm-vmf --text-length 9": "", "--method elip,pfe --hidden 64": "", "--method pcmepp,symvlm --match-lengths": "",
	} {
		var command Train
		if err := parse(t, &command, strings.Fields(arguments)...); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := command.recipe.check(command.Method.methods); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
	if err := (recipe{Epochs: 1}).check([]string{"bayesvlm"}); err != nil {
		t.Errorf("one epoch is what bayesvlm does: %v", err)
	}
	if _, _, err := train(t, t.TempDir(), "--method", "clip", "--epochs", "9"); err == nil || err.Error() != "--epochs has no effect on "+clip+": omit it" {
		t.Errorf("train: error %v", err)
	}
}

// A mask is part of the training, so it is recorded in results and compared when resuming.
func TestMaskedTrainingIsNotResumedUnmasked(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	arguments := []string{"--dataset", "own", "--epochs", "1", "--batch", "100", "--hidden", "8"}
	if _, _, err := train(t, folder, append(arguments, "--mask-same-image")...); err != nil {
		t.Fatal(err)
	}
	stdout, err := eval(t, folder, "--dataset", "own", "--uncer_levels", "5")
	if err != nil || !strings.Contains(stdout, "captions of the same image masked") {
		t.Errorf("%v, output %q", err, stdout)
	}
	text, err := os.ReadFile(filepath.Join(folder, "results", "own", "0", "asymvlm-vmf.json"))
	if err != nil || !bytes.Contains(text, []byte(`"mask_same_image": true`)) {
		t.Errorf("%v, result %s", err, text)
	}
	_, _, err = train(t, folder, append(arguments, "--resume")...)
	if err == nil || !strings.Contains(err.Error(), "\n  mask same image: the checkpoint has true, asked for is false") {
		t.Errorf("error %v", err)
	}
	if _, _, err := train(t, folder, append(arguments, "--mask-same-image", "--method", "probvlm")...); err == nil ||
		!strings.Contains(err.Error(), "probvlm has no wrong pairs") {
		t.Errorf("error %v", err)
	}
}

// Invalid flags for one method of several are reported before anything is trained.
func TestNothingIsTrainedWhenOneMethodCannotBe(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := train(t, folder, "--dataset", "world", "--method", "clip,pfe", "--mask-same-image"); err == nil {
		t.Fatal("pfe was masked")
	}
	if _, err := os.Stat(filepath.Join(folder, "checkpoints")); err == nil {
		t.Error("a checkpoint was written")
	}
}

// Invalid embeddings are reported with file and row.
func TestBadEmbeddingsAreNamedByFileAndRow(t *testing.T) {
	for want, damage := range map[string]func(set *embedding.Set){
		"row 3": func(set *embedding.Set) { clear(set.Texts.Row(3)) },
		"row 5": func(set *embedding.Set) { set.Images.Row(5)[2] = float32(nan()) },
	} {
		folder := t.TempDir()
		ownData(t, folder)
		path := filepath.Join(folder, "embeddings", "own", "train")
		set, err := embedding.ReadSet(path)
		if err != nil {
			t.Fatal(err)
		}
		damage(set)
		name := "text"
		array := set.Texts.Array()
		if want == "row 5" {
			name, array = "image", set.Images.Array()
		}
		file := filepath.Join(path, name+".safetensors")
		if err := embedding.WriteSafetensors(file, &embedding.Safetensors{Arrays: map[string]*embedding.Array{name: array}}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := train(t, folder, "--dataset", "own", "--epochs", "1"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("error %v, want %q and the file in it", err, want)
		}
	}
}

func TestFlagsOfTheDescentThatCannotBeUsedAreRefused(t *testing.T) {
	for flags, want := range map[string]string{
		"--constant --final-rate 0.1":                   "--constant and --final-rate 0.1 both set the final learning rate",
		"--method clip --momentum 0.5":                  "--momentum has no effect on clip",
		"--method pcmepp --momentum 0.5":                "--momentum has no effect on pcmepp, whose optimizer adamw has constants of its own",
		"--method elip --first-temperature 2":           "--first-temperature has no effect on elip, whose loss has no temperature of that kind",
		"--method determ-ft-residual --hidden-layers 2": "--hidden-layers has no effect on determ-ft-residual",
	} {
		_, _, err := train(t, t.TempDir(), append([]string{"--dataset", "world"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", flags, err, want)
		}
	}
	for flag, want := range map[string]string{"--momentum=-1": "--momentum: -1, want a number from 0", "--weight-decay=NaN": "want a number from 0", "--hidden-layers=x": "want an integer of at least 0"} {
		if err := parse(t, &Train{}, flag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
