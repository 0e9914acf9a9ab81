package zeroshot

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// TestImageNetTemplatesAreThePublishedOnes compares the SHA-256 of the sorted list, one template
// per line, with that of the list in OpenAI's notebook.
func TestImageNetTemplatesAreThePublishedOnes(t *testing.T) {
	templates := ImageNetTemplates()
	slices.Sort(templates)
	if n := len(slices.Compact(slices.Clone(templates))); n != 80 {
		t.Errorf("%d different templates, want 80", n)
	}
	sum := sha256.Sum256([]byte(strings.Join(templates, "\n")))
	const want = "a8a4822f2921936e2ef07cf2e7a5df69be9532aab2f3f4880156bb03563e2467"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("checksum %s, want %s", got, want)
	}
	for name, set := range TemplateSets() {
		if _, err := Prompts(set, []string{"cat"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPromptFilesGiveOneDataSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prompts.json")
	text := `{"Food": {"classes": ["pie", "soup"], "templates": ["a photo of {}."]}, "Bad": {"classes": ["x"], "templates": ["none"]}}`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := ReadPromptFile(path, "Food")
	if err != nil {
		t.Fatal(err)
	}
	if prompts, err := set.Prompts(); err != nil || !slices.Equal(prompts, []string{"a photo of pie.", "a photo of soup."}) {
		t.Errorf("prompts %q (error %v)", prompts, err)
	}
	for name, want := range map[string]string{"Drinks": `no data set "Drinks", only ["Bad" "Food"]`, "Bad": `"none" has 0 places {}, want one (data set Bad of`} {
		if _, err := ReadPromptFile(path, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := ReadPromptFile(path+"x", "Food"); err == nil {
		t.Error("a file that is not there is no error")
	}
}

func FuzzPromptFiles(f *testing.F) {
	f.Add([]byte(`{"a": {"classes": ["x"], "templates": ["{}"]}}`))
	f.Add([]byte(`{"a": null}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := parsePrompts("file", text, "a")
		if (set == nil) == (err == nil) {
			t.Errorf("set %v with error %v", set, err)
		}
	})
}

// TestDummyCurveGoesThroughNoneOfTheAbove compares the points of the curve with counts, and the
// point at 0 with NoneOfTheAbove.
func TestDummyCurveGoesThroughNoneOfTheAbove(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	positives, negatives := embedding.NewMatrix(50, 5), embedding.NewMatrix(40, 5)
	for _, m := range []embedding.Matrix{positives, negatives} {
		for i := range m.Values {
			m.Values[i] = float32(r.NormFloat64()) // no ties
		}
	}
	labels := make([]int, 50)
	for i := range labels {
		labels[i] = r.IntN(3)
		positives.Values[5*i+labels[i]] += 1.5
	}
	curve, err := RejectByDummies(positives, negatives, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := NoneOfTheAbove(positives, negatives, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for i, p := range curve.Points {
		right, rejected := 0, 0
		for image, label := range labels {
			row := slices.Clone(positives.Row(image))
			row[3] += float32(p.Threshold)
			row[4] += float32(p.Threshold)
			if best(row) == label && float64(slices.Max(row[:3])-slices.Max(positives.Row(image)[3:])) > p.Threshold {
				right++
			}
		}
		for image := range negatives.Rows {
			row := negatives.Row(image)
			if float64(row[best(row[:3])])-float64(slices.Max(row[3:])) < p.Threshold {
				rejected++
			}
		}
		if p.Negative != float64(rejected)/40 || math.Abs(p.Positive-float64(right)/50) > 1./50+1e-12 {
			t.Errorf("%+v, want about %d of 50 and %d of 40", p, right, rejected)
		}
		if i > 0 && curve.Points[i-1].Threshold < 0 && p.Threshold >= 0 {
			seen = true
			if p.Negative != plain.Negative || p.Positive != plain.Positive {
				t.Errorf("at 0 the curve has %+v, the plain rule %+v", p, plain)
			}
		}
	}
	if !seen {
		t.Error("the curve does not pass 0")
	}
	for _, dummies := range []int{0, 5} {
		if _, err := RejectByDummies(positives, negatives, labels, dummies); err == nil {
			t.Errorf("%d dummies are no error", dummies)
		}
	}
	labels[3] = 3
	if _, err := RejectByDummies(positives, negatives, labels, 2); err == nil || !strings.Contains(err.Error(), "label 3 of 3 classes") {
		t.Errorf("error %v", err)
	}
}

func TestExcludedImagesAreLeftOut(t *testing.T) {
	scores := rows(t, []float64{1, 2}, []float64{3, 4}, []float64{5, 6})
	kept, names, err := Without(scores, []string{"bus", "cat", "streetcar"}, NearSynonyms())
	if err != nil || kept.Rows != 1 || !slices.Equal(kept.Values, []float32{3, 4}) || !slices.Equal(names, []string{"cat"}) {
		t.Errorf("kept %+v, %q (error %v)", kept, names, err)
	}
	if _, _, err := Without(scores, nil, nil); err == nil {
		t.Error("no labels are no error")
	}
}
