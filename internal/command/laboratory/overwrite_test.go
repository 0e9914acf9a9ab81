package laboratory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/dataset"
)

func TestACheckpointOfAnotherTrainingIsReplacedOnRequestOnly(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	file := filepath.Join(folder, "checkpoints", "own", "0", "asymvlm-vmf.safetensors")
	flags := []string{"--dataset", "own", "--batch", "50", "--hidden", "4", "--epochs"}
	content := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if _, _, err := train(t, folder, append(flags, "2")...); err != nil {
		t.Fatal(err)
	}
	first := content()
	if _, _, err := train(t, folder, append(flags, "2")...); err != nil || content() != first {
		t.Errorf("the same training over again: %v", err)
	}
	for name, arguments := range map[string][]string{"other epochs": append(flags, "1"), "other data": append(flags, "2", "--split", "val")} {
		_, _, err := train(t, folder, arguments...)
		if err == nil || !strings.Contains(err.Error(), file+" contains another training (") || !strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("%s: error %v", name, err)
		}
		if content() != first {
			t.Fatalf("%s: the checkpoint changed", name)
		}
	}
	if _, _, err := train(t, folder, append(flags, "1", "--overwrite")...); err != nil || content() == first {
		t.Errorf("with --overwrite: %v, or the checkpoint is the old one", err)
	}
	if err := os.WriteFile(file, []byte(first[:100]), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := train(t, folder, append(flags, "2")...); err != nil || content() != first {
		t.Errorf("a damaged checkpoint is no loss: %v", err)
	}
}

func TestATrainingThatWasStoppedIsGoneOnWithOrBegunAgainOnRequest(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	set, err := dataset.Open(filepath.Join(folder, "embeddings", "own"))
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"--dataset", "own", "--batch", "50", "--hidden", "4", "--epochs", "2"}
	if _, _, err := train(t, folder, flags...); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "checkpoints", "own", "0", "asymvlm-vmf.safetensors")
	whole, err := adapter.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	options := whole.Options()
	options.Checkpoint, options.Overwrite = file, true
	options.Progress = adapter.Watch(func(adapter.Update) error { return context.Canceled })
	if _, err := adapter.Train(context.Background(), set.Train, options); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, _, err = train(t, folder, flags...)
	want := fmt.Sprintf("%s contains 1 of %d steps of this training: set --resume to continue, or --overwrite to start over", file, whole.History().Steps())
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	for _, leave := range []string{"--resume", "--overwrite"} {
		if _, _, err := train(t, folder, append(flags, leave)...); err != nil {
			t.Errorf("%s: %v", leave, err)
		}
		if a, err := adapter.Load(file); err != nil || a.History().Steps() != whole.History().Steps() {
			t.Errorf("%s: not at its end: %v", leave, err)
		}
	}
}
