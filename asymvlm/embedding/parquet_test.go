package embedding

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type parquetText struct {
	Row     int32     `parquet:"row"`
	Caption string    `parquet:"caption"`
	Vector  []float64 `parquet:"vector,list"`
	Image   int64     `parquet:"caption_images"`
}

type parquetImage struct {
	Image []float32 `parquet:"image"`
}

// parquetSet writes a set in Parquet, with the images in two files, and returns its folder.
func parquetSet(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var texts []parquetText
	for i := range 5 {
		texts = append(texts, parquetText{int32(i), fmt.Sprint("caption ", i), []float64{float64(i), 1, 0.5}, int64(i) % 3})
	}
	if err := parquet.WriteFile(filepath.Join(dir, "text.parquet"), texts); err != nil {
		t.Fatal(err)
	}
	for number, rows := range [][]parquetImage{{{[]float32{1, 2, 3}}, {[]float32{4, 5, 6}}}, {{[]float32{7, 8, 9}}}} {
		if err := parquet.WriteFile(filepath.Join(dir, fmt.Sprintf("image_%d.parquet", number)), rows); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSetsAreReadFromParquet(t *testing.T) {
	dir := parquetSet(t)
	for name, read := range map[string]func() (*Set, error){"ReadSet": func() (*Set, error) { return ReadSet(dir) }, "OpenSet": func() (*Set, error) { return OpenSet(dir, 0) }} {
		set, err := read()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(set.Images.Values, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}) || set.Texts.At(4, 0) != 4 || set.Texts.At(4, 2) != 0.5 ||
			!slices.Equal(set.CaptionImages, []int{0, 1, 2, 0, 1}) || set.Captions[3] != "caption 3" {
			t.Errorf("%s: images %v, texts %v, table %v, captions %q", name, set.Images, set.Texts, set.CaptionImages, set.Captions)
		}
	}
}

func TestParquetThatHoldsNoMatrixIsRefused(t *testing.T) {
	dir := parquetSet(t)
	path := filepath.Join(dir, "text.parquet")
	if err := parquet.WriteFile(path, []parquetImage{{[]float32{1, 2, 3}}, {[]float32{1}}}); err != nil {
		t.Fatal(err)
	}
	_, err := ReadSet(dir)
	wantError(t, err, path)
	wantError(t, err, "row 1 has 1 numbers in the column image, row 0 has 3")
	if err := os.WriteFile(path, []byte("PAR1 and no more PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = ReadSet(dir)
	wantError(t, err, path)
	if err := parquet.WriteFile(path, []struct{ Name string }{{"a"}}); err != nil {
		t.Fatal(err)
	}
	_, err = ReadSet(dir)
	wantError(t, err, "no array")
}
