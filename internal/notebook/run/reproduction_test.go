//go:build !race

package run_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

const reproductions = "../../../notebooks/reproduction/asymvlm"

// runWith runs a reproduction notebook with parameters, all of which it must define.
func runWith(t *testing.T, name string, parameters map[string]string) (*nbformat.Notebook, error) {
	t.Helper()
	notebook, err := nbformat.ReadFile(filepath.Join(reproductions, name+".ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	var list []run.Parameter
	for name, value := range parameters {
		list = append(list, run.Parameter{Name: name, Value: value})
	}
	if unknown, err := run.Inject(notebook, list); err != nil || len(unknown) > 0 {
		t.Fatalf("parameters %q are not defined, %v", unknown, err)
	}
	s := sessiontest.New(t)
	return notebook, run.Run(context.Background(), s, notebook, run.Options{Timeout: 5 * time.Minute})
}

// TestReproductionsRunWithOtherParameters trains for one epoch with one seed and checks results
// that do not depend on the training; make check compares the committed outputs.
func TestReproductionsRunWithOtherParameters(t *testing.T) {
	if testing.Short() {
		t.Skip("trains adapters")
	}
	for name, c := range map[string]struct {
		parameters map[string]string
		want       map[string]string // by cell
	}{
		"table-1-figure-3": {
			map[string]string{"data": `["world"]`, "beside": `["Flickr-30k"]`, "methods": `["pfe", "asymvlm-vmf"]`, "seeds": "[3]", "epochs": "1"},
			map[string]string{
				"train":  "2 trainings done",
				"tables": "This is NOT the paper's data",
				"figure": "Recall@1 by uncertainty level (2 panels), 840×300",
				// The cosines of frozen means need no training.
				"claims": "PFE*, PCME++* and ProLIP keep the encoder's recall  world  text to image  yes",
				"errata": "MS-COCO            image to text  S        PCME++*       -0.996       -0.988      -0.984",
			},
		},
		"table-a3": {
			map[string]string{"methods": `["asymvlm-vmf", "siglip-vmf"]`, "seeds": "[0]", "epochs": "1"},
			map[string]string{"train": "2 trainings done", "tables": "MS-COCO", "figure": "One density, two losses (2 panels), 880×300"},
		},
		"table-2": {
			map[string]string{"methods": `["clip", "asymvlm-vmf"]`, "seeds": "[0]", "epochs": "1"},
			// The classifier by cosines, which is not trained.
			map[string]string{"table": "0.840          0.888", "curves": "None of the above, at every margin (lines, 2 lines), 640×400"},
		},
		"table-3": {
			map[string]string{"methods": `["determ-ft", "asymvlm-vmf", "asymvlm-psd"]`, "seeds": "[1]", "epochs": "1"},
			map[string]string{"table": "0.756  CIFAR-10", "figure": "Zero-shot classification after fine-tuning (bars, 4 lines), 640×400"},
		},
		"figure-4": {
			map[string]string{"data": `["world"]`, "methods": `["asymvlm-vmf", "symvlm"]`, "seeds": "[0]", "epochs": "1"},
			map[string]string{"figure": "Taking the parts of AsymVLM away, on world (3 panels), 960×600", "claims": "SymVLM has much lower recall"},
		},
		"figure-5": {
			map[string]string{"seeds": "[2]", "epochs": "1", "levels": "3"},
			map[string]string{"numbers": "mean of level 2", "length": "length and finding the image", "claims": "longer captions are less uncertain"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			notebook, err := runWith(t, name, c.parameters)
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range c.want {
				// Columns are as wide as their longest text.
				text := strings.Join(strings.Fields(cellText(t, notebook, id)), " ")
				if !strings.Contains(text, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("cell %s does not show %q but\n%s", id, want, text)
				}
			}
		})
	}
}

// TestReproductionsRefuseDataThatLackWhatTheyNeed checks that no notebook computes a number of a
// table from data that cannot provide it.
func TestReproductionsRefuseDataThatLackWhatTheyNeed(t *testing.T) {
	for _, c := range []struct {
		name       string
		parameters map[string]string
		want       string
	}{
		{"table-1-figure-3", map[string]string{"data": `["embeddings/coco"]`, "beside": `["MS-COCO"]`}, `"embeddings/coco" is neither built in`},
		{"table-1-figure-3", map[string]string{"data": `["world"]`}, "beside names 2 sets of the paper for 1 of data"},
		{"table-2", map[string]string{"data": "scenes_minilm"}, "nothing to classify in the encoder of scenes_minilm: name folders"},
		{"table-2", map[string]string{"positives": "cifar10"}, "positives and negatives go together"},
		{"table-3", map[string]string{"data": "scenes_minilm"}, "nothing to classify in the encoder of scenes_minilm: name folders"},
		{"table-3", map[string]string{"besideTasks": `["CIFAR-10"]`}, "besideTasks names 1 columns of the paper for 4 tasks"},
		{"figure-5", map[string]string{"data": "scenes_minilm"}, "no chains of captions in the encoder of scenes_minilm: name a folder"},
		{"figure-5", map[string]string{"lengths": "world"}, "the test captions of world have no caption_tokens.npy"},
	} {
		_, err := runWith(t, c.name, c.parameters)
		var failed *run.CellError
		if !errors.As(err, &failed) || failed.ID != "data" || !strings.Contains(failed.Evalue, c.want) {
			t.Errorf("%s with %v: %v, want %q", c.name, c.parameters, err, c.want)
		}
	}
}
