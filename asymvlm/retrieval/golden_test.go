package retrieval

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// golden returns a reader of the arrays of the reference material, which may lie next to the
// repository, or skips the test.
func golden(t *testing.T) func(name string) []float64 {
	t.Helper()
	for up := ".."; strings.Count(up, "..") <= 3; up += "/.." {
		file := filepath.Join(up, "shared", "golden", "functions.npz")
		if _, err := os.Stat(file); err != nil {
			continue
		}
		arrays, err := embedding.ReadNPZ(file)
		if err != nil {
			t.Fatal(err)
		}
		return func(name string) []float64 {
			t.Helper()
			if arrays[name] == nil {
				t.Fatalf("no array %q", name)
			}
			values, err := arrays[name].Float64s()
			if err != nil {
				t.Fatal(err)
			}
			return values
		}
	}
	t.Skip("the reference file functions.npz is not here")
	return nil
}

// matrix returns a matrix of float32 values.
func matrix(rows, columns int, values []float64) embedding.Matrix {
	m := embedding.NewMatrix(rows, columns)
	for i, value := range values {
		m.Values[i] = float32(value)
	}
	return m
}

// integers converts whole numbers.
func integers(values []float64) []int {
	whole := make([]int, len(values))
	for i, value := range values {
		whole[i] = int(value)
	}
	return whole
}

// near fails if two numbers differ by more than rounding.
func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", name, got, want)
	}
}

func TestReportAgreesWithGoldenArrays(t *testing.T) {
	array := golden(t)
	scores := matrix(43, 187, array("retrieval/scores"))
	report, err := Evaluate(scores, integers(array("retrieval/image_of")), array("retrieval/u_text"), 10)
	if err != nil {
		t.Fatal(err)
	}
	for key, d := range map[string]*Direction{"i2t": &report.ImageToText, "t2i": &report.TextToImage} {
		recall := array("retrieval/recall_" + key)
		near(t, key+" Recall@1", d.Recall1, recall[0])
		near(t, key+" Recall@5", d.Recall5, recall[1])
		near(t, key+" Recall@10", d.Recall10, recall[2])
		for query, top := range integers(array("retrieval/" + key)) {
			if d.Top[query] != top {
				t.Errorf("%s: query %d retrieves %d, want %d", key, query, d.Top[query], top)
			}
		}
		meanU := array("retrieval/levels_" + key + "/mean_u")
		for level, want := range array("retrieval/levels_" + key + "/recall") {
			near(t, key+" level", d.Levels[level], want)
			near(t, key+" mean uncertainty", d.MeanUncertainty[level], meanU[level])
		}
		byIndex, byMean := array("retrieval/levels_"+key+"/by_index"), array("retrieval/levels_"+key+"/by_mean_u")
		near(t, key+" S", d.S, byIndex[0])
		near(t, key+" R²", d.R2, byIndex[1])
		near(t, key+" average", d.Average, byIndex[3])
		near(t, key+" −SR²", d.MinusSR2, -byIndex[0]*byIndex[1])
		s, r2 := d.AgainstUncertainty()
		near(t, key+" S over uncertainty", s, byMean[0])
		near(t, key+" R² over uncertainty", r2, byMean[1])
	}
	near(t, "RSUM", report.RSUM(), array("retrieval/rsum")[0])
}

func TestTiesAgreeWithGoldenArrays(t *testing.T) {
	array := golden(t)
	ranking, err := Rank(FromMatrix(matrix(3, 5, array("ties/scores"))), integers(array("ties/image_of")))
	if err != nil {
		t.Fatal(err)
	}
	for key, r := range map[string]*Ranked{"i2t": &ranking.ImageToText, "t2i": &ranking.TextToImage} {
		for query, top := range integers(array("ties/" + key)) {
			if r.Top(query) != top {
				t.Errorf("%s: query %d retrieves %d, want %d", key, query, r.Top(query), top)
			}
		}
		for k, want := range array("ties/recall_" + key) {
			near(t, key, r.Recall(k+1), want)
		}
	}
}

func TestRunsAndImpactAgreeWithGoldenArrays(t *testing.T) {
	array := golden(t)
	recalls, s, r2 := array("runs/recall"), array("runs/S"), array("runs/R2")
	got := make([]float64, len(s))
	for run := range s {
		levels := recalls[10*run : 10*run+10]
		got[run] = Spearman(indices(10), levels)
		near(t, "S", got[run], s[run])
		near(t, "R²", R2(indices(10), levels), r2[run])
	}
	spread, want := Over(got), array("runs/S_mean_sd")
	near(t, "mean S", spread.Mean, want[0])
	near(t, "sd of S", spread.SD, want[1])
	mmi, err := MMI(array("mmi/r_id")[0], array("mmi/r_ood"))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "MMI", mmi, array("mmi/value")[0])
	near(t, "Spearman with ties", Spearman(array("rank/a_ties"), array("rank/b_ties")), array("rank/spearman_ties")[0])
}
