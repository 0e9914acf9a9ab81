package published

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gosphere/internal/testing/golden"
)

// names maps the words of another transcription of the paper to those of this package.
var names = map[string]string{
	"PFE*": "pfe", "PCME++*": "pcmepp", "ProbVLM": "probvlm", "ProLIP": "prolip", "BayesVLM": "bayesvlm", "AsymVLM_vMF": "asymvlm-vmf",
	"AsymVLM_PS": "asymvlm-psd", "CLIP": "clip", "Determ. FT": "determ-ft", "Margin-Based": "clip-margin", "Threshold-Based": "clip-threshold",
	"recall@1": Recall1, "spearman_S": S, "R2": R2, "zero_shot_accuracy": "accuracy", "positive_accuracy": "positives", "negative_accuracy": "negatives",
	"None": "", "CIFAR-10 (positives)": "CIFAR-10 with CIFAR-100", "CIFAR-100 (negatives)": "CIFAR-10 with CIFAR-100",
}

// ours returns this package's word for one of the other transcription.
func ours(word string) string {
	if name, ok := names[word]; ok {
		return name
	}
	return word
}

// TestEveryNumberIsThatOfAnotherTranscription compares with a table that was parsed from two
// renderings of the paper. Tables 1, 2 and 3 repeat the means of A.2, A.5 and A.4, which provides a
// second check of each.
func TestEveryNumberIsThatOfAnotherTranscription(t *testing.T) {
	text, err := os.ReadFile(golden.File(t, "spec/paper_tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	var other struct {
		Records []struct {
			Table, Backbone, Dataset, Method, Metric string
			Direction                                string
			TrainedOn                                string `json:"fine_tuned_on"`
			Prompt                                   string `json:"dummy_prompt"`
			Mean                                     float64
			Std                                      *float64
		}
	}
	if err := json.Unmarshal(text, &other); err != nil {
		t.Fatal(err)
	}
	type key struct{ table, encoder, trained, measured, prompt, method, direction, measure string }
	known := map[key]Number{}
	for _, n := range All() {
		k := key{n.Table, n.Encoder, n.TrainedOn, n.MeasuredOn, n.Prompt, n.Method, n.Direction, n.Measure}
		if n.Direction != "" {
			k.trained = "" // the other table does not repeat it for retrieval
		}
		if _, twice := known[k]; twice {
			t.Errorf("%+v is there twice", k)
		}
		known[k] = n
	}
	seen := 0
	for _, r := range other.Records {
		table := map[string]string{"1": "A.2", "2": "A.5", "3": "A.4"}[r.Table]
		if table == "" {
			table = r.Table
			seen++
		}
		k := key{table, r.Backbone, ours(r.TrainedOn), ours(r.Dataset), r.Prompt, ours(r.Method), r.Direction, ours(r.Metric)}
		n, ok := known[k]
		if !ok {
			t.Errorf("%+v is missing", k)
			continue
		}
		if n.Mean != r.Mean || r.Std != nil && (!n.HasSD || n.SD != *r.Std) || r.Table == table && r.Std == nil && n.HasSD {
			t.Errorf("%+v: %g ± %g, the other has %g", k, n.Mean, n.SD, r.Mean)
		}
	}
	if seen != len(known) {
		t.Errorf("%d numbers, the other transcription has %d", len(known), seen)
	}
}

// TestDeviationsOfSAreThoseOfThePopulation looks for five Spearman correlations of ten levels
// without ties, each −1 + 12k/990, whose mean and standard deviation round to the printed values.
// With the population standard deviation most cells near −1 have a solution, with the sample's few
// do.
func TestDeviationsOfSAreThoseOfThePopulation(t *testing.T) {
	cells := map[[2]int]bool{}
	for _, n := range All() {
		if n.Measure == S && n.SD > 0 && n.Mean < -0.95 {
			cells[[2]int{round(n.Mean), round(n.SD)}] = true
		}
	}
	population, sample := map[[2]int]bool{}, map[[2]int]bool{}
	const most = 14
	for a := range most {
		for b := a; b < most; b++ {
			for c := b; c < most; c++ {
				for d := c; d < most; d++ {
					for e := d; e < most; e++ {
						sum, squares := 0.0, 0.0
						for _, k := range [5]int{a, b, c, d, e} {
							s := -1 + 12*float64(k)/990
							sum, squares = sum+s, squares+s*s
						}
						variance := max(squares/5-sum/5*sum/5, 0)
						population[[2]int{round(sum / 5), round(math.Sqrt(variance))}] = true
						sample[[2]int{round(sum / 5), round(math.Sqrt(variance * 5 / 4))}] = true
					}
				}
			}
		}
	}
	fits := func(possible map[[2]int]bool) (count int) {
		for cell := range cells {
			if possible[cell] {
				count++
			}
		}
		return count
	}
	p, s := fits(population), fits(sample)
	t.Logf("%d cells near −1: %d fit the population's deviation, %d the sample's", len(cells), p, s)
	if !(2*p > len(cells) && p >= 2*s) {
		t.Errorf("of %d cells %d fit the population's deviation and %d the sample's", len(cells), p, s)
	}
}

// round returns a value in thousandths, as the paper prints it.
func round(x float64) int { return int(math.Round(1000 * x)) }

// TestClaimsOfTheTextAgainstItsTables records claims of the text that the tables contradict:
// AsymVLM is not the only strictly monotonic method, nor the best in every S and R².
func TestClaimsOfTheTextAgainstItsTables(t *testing.T) {
	cell := func(dataset, method, direction, measure string) float64 {
		n, ok := Retrieval(CLIP, dataset, method)[[2]string{direction, measure}]
		if !ok {
			t.Errorf("no %s of %s on %s", measure, method, dataset)
		}
		return n.Mean
	}
	if got := cell("MS-COCO", "probvlm", TextToImage, R2); !(got > cell("MS-COCO", "asymvlm-vmf", TextToImage, R2)) && !(cell("MS-COCO", "probvlm", ImageToText, R2) > cell("MS-COCO", "asymvlm-vmf", ImageToText, R2)) {
		t.Errorf("R² of probvlm %g is nowhere above AsymVLM's", got)
	}
	monotonic := 0
	for _, method := range []string{"pfe", "pcmepp", "probvlm", "prolip", "bayesvlm"} {
		for _, dataset := range Datasets() {
			for _, direction := range []string{TextToImage, ImageToText} {
				if cell(dataset, method, direction, S) == -1 {
					monotonic++
				}
			}
		}
	}
	if monotonic < 2 {
		t.Errorf("%d baselines have S = −1, want several", monotonic)
	}
	// Both rank by the same frozen cosines. They differ by the remainder, which is dropped from
	// different ends.
	if a, b := cell("Flickr-30k", "pfe", ImageToText, Recall1), cell("Flickr-30k", "pcmepp", ImageToText, Recall1); a == b || math.Abs(a-b) > 0.0021 {
		t.Errorf("recalls %g and %g of methods that rank alike", a, b)
	}
}

// TestCLIPIsThatOfThePublicTables compares with public results of the same encoders, within the
// spread of prompts and galleries.
func TestCLIPIsThatOfThePublicTables(t *testing.T) {
	public := map[string]float64{"CIFAR-10": 0.8983, "CIFAR-100": 0.6423, "STL-10": 0.9713, "ImageNet-1k": 0.6332}
	for _, n := range All() {
		want, ok := public[n.MeasuredOn]
		if n.Table == "A.4" && n.Method == "clip" && (!ok || math.Abs(n.Mean-want) > 0.0105) {
			t.Errorf("%s: %g, public %g", n.MeasuredOn, n.Mean, want)
		}
	}
	for encoder, want := range map[string][2]float64{CLIP: {0.3044, 0.5012}, SigLIP: {0.4778, 0.6574}} {
		g, ok := GalleryOf(encoder, "MS-COCO")
		if !ok || math.Abs(g.TextToImage-want[0]) > 0.006 || math.Abs(g.ImageToText-want[1]) > 0.006 {
			t.Errorf("%s: %+v, public %g", encoder, g, want)
		}
	}
}

func TestAllGivesEveryCallerItsOwnNumbers(t *testing.T) {
	first := All()
	want := first[0]
	first[0].Mean = 99
	if second := All(); second[0] != want || len(second) != len(first) {
		t.Errorf("%+v after a change of another list, want %+v", second[0], want)
	}
}
