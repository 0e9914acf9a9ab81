package laboratory

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gpu/emulated"
	"gosphere/asymvlm/retrieval"
)

// playedCard makes an emulated GPU with a number of bytes, or without a limit for 0, the device of
// the program under a device name.
func playedCard(t *testing.T, name string, limit int) {
	t.Helper()
	if _, err := device.Card(); err == nil {
		t.Skip("this build has a card of its own")
	}
	release, err := emulated.Offer(limit)
	if err != nil {
		t.Fatal(err)
	}
	if err := device.Use(name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Use(device.NameCPU); err != nil {
			t.Error(err)
		}
		release()
		if err := device.Use(""); err != nil {
			t.Error(err)
		}
	})
}

// With the device auto, a training that does not fit on the GPU runs on the CPU as far as necessary
// and reports the reason. With cuda it is an error.
func TestATrainingThatDoesNotFitTheCardSaysWhereItIsDone(t *testing.T) {
	for name, want := range map[string]string{
		device.NameAuto: "asymvlm-vmf is trained on the CPU, with only large matrix products on cuda (emulated card): cuda: the training wants 0.00 GB of emulated card",
		device.NameCUDA: "",
	} {
		folder := t.TempDir()
		ownData(t, folder)
		playedCard(t, name, 20_000)
		_, stderr, err := train(t, folder, "--dataset", "own", "--epochs", "1", "--batch", "20", "--hidden", "8")
		switch {
		case name == device.NameCUDA && (!errors.Is(err, device.ErrMemory) || strings.Contains(stderr, "is trained on")):
			t.Errorf("%s: error %v, log %q", name, err, stderr)
		case name == device.NameAuto && (err != nil || strings.Count(stderr, want) != 1 || !strings.Contains(stderr, "the GPU has too little free memory")):
			t.Errorf("%s: error %v, log %q, want %q", name, err, stderr, want)
		}
	}
}

// Trainings that never run completely on a GPU are reported, and so is --threads, which a GPU does
// not use.
func TestWhatACardDoesNotTakeOfATrainingIsSaid(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	playedCard(t, device.NameCUDA, 0)
	for arguments, want := range map[string]string{
		"--method bayesvlm --batch 20":                                      "bayesvlm is trained on the CPU, with only large matrix products on cuda (emulated card): only methods that minimize a loss train entirely on a GPU\n",
		"--method asymvlm-vmf --epochs 1 --batch 20 --hidden 8 --threads 3": "3 threads ignored: the device cuda (emulated card) does not use CPU threads\n",
	} {
		_, stderr, err := train(t, folder, append([]string{"--dataset", "own"}, strings.Fields(arguments)...)...)
		if err != nil || !strings.Contains(stderr, want) || strings.Count(stderr, "emulated card") != 1 {
			t.Errorf("%s: error %v, log %q, want %q", arguments, err, stderr, want)
		}
	}
}

// An evaluation on a GPU with too little memory is an error with the sizes, not a stack trace.
func TestAnEvaluationThatDoesNotFitTheCardIsASentence(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := train(t, folder, "--dataset", builtInScenes, "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	playedCard(t, device.NameAuto, 20_000)
	_, err := eval(t, folder, "--dataset", builtInScenes, "--method", "clip")
	if want := "clip, seed 0 on scenes_minilm/test: cuda: a product of 512×384×2000 wants"; !errors.Is(err, device.ErrMemory) ||
		!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "the device cpu helps") {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := (EmbedInfo{Dataset: builtInScenes}).run(new(strings.Builder)); !errors.Is(err, device.ErrMemory) {
		t.Errorf("embed-info: error %v", err)
	}
}

// A training that runs on the CPU although a GPU is present reports the reason in one line, and so
// does its result.
func TestTrainingsAndResultsTellWhyACardIsNotUsed(t *testing.T) {
	if _, err := device.Card(); err == nil {
		t.Skip("this build has a card of its own")
	}
	t.Cleanup(func() {
		device.OfferCUDA(nil)
		if err := device.Use(""); err != nil {
			t.Error(err)
		}
	})
	ended, end := context.WithCancel(t.Context())
	end()
	for why, want := range map[string]string{"the card is busy": "GPU not used, running on cpu (", "": ""} {
		device.OfferCUDA(nil)
		if why != "" {
			device.OfferCUDA(func() (device.Device, error) { return nil, errors.New(why) })
		}
		var stdout, stderr strings.Builder
		if err := device.Use("auto"); err != nil {
			t.Fatal(err)
		}
		var train Train
		if err := parse(t, &train, "--dataset", "world", "--method", "asymvlm-vmf", "--checkpoints", t.TempDir()); err != nil {
			t.Fatal(err)
		}
		_ = train.run(ended, &stdout, &stderr) // which trains nothing
		if lines := strings.Count(stderr.String(), "GPU not used"); !strings.HasPrefix(stderr.String(), want) || !strings.Contains(stderr.String(), why) || lines != min(1, len(why)) {
			t.Errorf("a card with the error %q: %q", why, stderr.String())
		}
		stderr.Reset()
		if err := (Eval{selection: train.selection}).run(io.Discard, &stderr); err == nil || !strings.HasPrefix(stderr.String(), want) || strings.Contains(stderr.String(), "card") != (why != "") {
			t.Errorf("an evaluation beside a card with the error %q: %q, %v", why, stderr.String(), err)
		}
		r, err := measured(&embedding.Set{}, adapter.Options{}, &retrieval.Report{})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := json.Marshal(r); err != nil ||
			strings.Contains(string(text), `"gpu_fallback_reason":"`+why+`"`) != (why != "") || strings.Contains(string(text), "gpu_fallback_reason") != (why != "") {
			t.Errorf("a card with the error %q: result %s, error %v", why, text, err)
		}
	}
}
