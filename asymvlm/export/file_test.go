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

	"github.com/parquet-go/parquet-go"

	"gosphere/asymvlm/embedding"
)

var endings = []string{".parquet", ".npy", ".safetensors"}

func TestFilesGiveTheRowsBack(t *testing.T) {
	rows := random(150, 7, 1, rand.NewPCG(1, 2))
	var ids []string
	for i := range 150 {
		ids = append(ids, strings.Repeat("κ", i%3)+string(rune('a'+i%26))) // none empty
	}
	for _, ending := range endings {
		for _, names := range [][]string{nil, ids} {
			path := filepath.Join(t.TempDir(), "rows"+ending)
			err := Write(path, rows, names)
			if ending == ".npy" && names != nil {
				if err == nil || !strings.Contains(err.Error(), "no place for identities") {
					t.Errorf("error %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, gotIDs, err := readBack(path)
			if err != nil {
				t.Fatal(err)
			}
			if got.Rows != 150 || got.Columns != 7 || !slices.Equal(got.Values, rows.Values) || !slices.Equal(gotIDs, names) {
				t.Errorf("%s: %d×%d values and %d identities differ", ending, got.Rows, got.Columns, len(gotIDs))
			}
			if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
				t.Errorf("%s: %d files were written", ending, len(files))
			}
		}
	}
}

// TestStoredRowsRankAsLogLikelihoods compares the ranking by inner products of the rows read back
// with that by ℓ in float64.
func TestStoredRowsRankAsLogLikelihoods(t *testing.T) {
	const dimension, texts, images = 24, 60, 25
	src := rand.NewPCG(3, 4)
	natural, pictures := random(texts, dimension, 2, src), random(images, dimension, 1, src)
	normalizer := normalizers(t, dimension)["paper"]
	rows, err := Texts(natural, normalizer)
	if err != nil {
		t.Fatal(err)
	}
	queries, err := Images(pictures)
	if err != nil {
		t.Fatal(err)
	}
	for _, ending := range endings {
		folder := t.TempDir()
		stored := map[string]embedding.Matrix{}
		for name, m := range map[string]embedding.Matrix{"texts": rows, "images": queries} {
			path := filepath.Join(folder, name+ending)
			if err := Write(path, m, nil); err != nil {
				t.Fatal(err)
			}
			if stored[name], _, err = readBack(path); err != nil {
				t.Fatal(err)
			}
		}
		for i := range images {
			x := pictures.Row64(i)
			norm := math.Sqrt(dot64(x, x))
			ell := func(j int) float64 {
				eta := natural.Row64(j)
				return dot64(eta, x)/norm + normalizer.LogNormalizerShifted(math.Sqrt(dot64(eta, eta)))
			}
			product := func(j int) float64 { return dot64(stored["texts"].Row64(j), stored["images"].Row64(i)) }
			want, got := best(texts, 10, ell), best(texts, 10, product)
			for place := range want {
				if want[place] != got[place] && math.Abs(ell(want[place])-ell(got[place])) > 1e-5 {
					t.Errorf("%s: image %d has %v, want %v", ending, i, got, want)
					break
				}
			}
		}
	}
}

func TestUnfitRowsAndFilesAreErrors(t *testing.T) {
	folder := t.TempDir()
	rows := random(3, 2, 1, rand.NewPCG(5, 6))
	nan := rows.Clone()
	nan.Set(2, 1, float32(math.NaN()))
	unnamed := filepath.Join(folder, "unnamed.safetensors")
	if err := embedding.WriteSafetensors(unnamed, &embedding.Safetensors{Arrays: map[string]*embedding.Array{"x": rows.Array()}}); err != nil {
		t.Fatal(err)
	}
	read := func(path string) error { _, _, err := Read(path); return err }
	for want, err := range map[string]error{
		"ends in none of":             Write(filepath.Join(folder, "a.csv"), rows, nil),
		"2 identities for 3 rows":     Write(filepath.Join(folder, "a.parquet"), rows, []string{"a", "b"}),
		"row 2":                       Write(filepath.Join(folder, "a.npy"), nan, nil),
		"has more than one line":      Write(filepath.Join(folder, "a.safetensors"), rows, []string{"a", "b\nc", "d"}),
		"other.parquet: no such file": read(filepath.Join(folder, "other.parquet")),
		`no tensor "vectors"`:         read(unnamed),
		"b.txt ends in none of":       read(filepath.Join(folder, "b.txt")),
		"absent.npy":                  read(filepath.Join(folder, "absent.npy")),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if files, _ := os.ReadDir(folder); len(files) != 1 {
		t.Errorf("%d files after failed writes, want the 1 of this test", len(files))
	}
}

// readBack is Read, and compares Parquet files with the result of the library's own reader.
func readBack(path string) (embedding.Matrix, []string, error) {
	if filepath.Ext(path) != ".parquet" {
		return Read(path)
	}
	stored, err := parquet.ReadFile[parquetRow](path)
	if err != nil {
		return embedding.Matrix{}, nil, err
	}
	var rows embedding.Matrix
	var ids []string
	for i, row := range stored {
		if row.Row != int64(i) {
			return rows, nil, fmt.Errorf("row %d has the number %d", i, row.Row)
		}
		rows.Values = append(rows.Values, row.Vector...)
		rows.Rows, rows.Columns = i+1, len(row.Vector)
		if row.ID != "" {
			ids = append(ids, row.ID)
		}
	}
	read, names, err := Read(path)
	if err != nil || !slices.Equal(read.Values, rows.Values) || !slices.Equal(names, ids) {
		return rows, nil, fmt.Errorf("Read returns something else than the library (%v)", err)
	}
	return rows, ids, nil
}
