package export

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/sphere"
)

// TestRowsAreTheTwoTermsOfTheLogLikelihood covers the smallest dimensions and those of encoders,
// for κ from 0 to 1e5.
func TestRowsAreTheTwoTermsOfTheLogLikelihood(t *testing.T) {
	for _, dimension := range []int{2, 3, 512, 4096} {
		for name, normalizer := range normalizers(t, dimension) {
			natural := embedding.NewMatrix(6, dimension)
			kappas := []float64{0, 1e-3, 1, 30, 1e3, 1e5}
			for i, kappa := range kappas {
				natural.Set(i, i%dimension, float32(kappa))
			}
			rows, err := Texts(natural, normalizer)
			if err != nil {
				t.Fatal(err)
			}
			queries, err := Images(random(3, dimension, 7, rand.NewPCG(1, 2)))
			if err != nil {
				t.Fatal(err)
			}
			for i, kappa := range kappas {
				if got := rows.At(i, dimension); got != float32(normalizer.LogNormalizerShifted(float64(float32(kappa)))) || kappa == 0 && got != 0 {
					t.Errorf("%s, d = %d, κ = %g: F is %g", name, dimension, kappa, got)
				}
				if !slices.Equal(rows.Row(i)[:dimension], natural.Row(i)) {
					t.Errorf("%s, d = %d, κ = %g: another natural parameter", name, dimension, kappa)
				}
				if kappa == 0 {
					continue // no direction, which package sphere's constructor rejects
				}
				v, err := sphere.VonMisesFisherFromNatural(natural.Row64(i), nil)
				if err != nil {
					t.Fatal(err)
				}
				for j := range 3 {
					ell := v.LogProb(queries.Row64(j)[:dimension])
					product := dot64(rows.Row64(i), queries.Row64(j))
					exact, err := sphere.NewVonMisesFisherNormalizer(dimension)
					if err != nil {
						t.Fatal(err)
					}
					// In float32 F keeps seven digits, and the error of the paper's normalizer is
					// up to 0.1.
					slack := 1e-6 * (1 + kappa)
					if name == "paper" {
						slack += math.Abs(normalizer.LogNormalizerShifted(kappa) - exact.LogNormalizerShifted(kappa))
					}
					if math.Abs(product-(ell-exact.LogNormalizerAtZero())) > slack {
						t.Errorf("%s, d = %d, κ = %g: product %g, log-likelihood %g", name, dimension, kappa, product, ell-exact.LogNormalizerAtZero())
					}
				}
			}
		}
	}
}

// TestNearestRowsAreTheLikeliest ranks rows of equal norm by Euclidean distance.
func TestNearestRowsAreTheLikeliest(t *testing.T) {
	const dimension = 16
	normalizer := normalizers(t, dimension)["exact"]
	natural := random(50, dimension, 3, rand.NewPCG(3, 4))
	for j := range natural.Row(7) {
		natural.Row(7)[j] = 0 // an uninformative text
	}
	rows, err := Texts(natural, normalizer)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := EqualLengths(rows)
	if err != nil {
		t.Fatal(err)
	}
	queries, err := Images(random(20, dimension, 1, rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	asked := AppendZero(queries)
	for i := range asked.Rows {
		product := func(j int) float64 { return dot64(rows.Row64(j), queries.Row64(i)) }
		distance := func(j int) float64 {
			sum := 0.0
			for k, value := range stored.Row64(j) {
				d := value - float64(asked.At(i, k))
				sum += d * d
			}
			return -sum
		}
		want, got := best(50, 50, product), best(50, 50, distance)
		for place := range want {
			if want[place] != got[place] && math.Abs(product(want[place])-product(got[place])) > 1e-4 {
				t.Fatalf("query %d: %v by distance, %v by likelihood", i, got, want)
			}
		}
	}
	if none, err := EqualLengths(embedding.NewMatrix(0, 3)); err != nil || none.Columns != 4 {
		t.Errorf("no rows give %+v (error %v)", none, err)
	}
}

func TestConcentrationsBeyondFloat32AreErrors(t *testing.T) {
	natural := embedding.NewMatrix(2, 3)
	natural.Set(0, 0, 1)
	for j := range 3 {
		natural.Set(1, j, 3e38) // each is a float32, but the norm is not
	}
	_, err := Texts(natural, normalizers(t, 3)["paper"])
	if err == nil || !strings.HasPrefix(err.Error(), "export: texts: row 1 has κ = 5.196") {
		t.Errorf("error %v", err)
	}
}

func TestChecksLookAtListsOfAnyLength(t *testing.T) {
	normalizer := normalizers(t, 8)["exact"]
	natural, images := random(12, 8, 2, rand.NewPCG(7, 8)), random(12, 8, 1, rand.NewPCG(9, 10))
	for length := 1; length <= 12; length++ {
		report, err := Check(natural, images, normalizer, length)
		if err != nil || report.Different != 0 || report.Queries != 24 {
			t.Errorf("lists of %d: %+v (error %v)", length, report, err)
		}
	}
	// Duplicate texts have equal scores, and the first one wins in both orders.
	twice := embedding.NewMatrix(24, 8)
	for i := range 24 {
		copy(twice.Row(i), natural.Row(i%12))
	}
	if report, err := Check(twice, images, normalizer, 12); err != nil || report.Different != 0 {
		t.Errorf("%+v (error %v)", report, err)
	}
}

func TestBestItemsAreAStableSort(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		n := 1 + r.IntN(20)
		scores, order := make([]float64, n), make([]int, n)
		for i := range scores {
			scores[i], order[i] = float64(r.IntN(6)), i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(scores[b] - scores[a]) })
		length := 1 + r.IntN(n)
		if got := best(n, length, func(i int) float64 { return scores[i] }); !slices.Equal(got, order[:length]) {
			t.Errorf("%v: %v, want %v", scores, got, order[:length])
		}
	}
}

