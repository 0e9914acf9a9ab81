package embedding

import (
	"math"
	"strings"
	"testing"
)

// wantError fails unless the error's text contains all parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not contain %q", err, part)
		}
	}
	if strings.Count(err.Error(), "embedding: ") != 1 || !strings.HasPrefix(err.Error(), "embedding: ") {
		t.Errorf("error %q does not begin with the package's name, once", err)
	}
}

// rows returns a matrix of the given rows.
func rows(t *testing.T, values ...[]float64) Matrix {
	t.Helper()
	m, err := MatrixFromRows(values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMatrixRowsAreViews(t *testing.T) {
	m := rows(t, []float64{1, 2, 3}, []float64{4, 5, 6})
	m.Row(1)[2] = 7
	if m.At(1, 2) != 7 || m.RowRange(1, 2).At(0, 2) != 7 {
		t.Error("writing through Row does not change the matrix")
	}
	grown := append(m.Row(0), 9)
	if grown[3] != 9 || m.At(1, 0) != 4 {
		t.Error("appending to a row overwrites the next one")
	}
	m.Clone().Set(0, 0, 5)
	if m.At(0, 0) != 1 {
		t.Error("changing a clone changes the matrix")
	}
	if row := m.Row64(0); len(row) != 3 || row[1] != 2 {
		t.Errorf("Row64 gives %v", row)
	}
}

func TestSelectRowsCopiesInTheGivenOrder(t *testing.T) {
	m := rows(t, []float64{1}, []float64{2}, []float64{3})
	selected := m.SelectRows([]int{2, 0, 2})
	if selected.Rows != 3 || selected.At(0, 0) != 3 || selected.At(1, 0) != 1 || selected.At(2, 0) != 3 {
		t.Errorf("selected %v", selected.Values)
	}
	selected.Set(0, 0, 8)
	if m.At(2, 0) != 3 {
		t.Error("selected rows share values")
	}
}

func TestNormalizedRowsHaveLengthOne(t *testing.T) {
	// In float32, the square of 1e-30 would underflow and that of 1e30 overflow.
	m := rows(t, []float64{3, 4}, []float64{1e-30, 0}, []float64{1e30, 1e30})
	unit, err := m.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	for i, length := range unit.Norms() {
		if math.Abs(length-1) > 1e-7 {
			t.Errorf("row %d has length %g", i, length)
		}
	}
	_, err = rows(t, []float64{1, 0}, []float64{0, 0}).Normalized()
	wantError(t, err, "row 1", "no direction")
}

func TestMatrixCheckNamesTheRow(t *testing.T) {
	m := rows(t, []float64{1, 2}, []float64{3, 4})
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	m.Set(1, 0, float32(math.NaN()))
	wantError(t, m.Check(), "row 1, column 0 is NaN")
	m.Set(1, 0, float32(math.Inf(-1)))
	wantError(t, m.Check(), "row 1, column 0 is -Inf")
	wantError(t, Matrix{Rows: 2, Columns: 2, Values: make([]float32, 3)}.Check(), "2×2 matrix has 3 values")
	_, err := MatrixFromRows([][]float64{{1, 2}, {3}})
	wantError(t, err, "row 1 has 1 values, want 2")
}

// small returns a set that passes its check.
func small(t *testing.T) *Set {
	return &Set{
		Name:          "data/split",
		Images:        rows(t, []float64{1, 0}, []float64{0, 1}, []float64{1, 1}),
		Texts:         rows(t, []float64{1, 0}, []float64{2, 0}, []float64{0, 3}, []float64{4, 4}),
		CaptionImages: []int{0, 2, 1, 0},
		Captions:      []string{"a", "b", "c", "d"},
		CaptionIDs:    []int64{10, 11, 12, 13},
		CaptionTokens: []int{7, 9, 8, 12},
	}
}

func TestSetCheckFindsEveryKindOfDamage(t *testing.T) {
	if err := small(t).Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		damage func(*Set)
		want   string
	}{
		{"no images", func(s *Set) { s.Images = Matrix{} }, "has no images"},
		{"no texts", func(s *Set) { s.Texts = Matrix{} }, "has no texts"},
		{"widths", func(s *Set) { s.Images = NewMatrix(3, 5) }, "images have 5 columns, texts 2"},
		{"table length", func(s *Set) { s.CaptionImages = s.CaptionImages[:3] }, "3 entries for 4 texts"},
		{"table range", func(s *Set) { s.CaptionImages[2] = 3 }, "caption 2 belongs to image 3, but there are 3 images"},
		{"table sign", func(s *Set) { s.CaptionImages[1] = -1 }, "caption 1 belongs to image -1"},
		{"captions", func(s *Set) { s.Captions = s.Captions[:1] }, "1 captions for 4 texts"},
		{"identifiers", func(s *Set) { s.CaptionIDs = s.CaptionIDs[:1] }, "1 caption identifiers for 4 texts"},
		{"tokens", func(s *Set) { s.CaptionTokens = s.CaptionTokens[:2] }, "2 numbers of tokens for 4 texts"},
		{"NaN", func(s *Set) { s.Texts.Set(3, 1, float32(math.NaN())) }, "texts: row 3, column 1 is NaN"},
		{"zero", func(s *Set) { clear(s.Images.Row(1)) }, "images: row 1 is all zeros"},
	} {
		s := small(t)
		c.damage(s)
		t.Run(c.name, func(t *testing.T) { wantError(t, s.Check(), "data/split", c.want) })
	}
}

func TestSelectImagesKeepsTheirCaptions(t *testing.T) {
	s := small(t)
	selected, err := s.SelectImages([]int{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := selected.Check(); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		caption string
		image   int
		first   float32
	}{{"a", 1, 1}, {"b", 0, 2}, {"d", 1, 4}}
	if selected.Texts.Rows != len(want) {
		t.Fatalf("%d texts, want %d", selected.Texts.Rows, len(want))
	}
	for i, w := range want {
		if selected.Captions[i] != w.caption || selected.CaptionImages[i] != w.image || selected.Texts.At(i, 0) != w.first {
			t.Errorf("text %d is %q of image %d", i, selected.Captions[i], selected.CaptionImages[i])
		}
	}
	if selected.CaptionIDs[2] != 13 || selected.CaptionTokens[2] != 12 {
		t.Errorf("identifiers %v, tokens %v", selected.CaptionIDs, selected.CaptionTokens)
	}
	_, err = s.SelectImages([]int{3})
	wantError(t, err, "image 3 selected, but there are 3 images")
	_, err = s.SelectImages([]int{1, 1})
	wantError(t, err, "image 1 selected twice")
}

func TestImageCaptionsInvertTheTable(t *testing.T) {
	captions := small(t).ImageCaptions()
	if len(captions) != 3 || len(captions[0]) != 2 || captions[0][1] != 3 || captions[2][0] != 1 {
		t.Errorf("captions of images: %v", captions)
	}
	if got := small(t).String(); got != "data/split: 3 images, 4 texts, 2 dimensions" {
		t.Errorf("String gives %q", got)
	}
}
