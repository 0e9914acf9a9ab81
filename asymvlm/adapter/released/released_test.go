package released

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
)

// A reference is what testdata/released/make.py computes with PyTorch for a checkpoint.
type reference struct {
	Images, Texts, Scores, Uncertainty []float64
	Dimension                          int
}

// set returns the pairs of a reference.
func (r reference) set() *embedding.Set {
	matrix := func(values []float64) embedding.Matrix {
		m := embedding.NewMatrix(len(values)/r.Dimension, r.Dimension)
		for i, value := range values {
			m.Values[i] = float32(value)
		}
		return m
	}
	set := &embedding.Set{Name: "released", Images: matrix(r.Images), Texts: matrix(r.Texts)}
	for i := range set.Texts.Rows {
		set.CaptionImages = append(set.CaptionImages, i)
	}
	return set
}

func TestImportedCheckpointsGiveTheScoresOfPyTorch(t *testing.T) {
	for _, method := range []string{adapter.AsymVLMVonMisesFisher, adapter.AsymVLMPowerSpherical, adapter.PFE, adapter.PCMEpp, adapter.ProLIP, adapter.ProbVLM} {
		t.Run(method, func(t *testing.T) {
			path := filepath.Join("testdata", method+".pt")
			text, err := os.ReadFile(filepath.Join("testdata", method+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want reference
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			a, err := Import(path, "")
			if err != nil {
				t.Fatal(err)
			}
			set := want.set()
			scores, err := a.Scores(set)
			if err != nil {
				t.Fatal(err)
			}
			uncertainty, err := a.Uncertainty(set.Texts)
			if err != nil {
				t.Fatal(err)
			}
			shift := float64(scores.Values[0]) - want.Scores[0] // the normalizer is 0 at κ = 0 here
			for i, score := range scores.Values {
				if math.Abs(float64(score)-shift-want.Scores[i]) > 1e-4 {
					t.Errorf("score %d: %g, want %g", i, float64(score)-shift, want.Scores[i])
				}
			}
			for i, u := range uncertainty {
				if math.Abs(u-want.Uncertainty[i]) > 1e-4*want.Uncertainty[i] {
					t.Errorf("uncertainty %d: %g, want %g", i, u, want.Uncertainty[i])
				}
			}
			again := filepath.Join(t.TempDir(), "a.safetensors")
			if err := a.Save(again); err != nil {
				t.Fatal(err)
			}
			loaded, err := adapter.Load(again)
			if err != nil {
				t.Fatal(err)
			}
			if copied, err := loaded.Scores(set); err != nil || copied.Values[1] != scores.Values[1] {
				t.Errorf("scores after Save and Load differ (%v)", err)
			}
		})
	}
}

func TestForeignCheckpointsAreRefusedByName(t *testing.T) {
	dir := "testdata"
	for _, c := range []struct{ file, method, want string }{
		{"pfe.pt", "asymvlm-vmf", `tensor "image_adaptor.logvar.0.bias" does not belong to asymvlm-vmf`},
		{"pfe.pt", "elip", `method "elip", want one of asymvlm-vmf, asymvlm-psd`},
		{"prolip.pt", "pcmepp", "no tensor for the parameter a"},
		{"make.py", "pfe", "make.py"},
		{"missing.pt", "pfe", "missing.pt"},
	} {
		if _, err := Import(filepath.Join(dir, c.file), c.method); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s as %s: error %v, want %q", c.file, c.method, err, c.want)
		}
	}
}
