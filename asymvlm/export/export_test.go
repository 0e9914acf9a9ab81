package export

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/sphere"
)

// random returns a matrix of normal deviates.
func random(rows, columns int, scale float64, src rand.Source) embedding.Matrix {
	r := rand.New(src)
	m := embedding.NewMatrix(rows, columns)
	for i := range m.Values {
		m.Values[i] = float32(scale * r.NormFloat64())
	}
	return m
}

// normalizers returns the two normalizers that a von Mises–Fisher adapter may have.
func normalizers(t *testing.T, dimension int) map[string]sphere.Normalizer {
	t.Helper()
	paper, err := sphere.NewPaperNormalizer(dimension)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := sphere.NewVonMisesFisherNormalizer(dimension)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]sphere.Normalizer{"paper": paper, "exact": exact}
}

func TestExportedRowsRankAsLogLikelihoods(t *testing.T) {
	const dimension = 48
	src := rand.NewPCG(1, 2)
	natural, images := random(90, dimension, 1, src), random(70, dimension, 10, src)
	for i := range natural.Rows { // norms from 0.1 to 60, where the normalizer matters
		factor := float32(math.Exp(float64(i%10)*0.7-2.3) / math.Sqrt(dimension))
		for j := range natural.Row(i) {
			natural.Row(i)[j] *= factor
		}
	}
	for name, normalizer := range normalizers(t, dimension) {
		report, err := Check(natural, images, normalizer, 10)
		if err != nil {
			t.Fatal(err)
		}
		if report.Different != 0 || report.Queries != 160 || report.LargestError > 1e-4 {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

// TestRetrievalFindsTheSameItems compares two computations of recall: on a matrix of
// log-likelihoods, and on cosines of rows of equal norm.
func TestRetrievalFindsTheSameItems(t *testing.T) {
	const dimension = 24
	src := rand.NewPCG(3, 4)
	natural, images := random(60, dimension, 1, src), random(30, dimension, 1, src)
	normalizer := normalizers(t, dimension)["exact"]
	unit, err := images.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	scores := embedding.NewMatrix(30, 60)
	for i := range 30 {
		for j := range 60 {
			v, err := sphere.VonMisesFisherFromNatural(natural.Row64(j), nil)
			if err != nil {
				t.Fatal(err)
			}
			scores.Set(i, j, float32(v.LogProb(unit.Row64(i))-normalizer.LogNormalizerAtZero()))
		}
	}
	table := make([]int, 60)
	for j := range table {
		table[j] = j / 2
	}
	want, err := retrieval.Rank(retrieval.FromMatrix(scores), table)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Texts(natural, normalizer)
	if err != nil {
		t.Fatal(err)
	}
	queries, err := Images(images)
	if err != nil {
		t.Fatal(err)
	}
	equal, err := EqualLengths(rows)
	if err != nil {
		t.Fatal(err)
	}
	cosines, err := retrieval.Cosines(AppendZero(queries), equal)
	if err != nil {
		t.Fatal(err)
	}
	got, err := retrieval.Rank(cosines, table)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.ImageToText.Items, want.ImageToText.Items) {
		t.Error("rows of equal length give other lists by cosine than the log-likelihoods")
	}
	norms := equal.Norms()
	if math.Abs(slices.Max(norms)-slices.Min(norms)) > 1e-5*slices.Max(norms) {
		t.Errorf("lengths from %g to %g", slices.Min(norms), slices.Max(norms))
	}
}

func TestCheckSeesAnotherOrder(t *testing.T) {
	r := &Report{}
	exact, wrong := []float64{1, 2, 3}, []float64{3, 2, 1}
	r.add(3, 2, 1e-6, func(i int) (float64, float64) { return exact[i], wrong[i] })
	if r.Different != 1 {
		t.Errorf("report %+v, want a different list", r)
	}
	close := []float64{1, 1 + 1e-7, 0}
	swapped := []float64{1 + 1e-7, 1, 0}
	r.add(3, 2, 1e-6, func(i int) (float64, float64) { return close[i], swapped[i] })
	if r.Different != 1 || r.Rounded != 1 {
		t.Errorf("report %+v, want a difference by rounding", r)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	normalizer := normalizers(t, 3)["paper"]
	natural, images := random(4, 3, 1, rand.NewPCG(5, 6)), random(2, 3, 1, rand.NewPCG(7, 8))
	nan := natural.Clone()
	nan.Set(1, 1, float32(math.NaN()))
	zero := images.Clone()
	clear(zero.Row(1))
	cases := []struct {
		err  error
		want string
	}{
		{second(Texts(random(1, 4, 1, rand.NewPCG(1, 1)), normalizer)), "4 columns, the normalizer 3 dimensions"},
		{second(Texts(nan, normalizer)), "row 1"},
		{second(Images(zero)), "row 1"},
		{second(EqualLengths(nan)), "row 1"},
		{second(Check(natural, images, normalizer, 3)), "lists of 3 among 2 images and 4 texts"},
		{second(Check(natural, random(5, 2, 1, rand.NewPCG(1, 1)), normalizer, 1)), "images have 2 columns, texts 3"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }
