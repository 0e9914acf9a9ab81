package adapter

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// checkpoint trains a small adapter to completion and returns its set and options, which name the
// file.
func checkpoint(t *testing.T) (*embedding.Set, Options) {
	t.Helper()
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	mustTrain(t, set, options)
	options.Resume = true
	return set, options
}

func TestResumingAFinishedTrainingOnlyLoads(t *testing.T) {
	set, options := checkpoint(t)
	w := &watch{}
	options.Progress = w
	if a := mustTrain(t, set, options); a.History().Steps() != 18 || len(w.updates) != 0 {
		t.Errorf("%d steps, %d of them new", a.History().Steps(), len(w.updates))
	}
}

func TestCheckpointsAreWrittenBetweenEpochs(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.Checkpoint, options.CheckpointEvery = filepath.Join(t.TempDir(), "a.safetensors"), 2
	steps := map[int]int{}
	options.Progress = &watch{advance: func(u Update) error {
		if a, err := Load(options.Checkpoint); err == nil {
			steps[a.History().Steps()]++
		}
		return nil
	}}
	mustTrain(t, set, options)
	// During steps 7 to 12 and 13 to 18 a checkpoint exists; the last is written after the last
	// step.
	if len(steps) != 2 || steps[6] != 6 || steps[12] != 6 {
		t.Errorf("checkpoints seen, by their steps: %v", steps)
	}
	if a, err := Load(options.Checkpoint); err != nil || a.History().Steps() != 18 {
		t.Errorf("last checkpoint: %v", err)
	}
}

func TestResumingAnotherTrainingIsAnError(t *testing.T) {
	set, options := checkpoint(t)
	for name, change := range map[string]func(*Options){
		"seed":   func(o *Options) { o.Seed = 5 },
		"epochs": func(o *Options) { o.Epochs = 7 },
		"method": func(o *Options) { o.Method = AsymVLMPowerSpherical },
	} {
		other := options
		change(&other)
		if _, err := Train(context.Background(), set, other); err == nil || !strings.Contains(err.Error(), "is of another training") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	set.Texts.Values[0]++
	if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "is of another training") {
		t.Errorf("other texts: error %v", err)
	}
}

func TestSavedAdapterCannotBeResumed(t *testing.T) {
	set, options := checkpoint(t)
	if err := mustTrain(t, set, options).Save(options.Checkpoint); err != nil {
		t.Fatal(err)
	}
	_, err := Train(context.Background(), set, options)
	if err == nil || !strings.Contains(err.Error(), `no tensor "velocity/text.0.weight"`) {
		t.Errorf("error %v", err)
	}
}

