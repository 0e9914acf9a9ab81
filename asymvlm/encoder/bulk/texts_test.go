package bulk

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder/source"
)

// captioned opens lines "picture,caption" without the pictures.
func captioned(t *testing.T, kind, name, text string) *source.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if kind == "folder" {
		path = filepath.Dir(path)
	}
	s, err := source.Open(kind, path, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCaptionsAreEmbeddedAlone(t *testing.T) {
	e := tiny(t)
	s := captioned(t, "captions", "a.txt", "word5 word6\nword7\nword8 word9\n")
	folder := filepath.Join(t.TempDir(), "a")
	o := Options{Encoder: e, Source: s, Folder: folder, Shard: 2, Alone: true}
	for _, resumed := range []int{0, 3} {
		state, err := Run(context.Background(), o)
		if err != nil || state.Captions != 3 {
			t.Fatalf("%d resumed: %+v, %v", resumed, state, err)
		}
	}
	rows, err := embedding.ReadNPY(filepath.Join(folder, "text.npy"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := rows.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Texts(context.Background(), "word8 word9")
	if err != nil || got.Rows != 3 || got.At(2, 1) != want.At(0, 1) {
		t.Errorf("row 2 is %v, want %v (%v)", got.Row(2), want.Row(0), err)
	}
	if _, err := os.Stat(filepath.Join(folder, "image.npy")); err == nil {
		t.Error("there are no pictures")
	}
	o.Alone, o.Folder = false, filepath.Join(t.TempDir(), "b")
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "has no pictures: choose Alone or Scenes") {
		t.Errorf("got %v", err)
	}
}

func TestScenesAreTheMeansOfTheOtherCaptions(t *testing.T) {
	e := tiny(t)
	s := captioned(t, "folder", "captions.txt", "a.jpg\tword5\na.jpg\tword6\na.jpg\tword7\na.jpg\tword8\nb.jpg\tword9\nb.jpg\tword10\nc.jpg\tword11\nc.jpg\tword12\nc.jpg\tword13\n")
	folder := filepath.Join(t.TempDir(), "a/train")
	state, err := Run(context.Background(), Options{Encoder: e, Source: s, Folder: folder, Shard: 2, MostBad: 1, Scenes: 2})
	if err != nil || state.Pictures != 2 || state.Captions != 4 || state.Bad != 1 {
		t.Fatalf("%+v, %v", state, err)
	}
	set, err := embedding.ReadSet(folder)
	if err != nil || strings.Join(set.Captions, " ") != "word5 word6 word11 word12" || set.CaptionImages[3] != 1 {
		t.Fatalf("%+v, %v", set, err)
	}
	others, err := e.Texts(context.Background(), "word7", "word8")
	if err != nil {
		t.Fatal(err)
	}
	norms := others.Norms()
	var mean []float64
	square := 0.0
	for j := range others.Columns {
		v := float64(others.At(0, j))/norms[0] + float64(others.At(1, j))/norms[1]
		mean, square = append(mean, v), square+v*v
	}
	for j, v := range mean {
		if got, want := float64(set.Images.At(0, j)), v/math.Sqrt(square); math.Abs(got-want) > 1e-6 {
			t.Fatalf("column %d of scene 0 is %g, want %g", j, got, want)
		}
	}
	bad, err := os.ReadFile(filepath.Join(folder, "bad.txt"))
	if err != nil || string(bad) != "b.jpg\t2 captions, want at least 3\n" {
		t.Errorf("bad.txt: %q, %v", bad, err)
	}
}
