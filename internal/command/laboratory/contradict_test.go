package laboratory

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// Flags that contradict the method and seed of a checkpoint are rejected.
func TestFlagsThatContradictACheckpointAreRefused(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	if _, _, err := train(t, folder, "--dataset", "own", "--epochs", "1", "--batch", "50", "--hidden", "4", "--seeds", "3", "--method", "pfe"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "checkpoints", "own", "3", "pfe.safetensors")
	run := func(arguments ...string) (string, error) {
		var command Eval
		arguments = append(arguments, "--dataset", "own", "--checkpoint", file, "--embeddings", filepath.Join(folder, "embeddings"),
			"--results", filepath.Join(folder, "results"), "--uncer_levels", "5")
		if err := parse(t, &command, arguments...); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		err := command.run(io.Discard, &stderr)
		return stderr.String(), err
	}
	for arguments, want := range map[string]string{
		"--method pcmepp":                      "--method pcmepp: " + file + " holds pfe; leave --method out",
		"--seeds 4":                            "--seeds 4: " + file + " was trained with seed 3; omit --seeds",
		"":                                     "",
		"--method pfe --seeds 3":               "",
		"--method pfe --seeds 3 --split train": "",
	} {
		told, err := run(strings.Fields(arguments)...)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
		if same := strings.Contains(told, "pfe, seed 3 was trained on these pairs"); same != strings.Contains(arguments, "train") {
			t.Errorf("%s: log %q", arguments, told)
		}
	}
}

func TestFlagsOfResultsAreRefusedBesideAPrintedTable(t *testing.T) {
	for _, flag := range []string{"--dataset world", "--method pfe", "--split train", "--seeds 3", "--published none", "--encoder SigLIP"} {
		var command Table
		if err := parse(t, &command, append(strings.Fields(flag), "--paper", "ELIP", "--number", "4")...); err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(flag, " ")
		if err := command.run(io.Discard); err == nil || err.Error() != name+" selects results, but --paper shows a printed table: omit one of the two" {
			t.Errorf("%s: error %v", flag, err)
		}
	}
	var command Table
	if err := parse(t, &command, "--paper", "ELIP", "--number", "4", "--format", "latex"); err != nil {
		t.Fatal(err)
	}
	if err := command.run(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestATableNamesMethodsWithoutResults(t *testing.T) {
	rows := []tableRow{{method: "clip", runs: []result{{}}, seeds: []uint64{0}}}
	asked := Table{Method: methodList{[]string{"clip", "pfe", "elip"}}, Seeds: seedList{[]uint64{0}}}
	if notes := strings.Join(asked.notes(rows, ""), "\n"); !strings.Contains(notes, "There are no results of pfe, elip.") {
		t.Errorf("notes\n%s", notes)
	}
	asked.Method.methods = adapter.Methods()
	if notes := strings.Join(asked.notes(rows, ""), "\n"); strings.Contains(notes, "no results of") {
		t.Errorf("of all methods the notes are\n%s", notes)
	}
}

func TestAFolderOfEmbeddingsIsDescribedByItself(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	split := filepath.Join(folder, "embeddings", "own", "train")
	for _, e := range []EmbedInfo{{Folder: split, Split: "val"}, {Folder: split, Dataset: "world"}, {Folder: split, sources: sources{folder}}} {
		if err := e.run(io.Discard); err == nil || !strings.HasPrefix(err.Error(), split+" already names the embeddings") {
			t.Errorf("%+v: error %v", e, err)
		}
	}
	if err := (EmbedInfo{Folder: filepath.Join(folder, "world")}).run(io.Discard); err == nil || !strings.HasSuffix(err.Error(), "the built-in data set is --dataset world") {
		t.Errorf("error %v", err)
	}
	pairs := filepath.Join(folder, "pairs.npy")
	set, err := embedding.ReadSet(split)
	if err != nil {
		t.Fatal(err)
	}
	writePairs(t, pairs, set, 20)
	var out strings.Builder
	if err := (EmbedInfo{Folder: pairs}).run(&out); err != nil || !strings.HasPrefix(out.String(), "pairs: 20 images, 20 texts") {
		t.Errorf("%v, output %q", err, out.String())
	}
}

func TestPairsHaveNoSplits(t *testing.T) {
	for split, want := range map[string]bool{"fit": true, "test": true, "train": false, "val": false, "": false} {
		_, err := readDataset("embeddings", "absent.npy", split)
		if err == nil || strings.Contains(err.Error(), "has no splits: omit --split") != want {
			t.Errorf("%q: error %v", split, err)
		}
	}
}

// Unwritable results are reported before hours of cross-validation.
func TestResultsThatCannotBeWrittenAreToldBeforeTheWork(t *testing.T) {
	folder := t.TempDir()
	ownData(t, folder)
	blocked := filepath.Join(folder, "file")
	if err := os.WriteFile(blocked, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(folder, "results", "own", "0", "pfe.folds.json")
	if err := os.MkdirAll(taken, 0o755); err != nil {
		t.Fatal(err)
	}
	for results, want := range map[string]string{
		blocked:                          "cannot write the result to " + filepath.Join(blocked, "own", "0", "pfe.folds.json"),
		filepath.Join(folder, "results"): "the result " + taken + " is a folder",
	} {
		var command Crossval
		if err := parse(t, &command, "--dataset", "own", "--method", "pfe", "--embeddings", filepath.Join(folder, "embeddings"), "--results", results); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		err := command.run(t.Context(), &stdout, &stderr)
		if err == nil || !strings.HasPrefix(err.Error(), want) || stderr.Len() > 0 {
			t.Errorf("error %v, want %s; log %q", err, want, stderr.String())
		}
	}
}