func TestDamagedCheckpointsAreErrors(t *testing.T) {
	_, options := checkpoint(t)
	good, err := embedding.ReadSafetensors(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.safetensors")
	for want, damage := range map[string]func(file *embedding.Safetensors){
		`format "", want`:           func(f *embedding.Safetensors) { f.Metadata["format"] = "" },
		"metadata: ":                func(f *embedding.Safetensors) { f.Metadata["training"] = "{" },
		`method "", want one of`:    func(f *embedding.Safetensors) { f.Metadata["training"] = "{}" },
		`no tensor "tau"`:           func(f *embedding.Safetensors) { delete(f.Arrays, "tau") },
		"has shape [32], want [16]": func(f *embedding.Safetensors) { f.Arrays["text.4.bias"] = f.Arrays["text.0.bias"] },
		`no tensor "history/loss"`:  func(f *embedding.Safetensors) { delete(f.Arrays, "history/loss") },
		"histories of 18 and 1":     func(f *embedding.Safetensors) { f.Arrays["history/temperature"] = embedding.Float64Array([]float64{1}) },
		`no tensor "text.0.weight"`: func(f *embedding.Safetensors) { delete(f.Arrays, "text.0.weight") },
		"99999999 dimensions": func(f *embedding.Safetensors) {
			f.Metadata["training"] = strings.Replace(f.Metadata["training"], `"dimension":16`, `"dimension":99999999`, 1)
		},
	} {
		file := &embedding.Safetensors{Arrays: map[string]*embedding.Array{}, Metadata: map[string]string{}}
		for name, array := range good.Arrays {
			file.Arrays[name] = array
		}
		for name, value := range good.Metadata {
			file.Metadata[name] = value
		}
		damage(file)
		if err := embedding.WriteSafetensors(path, file); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if err := os.WriteFile(path, []byte("no tensors"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil {
		t.Error("a text was loaded")
	}
}

func TestAdaptersWithNaNAreNotWritten(t *testing.T) {
	set, options := checkpoint(t)
	a := mustTrain(t, set, options)
	a.learner.Parameters()[0].Values[3] = float32(inf())
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := a.Save(path); err == nil || !strings.Contains(err.Error(), "is not written: value 3 of text.0.weight is +Inf") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("a file was written")
	}
}

func TestImpossibleOptionsAreErrors(t *testing.T) {
	set := smallSet(10, 8)
	for want, change := range map[string]func(*Options){
		`adapter: method "none", want one of asymvlm-vmf`:       func(o *Options) { o.Method = "none" },
		"adapter: epochs 0, want at least 1":                    func(o *Options) { o.Epochs = 0 },
		"adapter: batch -1, want at least 1":                    func(o *Options) { o.Batch = -1 },
		"adapter: learning rate NaN, want a number from 0":      func(o *Options) { o.LearningRate = inf() - inf() },
		"adapter: weight decay -1, want a number from 0":        func(o *Options) { o.WeightDecay = -1 },
		"adapter: -1 epochs between checkpoints":                func(o *Options) { o.CheckpointEvery = -1 },
		"adapter: resuming needs the name of a checkpoint":      func(o *Options) { o.Resume = true },
		"adapter: 2 hidden layers of width 0":                   func(o *Options) { o.Hidden = 0 },
		"adapter: -1 hidden layers of width 32":                 func(o *Options) { o.HiddenLayers = -1 },
		"adapter: final rate +Inf, want a number from 0 to 1e6": func(o *Options) { o.FinalRate = inf() },
		"adapter: batches of 1 pair for asymvlm-vmf: its loss compares matching pairs with others, and a single pair has no others; want at least 2": func(o *Options) { o.Batch = 1 },
	} {
		options := smallOptions(AsymVLMVonMisesFisher)
		change(&options)
		if _, err := Train(context.Background(), set, options); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for _, make := range []func(string) (Options, error){PaperOptions, DefaultOptions} {
		if _, err := make("none"); err == nil {
			t.Error("options of an unknown method")
		}
		for _, method := range Methods() {
			if options, err := make(method); err != nil || options.Check() != nil || options.Label == "" {
				t.Errorf("%s: %v, %+v", method, err, options)
			}
		}
	}
}

func TestWrongWidthsAreErrors(t *testing.T) {
	set := smallSet(10, 8)
	for _, method := range []string{CLIP, AsymVLMVonMisesFisher} {
		a := mustTrain(t, set, smallOptions(method))
		wide := embedding.NewMatrix(3, 9)
		if _, err := a.Natural(wide); err == nil || !strings.Contains(err.Error(), "texts have 9 columns, "+method+" was trained on 8") {
			t.Errorf("texts: %v", err)
		}
		if _, err := a.LogLikelihoods(wide, set.Texts); err == nil || !strings.Contains(err.Error(), "images have 9 columns") {
			t.Errorf("images: %v", err)
		}
		if _, err := a.LogLikelihoods(embedding.NewMatrix(2, 8), set.Texts); err == nil {
			t.Error("images without a direction were scored")
		}
	}
	set.Texts.Values[1] = float32(inf())
	if _, err := Train(context.Background(), set, smallOptions(AsymVLMVonMisesFisher)); err == nil {
		t.Error("an infinite text was trained on")
	}
}

func TestHistoryAveragesOverEpochs(t *testing.T) {
	h := History{StepsPerEpoch: 2, Loss: []float64{4, 2, 1, 0, 7}}
	if got := h.Epochs(h.Loss); len(got) != 3 || got[0] != 3 || got[1] != 0.5 || got[2] != 7 {
		t.Errorf("means %v", got)
	}
}

func TestChecksumFollowsValuesAndTable(t *testing.T) {
	set := smallSet(10, 8)
	sum := Checksum(set)
	if other := smallSet(10, 8); Checksum(other) != sum || len(sum) != 64 {
		t.Errorf("checksum %s", sum)
	}
	set.CaptionImages[0] = 1
	if Checksum(set) == sum {
		t.Error("the table does not count")
	}
	set.CaptionImages[0] = 0
	set.Images.Values[5]++
	if Checksum(set) == sum {
		t.Error("the images do not count")
	}
}

// TestEveryFlippedByteOfACheckpointIsAnError flips a bit of each byte of the header and of every
// 97th byte of the tensors.
func TestEveryFlippedByteOfACheckpointIsAnError(t *testing.T) {
	set, options := checkpoint(t)
	whole, err := os.ReadFile(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	header := 8 + int(binary.LittleEndian.Uint64(whole))
	damaged := filepath.Join(t.TempDir(), "damaged.safetensors")
	for at := 0; at < len(whole); at++ {
		if at >= header && at%97 != 0 {
			continue
		}
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		if err := os.WriteFile(damaged, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(damaged); err == nil || !strings.Contains(err.Error(), damaged) {
			t.Fatalf("byte %d of %d, %q: error %v", at, len(whole), whole[max(0, at-20):min(at+20, len(whole))], err)
		}
	}
	options.Checkpoint = damaged
	if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "the file is damaged; nothing can go on from it") {
		t.Errorf("resuming: error %v", err)
	}
}

// TestCheckpointsWithoutAChecksumLoad reads a checkpoint in the format before checksums.
func TestCheckpointsWithoutAChecksumLoad(t *testing.T) {
	set, options := checkpoint(t)
	want := mustTrain(t, set, options)
	file, err := embedding.ReadSafetensors(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	delete(file.Metadata, checksumEntry)
	if err := embedding.WriteSafetensors(options.Checkpoint, file); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(options.Checkpoint); err == nil || !strings.Contains(err.Error(), "no checksum: the file is damaged") {
		t.Errorf("the newest format without a checksum: error %v", err)
	}
	file.Metadata["format"] = unsealedFormat
	if err := embedding.WriteSafetensors(options.Checkpoint, file); err != nil {
		t.Fatal(err)
	}
	got := mustTrain(t, set, options)
	if got.History().Steps() != 18 || !slices.Equal(got.learner.Parameters()[0].Values, want.learner.Parameters()[0].Values) {
		t.Errorf("%d steps, or other parameters", got.History().Steps())
	}
}
