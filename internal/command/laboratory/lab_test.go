package laboratory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/runtime/printer"
)

// parse parses the flags of one subcommand as the program does.
func parse(t *testing.T, command any, arguments ...string) error {
	t.Helper()
	parser, err := kong.New(command, kong.Exit(func(int) { t.Fatal("kong wants to exit") }))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(arguments)
	return err
}

// train parses flags and trains in a temporary folder.
func train(t *testing.T, folder string, arguments ...string) (stdout, stderr string, err error) {
	t.Helper()
	var command Train
	arguments = append(arguments, "--checkpoints", filepath.Join(folder, "checkpoints"), "--embeddings", filepath.Join(folder, "embeddings"))
	if err := parse(t, &command, arguments...); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err = command.run(context.Background(), &out, &errs)
	return out.String(), errs.String(), err
}

func eval(t *testing.T, folder string, arguments ...string) (string, error) {
	t.Helper()
	var command Eval
	arguments = append(arguments, "--checkpoints", filepath.Join(folder, "checkpoints"), "--embeddings", filepath.Join(folder, "embeddings"),
		"--results", filepath.Join(folder, "results"))
	if err := parse(t, &command, arguments...); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err := command.run(&out, io.Discard)
	return out.String(), err
}

// ownData writes a small data set in the layout of the paper's reference implementation.
func ownData(t *testing.T, folder string) {
	t.Helper()
	set, _, err := builtIn(builtInWorld)
	if err != nil {
		t.Fatal(err)
	}
	for split, from := range map[string]int{"train": 0, "val": 200} {
		images := make([]int, 100)
		for i := range images {
			images[i] = from + i
		}
		small, err := set.SelectImages(images)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "embeddings", "own", split)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := embedding.WriteSet(path, small); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTrainAndEvalUseTheFoldersOfThePapersProgram(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	stdout, stderr, err := train(t, folder, "--dataset", "own", "--method", "asymvlm-psd", "--seed", "3", "--epochs", "2", "--batch", "128")
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := filepath.Join(folder, "checkpoints", "own", "3", "asymvlm-psd.safetensors")
	if _, err := os.Stat(checkpoint); err != nil || !strings.Contains(stdout, checkpoint) {
		t.Errorf("%v; output %q", err, stdout)
	}
	if !strings.Contains(stdout, "own: 2 epochs, batch 128, learning rate 0.1, one hidden layer of 256") || !strings.Contains(stderr, "training asymvlm-psd, 8 steps\n") ||
		!strings.Contains(stderr, "step 8 of 8, epoch 2/2, loss ") {
		t.Errorf("output %q, log %q", stdout, stderr)
	}
	stdout, err = eval(t, folder, "--dataset", "own", "--method", "asymvlm-psd", "--seed", "3", "--uncer_levels", "5")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stdout, "text to image") {
		t.Errorf("output %q", stdout)
	}
	text, err := os.ReadFile(filepath.Join(folder, "results", "own", "3", "asymvlm-psd.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Method != "asymvlm-psd" || r.Seed != 3 || r.Dataset != "own/val" || len(r.Checksum) != 64 || len(r.Training.Checksum) != 64 ||
		r.Checksum == r.Training.Checksum || len(r.T2I.Levels) != 5 || len(r.I2T.MeanUncertainty) != 5 || r.Training.Steps != 8 ||
		r.Images != 100 || r.Texts != 400 || !strings.HasPrefix(r.Device, "cpu (") || !strings.HasPrefix(r.Program, "gosphere ") {
		t.Errorf("result %s", text)
	}
}

func TestZeroShotOfTheBuiltInScenes(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := train(t, folder, "--method", "clip"); err != nil {
		t.Fatal(err)
	}
	stdout, err := eval(t, folder, "--method", "clip")
	if err != nil {
		t.Fatal(err)
	}
	// PyTorch's Recall@1 of the cosines is 0.584.
	if !strings.Contains(stdout, "text to image   0.584") {
		t.Errorf("output %q", stdout)
	}
}

func TestInterruptedTrainingResumes(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var command Train
	if err := parse(t, &command, "--dataset", builtInWorld, "--epochs", "1", "--batch", "1000", "--checkpoints", filepath.Join(folder, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := command.run(ctx, &out, &errs); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "resumes it") {
		t.Fatalf("error %v", err)
	}
	command.Resume = true
	if err := command.run(context.Background(), &out, &errs); err != nil {
		t.Fatal(err)
	}
	a, err := adapter.Load(command.checkpoint(builtInWorld, "asymvlm-vmf", 0))
	if err != nil || a.History().Steps() != 8 {
		t.Errorf("%v", err)
	}
}

func TestWrongFlagsOfTheLaboratoryAreExplained(t *testing.T) {
	folder := t.TempDir()
	for want, arguments := range map[string][]string{
		`split "dev" of scenes_minilm, want train or test`:                                                            {"--split", "dev"},
		"asymvlm-vmf: its loss compares matching pairs with others, and a single pair has no others; want at least 2": {"--batch=1"},
		filepath.Join("embeddings", "coco"):                                                                           {"--dataset", "coco"},
	} {
		if _, _, err := train(t, folder, arguments...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", arguments, err, want)
		}
	}
	if err := parse(t, &Train{}, "--schedule", "fast"); err == nil || !strings.Contains(err.Error(), "--schedule must be one of") {
		t.Errorf("error %v", err)
	}
	if err := parse(t, &Train{}, "--optimizer", "adagrad"); err == nil || !strings.Contains(err.Error(), "--optimizer must be one of") {
		t.Errorf("error %v", err)
	}
	_, err := eval(t, folder, "--method", "asymvlm-psd", "--seed", "9")
	if err == nil || !strings.Contains(err.Error(), "train it with: gosphere train --dataset scenes_minilm --method asymvlm-psd --seeds 9") {
		t.Errorf("error %v", err)
	}
	for want, arguments := range map[string][]string{
		`method "none", want one of asymvlm-vmf`:                            {"--method", "none"},
		`method "clip" is listed twice`:                                     {"--method", "clip,pfe,clip"},
		`seeds "0..", want numbers and ranges`:                              {"--seeds", "0.."},
		`seeds "4..0": want an increasing range`:                            {"--seeds", "4..0"},
		`seeds "0..99999": want an increasing range of at most 10000 seeds`: {"--seeds", "0..99999"},
		`seeds "1,0..2" name 1 twice`:                                       {"--seeds", "1,0..2"},
		`seeds "-1", want numbers`:                                          {"--seeds=-1"},
	} {
		for _, command := range []any{&Train{}, &Eval{}, &Crossval{}, &Table{}} {
			if err := parse(t, command, arguments...); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%T %q: error %v, want %q in it", command, arguments, err, want)
			}
		}
	}
}

func TestSchedulesFollowTheDataSet(t *testing.T) {
	for arguments, want := range map[string]string{
		"--dataset=coco":                           "paper: 200 epochs, batch 2048",
		"--dataset=coco --schedule=reduced":        "reduced: ",
		"--dataset=scenes_minilm":                  "reduced: ",
		"--dataset=scenes_minilm --schedule=paper": "paper: ",
		"--dataset=coco --lr=0.5":                  "own: 200 epochs, batch 2048, learning rate 0.5",
	} {
		var command Train
		if err := parse(t, &command, strings.Fields(arguments)...); err != nil {
			t.Fatal(err)
		}
		options, err := command.options(command.jobs()[0])
		if err != nil || !strings.HasPrefix(options.Label, want) {
			t.Errorf("%s: schedule %q, error %v", arguments, options.Label, err)
		}
	}
}

func TestEmbedInfoDescribesAndWarns(t *testing.T) {
	var out bytes.Buffer
	if err := (EmbedInfo{Dataset: builtInScenes}).run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1000 images, 2000 texts, 384 dimensions", "norm of images    1.000 ± 0.000", "captions          2 per image", "Recall@1 0.584"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "without normalizing") {
		t.Error("a warning about raw texts")
	}
	_, test, err := embedding.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	if test.Texts, err = test.Texts.Normalized(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := embedding.WriteSet(folder, test); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := (EmbedInfo{Folder: folder}).run(&out); err != nil || !strings.Contains(out.String(), "without normalizing") {
		t.Errorf("error %v, output\n%s", err, out.String())
	}
	if err := (EmbedInfo{Dataset: "coco", sources: sources{folder}}).run(&out); err == nil {
		t.Error("a missing folder is no error")
	}
}

func TestBarsMoveAndEndOnTheirLine(t *testing.T) {
	var out bytes.Buffer
	progress := adapter.ShowOn(&terminalBar{printer: printer.New(&out)})
	progress.Begin("training", 3)
	for step := 1; step <= 3; step++ {
		if err := progress.Advance(adapter.Update{Step: step, Steps: 3, Epoch: step, Epochs: 3, Loss: 1}); err != nil {
			t.Fatal(err)
		}
	}
	progress.End(nil)
	if text := out.String(); !strings.Contains(text, "training: 3 of 3 in ") || !strings.Contains(text, "epoch 3/3, loss 1.000") || !strings.HasSuffix(text, "\n") {
		t.Errorf("bar %q", text)
	}
}
