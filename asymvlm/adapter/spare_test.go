package adapter

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/beside"
)

// stopAfter returns a Progress that stops a training after a step.
func stopAfter(step int) Progress {
	return Watch(func(u Update) error {
		if u.Step == step {
			return context.Canceled
		}
		return nil
	})
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestATrainingThatWasStoppedIsNotBegunAgainUnasked(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	whole := mustTrain(t, set, options)
	options.Checkpoint, options.Progress = filepath.Join(t.TempDir(), "a.safetensors"), stopAfter(7)
	if _, err := Train(context.Background(), set, options); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	kept := content(t, options.Checkpoint)
	options.Progress = nil
	_, err := Train(context.Background(), set, options)
	if want := "adapter: " + options.Checkpoint + " holds 7 of 18 steps of this training: continue it with Resume, or start again with Overwrite"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if !bytes.Equal(content(t, options.Checkpoint), kept) {
		t.Fatal("the checkpoint changed")
	}
	options.Overwrite, options.Progress = true, stopAfter(3)
	if a, err := Train(context.Background(), set, options); !errors.Is(err, context.Canceled) || a.History().Steps() != 3 {
		t.Errorf("begun again: %v", err)
	}
	options.Overwrite, options.Resume, options.Progress = false, true, nil
	if a := mustTrain(t, set, options); a.History().Loss[17] != whole.History().Loss[17] {
		t.Error("what was begun again and resumed is another training")
	}
}

func TestATrainingAtItsEndIsReplacedByItsEndOnly(t *testing.T) {
	set, options := checkpoint(t)
	options.Resume, options.CheckpointEvery = false, 1
	kept := content(t, options.Checkpoint)
	options.Progress = stopAfter(10)
	_, err := Train(context.Background(), set, options)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), options.Checkpoint+" holds all steps as before") {
		t.Errorf("error %v", err)
	}
	if !bytes.Equal(content(t, options.Checkpoint), kept) {
		t.Error("ten steps replaced eighteen")
	}
	options.Progress = nil
	mustTrain(t, set, options)
	if !bytes.Equal(content(t, options.Checkpoint), kept) {
		t.Error("the same training over again has other weights")
	}
}

func TestFilesOfOthersAreReplacedOnRequestOnly(t *testing.T) {
	set, options := checkpoint(t)
	options.Resume = false
	encoder := filepath.Join(t.TempDir(), "encoder.safetensors")
	file := &embedding.Safetensors{Arrays: map[string]*embedding.Array{"text_projection": embedding.Float32Array([]float32{1, 2})}}
	if err := embedding.WriteSafetensors(encoder, file); err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"another seed":   {func(o *Options) { o.Seed = 5 }, "holds another training: name another file, or replace it with Overwrite:\n  seed: the checkpoint has 0, asked for is 5"},
		"another method": {func(o *Options) { o.Method = AsymVLMPowerSpherical }, "  method: the checkpoint has asymvlm-vmf, asked for is asymvlm-psd"},
		"an encoder":     {func(o *Options) { o.Checkpoint = encoder }, encoder + `: format "", want "gosphere adapter 2": tensors of something else; name another file`},
	} {
		other := options
		try.change(&other)
		kept := content(t, other.Checkpoint)
		if _, err := Train(context.Background(), set, other); err == nil || !strings.Contains(err.Error(), try.want) {
			t.Errorf("%s: error %v, want %q", name, err, try.want)
		}
		if !bytes.Equal(content(t, other.Checkpoint), kept) {
			t.Errorf("%s: the file changed", name)
		}
		other.Overwrite = true
		mustTrain(t, set, other)
		if a, err := Load(other.Checkpoint); err != nil || a.Options().Seed != other.Seed || a.Method() != other.Method {
			t.Errorf("%s: not replaced on request: %v", name, err)
		}
		if err := os.WriteFile(other.Checkpoint, kept, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoSetIsAnErrorAndNoPanic(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	if _, err := Train(context.Background(), nil, options); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("trained on nil: %v", err)
	}
	a := mustTrain(t, set, options)
	if _, err := a.Evaluate(nil, 2); err == nil || !strings.Contains(err.Error(), "nil set") {
		t.Errorf("evaluated on nil: %v", err)
	}
}

func TestAnAdapterIsPrintedInOneLine(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.LearningRate, options.Progress = 0.01, stopAfter(4)
	a, err := Train(context.Background(), set, options)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if want := "asymvlm-vmf: 16 dimensions, 4 of 18 steps, batch 40, learning rate 0.01, seed 0"; a.String() != want {
		t.Errorf("%s, want %s", a, want)
	}
	clip, err := Train(context.Background(), set, Options{Method: CLIP})
	if want := "clip: 16 dimensions, nothing trained"; err != nil || clip.String() != want {
		t.Errorf("%s, %v, want %s", clip, err, want)
	}
}

// Before its first step a training writes a file of the size of its checkpoint, so the size has to
// be known then.
func TestTheSizeOfACheckpointIsKnownBeforeTheTraining(t *testing.T) {
	for _, method := range []string{AsymVLMVonMisesFisher, ProLIP, ProbVLM} {
		options := smallOptions(method)
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		a := mustTrain(t, smallSet(40, 16), options)
		file := content(t, options.Checkpoint)
		header := int64(8 + binary.LittleEndian.Uint64(file))
		if want, got := a.checkpointBytes(a.History().Steps()), int64(len(file))-header; got < want || got > want+want/8 {
			t.Errorf("%s: the tensors of the checkpoint have %d bytes, expected are %d", method, got, want)
		}
	}
}

func TestATrainingWhoseCheckpointHasNoPlaceDoesNotBegin(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	if file, err := beside.Create(filepath.Join(folder, "try")); err == nil {
		file.Close()
		t.Skip("this user may write everywhere")
	}
	options := smallOptions(AsymVLMVonMisesFisher)
	options.Checkpoint = filepath.Join(folder, "a.safetensors")
	options.Progress = Watch(func(Update) error { t.Error("a step"); return context.Canceled })
	if _, err := Train(context.Background(), smallSet(40, 16), options); err == nil || !strings.Contains(err.Error(), options.Checkpoint) {
		t.Errorf("error %v, want one that names the checkpoint", err)
	}
}
