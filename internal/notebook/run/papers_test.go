//go:build !race

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
)

// TestReproductionsOfOtherPapersRunWithOtherParameters trains for one epoch and checks results that
// depend neither on the training nor on its quality.
func TestReproductionsOfOtherPapersRunWithOtherParameters(t *testing.T) {
	if testing.Short() {
		t.Skip("trains adapters")
	}
	for name, c := range map[string]struct {
		parameters map[string]string
		want       map[string]string // by cell
	}{
		"../elip/table-1-corruption": {
			map[string]string{"data": "world", "methods": `["clip"]`, "strength": "0.5"},
			map[string]string{
				"data":     "noise of 0.5 times the length of an embedding",
				"figure":   "Recall on clean and damaged queries and galleries (bars), 640×400",
				"captions": "natural noise, rate 0.3",
				"errata":   "84 printed scores computed again, 2 differ by more than rounding",
			},
		},
		"../elip/figure-5-uncertainty": {
			map[string]string{"data": "world", "methods": `["elip", "asymvlm-vmf"]`, "epochs": "1"},
			map[string]string{
				"histogram": "Uncertainty of clean and damaged queries (2 panels), 840×300",
				"detection": "largest cosine, untrained  image to text",
				"evidence":  "of all others together", // the cell stops where M/S is not the uncertainty
			},
		},
		"../prolip/table-2-traversal": {
			map[string]string{"methods": `["prolip"]`, "epochs": "1", "levels": "4"},
			map[string]string{
				// The integral, its logarithm by the exact form, and what is printed.
				"inclusion": "-1.92701  -1.92701    -0.88729",
				"traversal": `embeddings alone  root: ""`,
				"matrix":    "heat map of 8 × 32 numbers",
			},
		},
		"../prolip/table-3-prompts": {
			map[string]string{"epochs": "1", "seeds": "[1]", "shots": "[0, 2]", "classes": "5", "templates": "4"},
			map[string]string{"run": "BPRW, K = 2, unit mean", "figure": "(2 panels), 840×300", "confusion": "Plain ensemble, 5 classes of world"},
		},
		"../prolip/figures-5-7-filtering": {
			map[string]string{"data": "world", "beside": "[]", "epochs": "1"},
			map[string]string{
				"length": "world has no lengths of captions: the figure needs caption_tokens.npy",
				"levels": "Uncertainty by level of the hierarchy",
				"filter": "smallest CSD of ProLIP",
			},
		},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			notebook, err := runWith(t, name, c.parameters)
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range c.want {
				if text := cellText(t, notebook, id); !strings.Contains(text, want) {
					t.Errorf("cell %s does not show %q but\n%s", id, want, text)
				}
			}
		})
	}
}

// No notebook computes a number of a table from data that cannot provide it.
func TestReproductionsOfOtherPapersRefuseDataThatLackWhatTheyNeed(t *testing.T) {
	for _, c := range []struct {
		name, cell string
		parameters map[string]string
		want       string
	}{
		{"../elip/table-1-corruption", "data", map[string]string{"data": "embeddings/coco"}, `"embeddings/coco" is neither built in`},
		{"../elip/table-1-corruption", "data", map[string]string{"damaged": "no such folder"}, "no such folder"},
		{"../elip/figure-5-uncertainty", "data", map[string]string{"damaged": "no such folder"}, "no such folder"},
		{"../elip/tables-2-6", "f2c38c67", map[string]string{"data": "no such folder"}, "no such folder"},
		{"../prolip/tables-c3-c6", "96a5378b", map[string]string{"data": "embeddings/coco"}, `"embeddings/coco" is neither built in`},
		{"../prolip/tables-c3-c6", "1cd36265", map[string]string{"epochs": "1", "methods": `["asymvlm-vmf"]`, "quick": "true"}, "compares Gaussians, which only pfe"},
		{"../prolip/table-2-traversal", "data", map[string]string{"data": "scenes_minilm"}, "scenes_minilm has no chains of captions: take world"},
		{"../prolip/table-3-prompts", "data", map[string]string{"data": "scenes_minilm"}, "scenes_minilm has no images to classify: take world"},
	} {
		_, err := runWith(t, c.name, c.parameters)
		var failed *run.CellError
		if !errors.As(err, &failed) || failed.ID != c.cell || !strings.Contains(failed.Evalue, c.want) {
			t.Errorf("%s with %v: %v, want %q", c.name, c.parameters, err, c.want)
		}
	}
}

// parameterNames matches the parameters of every reproduction.
var parameterNames = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^quick := true`), regexp.MustCompile(`(?m)^data := `), regexp.MustCompile(`(?m)^methods? := `),
	regexp.MustCompile(`(?m)^seeds? := `), regexp.MustCompile(`(?m)^device := `),
}

// saysOtherData matches a sentence of every reproduction.
var saysOtherData = regexp.MustCompile(`(?i)(not|neither is) the paper's data`)

// TestReproductionsKeepTheConventions checks the parts common to all reproductions, without running
// them.
func TestReproductionsKeepTheConventions(t *testing.T) {
	paths, err := filepath.Glob("../../../notebooks/reproduction/*/*.ipynb")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d notebooks, %v", len(paths), err)
	}
	index, err := os.ReadFile("../../../notebooks/index.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := notebook.Check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		first, last := notebook.Cells[0], notebook.Cells[len(notebook.Cells)-1]
		for _, want := range []string{"What this notebook does", "**Data.**", "**Time.**"} {
			if first.Type != nbformat.Markdown || !strings.Contains(first.Source, want) {
				t.Errorf("%s: the first cell does not say %q", path, want)
			}
		}
		if versions := notebook.Cells[len(notebook.Cells)-2]; strings.TrimSpace(versions.Source) != "%version" || !strings.HasPrefix(last.Source, "## References\n") {
			t.Errorf("%s does not end with the versions and the references but with %q and %q", path, versions.Source, last.Source)
		}
		tagged, count := 0, 0
		all := ""
		for _, cell := range notebook.Cells {
			all += cell.Source + textOf(cell)
			if cell.HasTag("parameters") {
				tagged++
				for _, want := range parameterNames {
					if !want.MatchString(cell.Source) {
						t.Errorf("%s has no parameter as %v", path, want)
					}
				}
			}
			if cell.Type != nbformat.Code {
				continue
			}
			if count++; cell.ExecutionCount != count {
				t.Errorf("%s: cell %s was not run as number %d", path, cell.ID, count)
			}
			for _, output := range cell.Outputs {
				if output.Type == nbformat.ErrorOutput {
					t.Errorf("%s: cell %s is stored with the error %s", path, cell.ID, output.Evalue)
				}
			}
		}
		if tagged != 1 || !saysOtherData.MatchString(all) {
			t.Errorf("%s has %d cells of parameters, and must say that its data is not the paper's", path, tagged)
		}
		if link := strings.TrimPrefix(filepath.ToSlash(path), "../../../notebooks/"); !strings.Contains(string(index), "("+link+")") {
			t.Errorf("the index does not list %s", link)
		}
	}
}
