package published

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTablesAreComplete(t *testing.T) {
	count := map[string]int{}
	for _, n := range All() {
		count[n.Table]++
		low := 0.0
		if n.Measure == S {
			low = -1
		}
		// The standard deviation of numbers in an interval is at most half its length.
		if n.Mean < low || n.Mean > 1 || n.SD < 0 || n.SD > (1-low)/2 {
			t.Errorf("%+v: mean or deviation outside its range", n)
		}
	}
	// Seven methods, three data sets, two directions, three measures; nine trained adapters and
	// CLIP on four sets; four methods with three prompts and two rules, positives and negatives.
	for table, want := range map[string]int{"A.2": 126, "A.3": 126, "A.4": 40, "A.5": 28} {
		if count[table] != want {
			t.Errorf("table %s has %d numbers, want %d", table, count[table], want)
		}
	}
}

// The paper's main claim must follow from its numbers: AsymVLM's recall is the highest in both
// directions.
func TestPublishedRecallOfAsymVLMIsTheHighest(t *testing.T) {
	for _, direction := range []string{TextToImage, ImageToText} {
		best := Retrieval(CLIP, "MS-COCO", "asymvlm-vmf")[[2]string{direction, Recall1}].Mean
		for _, method := range []string{"pfe", "pcmepp", "prolip", "probvlm", "bayesvlm"} {
			n, ok := Retrieval(CLIP, "MS-COCO", method)[[2]string{direction, Recall1}]
			if !ok || n.Mean >= best {
				t.Errorf("%s %s: %g, asymvlm-vmf %g", method, direction, n.Mean, best)
			}
		}
	}
}

// Two errata are visible in the numbers: the zero-shot recalls show which direction is which, and
// there is an exception to "the only strictly monotonic method".
func TestErrataShowInTheNumbers(t *testing.T) {
	g, ok := GalleryOf(CLIP, "MS-COCO")
	if !ok || math.Abs(g.TextToImage-0.304) > 1e-9 || math.Abs(g.ImageToText-0.5) > 1e-9 || g.Images != 5000 || g.Texts != 25014 {
		t.Errorf("gallery %+v", g)
	}
	ours := Retrieval(CLIP, "MS-COCO", "asymvlm-vmf")[[2]string{ImageToText, S}]
	theirs := Retrieval(CLIP, "MS-COCO", "pcmepp")[[2]string{ImageToText, S}]
	if !(theirs.Mean < ours.Mean) {
		t.Errorf("S of pcmepp %g, of asymvlm-vmf %g", theirs.Mean, ours.Mean)
	}
}

func TestWhatThePaperDidNotMeasureIsAbsent(t *testing.T) {
	if Retrieval(CLIP, "MS-COCO", "elip") != nil || Retrieval("ResNet", "MS-COCO", "pfe") != nil {
		t.Error("numbers that the paper does not have")
	}
	if _, ok := GalleryOf(CLIP, "scenes_minilm"); ok {
		t.Error("the scenes are in the paper")
	}
	if got := Datasets(); !slices.Equal(got, []string{"MS-COCO", "Flickr-30k", "CC-200k"}) {
		t.Errorf("data sets %q", got)
	}
}

func TestGalleriesAreJudgedBySizeAndZeroShotRecall(t *testing.T) {
	coco := Gallery{Images: 5000, Texts: 25014, TextToImage: 0.3044, ImageToText: 0.5002}
	unknown := coco
	unknown.TextToImage = math.NaN()
	other := coco
	other.ImageToText = 0.52
	for _, c := range []struct {
		dataset string
		seen    Gallery
		paper   bool
		want    string
	}{
		{"MS-COCO", coco, true, "may well be its data"},
		{"MS-COCO", Gallery{Images: 1000, Texts: 5000}, false, "NOT the paper's data: 1000 images and 5000 texts"},
		{"MS-COCO", unknown, false, "is needed to decide"},
		{"MS-COCO", other, false, "NOT the paper's data: its zero-shot Recall@1 is 0.304 (t2i) and 0.520 (i2t)"},
		{"ImageNet", coco, false, "no numbers"},
	} {
		if paper, sentence := Judge(CLIP, c.dataset, c.seen); paper != c.paper || !strings.Contains(sentence, c.want) {
			t.Errorf("%+v: %v, %q, want %q", c.seen, paper, sentence, c.want)
		}
	}
}

func TestNumbersStandBesideEachOther(t *testing.T) {
	n := Find(Number{Table: "A.5", Method: "asymvlm-vmf", Prompt: "a photo", Measure: All()[len(All())-1].Measure})
	if n == nil || n.Table != "A.5" || n.Prompt != "a photo" {
		t.Fatalf("found %+v", n)
	}
	if Find(Number{Method: "elip"}) != nil {
		t.Error("found a method that the paper does not have")
	}
	there := &Number{Mean: 0.392, SD: 0.001, HasSD: true}
	for _, c := range []struct {
		mean  float64
		runs  int
		there *Number
		want  [3]string
	}{
		{0.42, 3, there, [3]string{"0.420\u202f±\u202f0.010", "0.392\u202f±\u202f0.001", "+0.028"}},
		{0.3, 1, &Number{Mean: 0.888}, [3]string{"0.300", "0.888", "-0.588"}},
		{0.3, 1, nil, [3]string{"0.300", "–", "–"}},
		{math.NaN(), 3, there, [3]string{"–", "0.392\u202f±\u202f0.001", "–"}},
	} {
		here, paper, difference := Beside(c.mean, 0.01, c.runs, c.there)
		if got := [3]string{here, paper, difference}; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Tables 1, 2 and 3 repeat the means of the appendix without deviations, and All returns each
// number once.
func TestTablesOfTheMainTextRepeatTheMeansOfTheAppendix(t *testing.T) {
	for name, source := range map[string]string{"1": "A.2", "2": "A.5", "3": "A.4"} {
		list, appendix := Table(name), Table(source)
		if len(list) != len(appendix) || len(list) == 0 {
			t.Fatalf("table %s has %d numbers, %s %d", name, len(list), source, len(appendix))
		}
		for i, n := range list {
			if n.Table != name || n.HasSD || n.SD != 0 || n.Mean != appendix[i].Mean || n.Method != appendix[i].Method || appendix[i].Table != source {
				t.Errorf("%+v repeats %+v", n, appendix[i])
			}
		}
	}
	if slices.ContainsFunc(All(), func(n Number) bool { return len(n.Table) == 1 }) || len(Table("4")) > 0 {
		t.Error("numbers of a table that the appendix does not have")
	}
	if rows := Optimizers(); len(rows) != 4 || rows[1].Optimizer != "AdamW" || rows[1].LearningRate != 1e-4 {
		t.Errorf("table A.1 is %+v", rows)
	}
}