func TestIdentitiesComeBackAsTheyWere(t *testing.T) {
	folder := t.TempDir()
	for i, ids := range [][]string{{}, {""}, {"", ""}, {"a", "", "b"}, {" spaces ", "tab\t", `quote"`, "日本", "\u2028"}, nil} {
		rows := embedding.NewMatrix(len(ids), 2)
		if ids == nil {
			rows = embedding.NewMatrix(3, 2)
		}
		path := filepath.Join(folder, fmt.Sprint(i)+".safetensors")
		if err := Write(path, rows, ids); err != nil {
			t.Fatal(err)
		}
		got, names, err := Read(path)
		if err != nil || !slices.Equal(names, ids) || (names == nil) != (ids == nil) || got.Rows != rows.Rows {
			t.Errorf("%q came back as %q with %d rows (error %v)", ids, names, got.Rows, err)
		}
	}
}

func TestIdentitiesThatNoFormatKeepsAreErrors(t *testing.T) {
	folder, rows := t.TempDir(), random(2, 2, 1, rand.NewPCG(1, 1))
	for _, ending := range []string{".safetensors", ".parquet"} {
		path := filepath.Join(folder, "a"+ending)
		err := Write(path, rows, []string{"good", "bad\xff"})
		if want := fmt.Sprintf(`export: %s is not written: identity 1, "bad\xff", is not UTF-8`, path); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if files, _ := os.ReadDir(folder); len(files) != 0 {
		t.Errorf("%d files were written", len(files))
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "rows.safetensors")
	if err := Write(path, random(5, 4, 1, rand.NewPCG(1, 2)), []string{"a", "b", "c", "d", "e"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for length := 0; length < len(data); length += 3 {
		if err := os.WriteFile(path, data[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if rows, ids, err := Read(path); err == nil || !strings.Contains(err.Error(), path) || rows.Rows != 0 || ids != nil {
			t.Errorf("the first %d of %d bytes give %d rows (error %v)", length, len(data), rows.Rows, err)
		}
	}
	nan := &embedding.Safetensors{Arrays: map[string]*embedding.Array{vectorsName: embedding.Float32Array([]float32{1, 2, float32(math.NaN()), 3}, 2, 2)}}
	few := &embedding.Safetensors{Arrays: map[string]*embedding.Array{vectorsName: embedding.Float32Array([]float32{1, 2}, 2, 1)}, Metadata: map[string]string{idsName: "a\nb\nc"}}
	deep := &embedding.Safetensors{Arrays: map[string]*embedding.Array{vectorsName: embedding.Float32Array([]float32{1, 2}, 1, 1, 2)}}
	for want, file := range map[string]*embedding.Safetensors{"row 1, column 0 is NaN": nan, "3 identities for 2 rows": few, "array of 3 dimensions": deep} {
		if err := embedding.WriteSafetensors(path, file); err != nil {
			t.Fatal(err)
		}
		if rows, ids, err := Read(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) || rows.Rows != 0 || ids != nil {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzIdentities writes arbitrary identifiers, which must be read back unchanged or rejected.
func FuzzIdentities(f *testing.F) {
	f.Add("a", "b")
	f.Add("", "line\nbreak")
	f.Add("\xff", "\r")
	f.Fuzz(func(t *testing.T, first, second string) {
		path := filepath.Join(t.TempDir(), "ids.safetensors")
		err := Write(path, embedding.NewMatrix(2, 1), []string{first, second})
		both := first + second
		if fits := utf8.ValidString(first) && utf8.ValidString(second) && !strings.Contains(both, "\n"); fits != (err == nil) {
			t.Fatalf("%q and %q: error %v", first, second, err)
		}
		if err != nil {
			return
		}
		if _, ids, err := Read(path); err != nil || !slices.Equal(ids, []string{first, second}) {
			t.Fatalf("%q and %q came back as %q (error %v)", first, second, ids, err)
		}
	})
}
