package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		if err == nil || !strings.Contains(err.Error(), file+" holds another training (") || !strings.Contains(err.Error(), "--overwrite") {
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
