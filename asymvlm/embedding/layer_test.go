package embedding

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layeredSet returns a set whose embeddings are outputs of last layers with 7 and 5 inputs, the
// images' with a bias.
func layeredSet() *Set {
	source := rand.New(rand.NewPCG(51, 52))
	draw := func(rows, columns int) Matrix {
		m := NewMatrix(rows, columns)
		for i := range m.Values {
			m.Values[i] = float32(source.NormFloat64())
		}
		return m
	}
	set := &Set{Name: "layered", CaptionImages: []int{0, 1, 2, 2, 1, 0},
		ImageLayer: &Layer{Inputs: draw(3, 7), Weights: draw(4, 7), Bias: draw(1, 4).Values},
		TextLayer:  &Layer{Inputs: draw(6, 5), Weights: draw(4, 5)}}
	set.Images, set.Texts = outputsOf(set.ImageLayer), outputsOf(set.TextLayer)
	return set
}

// outputsOf returns the outputs of a layer for its inputs.
func outputsOf(l *Layer) Matrix {
	m, row := NewMatrix(l.Inputs.Rows, l.Weights.Rows), make([]float64, l.Weights.Rows)
	for i := range m.Rows {
		l.Apply(row, l.Inputs.Row(i))
		for j, value := range row {
			m.Set(i, j, float32(value))
		}
	}
	return m
}

func TestLastLayersSurviveTheirFiles(t *testing.T) {
	set, dir := layeredSet(), filepath.Join(t.TempDir(), "coco", "val")
	if err := WriteSet(dir, set); err != nil {
		t.Fatal(err)
	}
	read, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string][2]*Layer{"images": {read.ImageLayer, set.ImageLayer}, "texts": {read.TextLayer, set.TextLayer}} {
		got, want := l[0], l[1]
		if got == nil || !slices.Equal(got.Inputs.Values, want.Inputs.Values) || !slices.Equal(got.Weights.Values, want.Weights.Values) || !slices.Equal(got.Bias, want.Bias) ||
			got.Weights.Columns != want.Weights.Columns {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	// Writing a set without layers to the same folder removes them.
	set.ImageLayer, set.TextLayer = nil, nil
	if err := WriteSet(dir, set); err != nil {
		t.Fatal(err)
	}
	if read, err := ReadSet(dir); err != nil || read.ImageLayer != nil || read.TextLayer != nil {
		t.Errorf("layers %v and %v of an earlier set, %v", read.ImageLayer, read.TextLayer, err)
	}
}

// The projection belongs to the encoder: it may lie next to train and val, as .npy with its bias in
// a separate file.
func TestProjectionsMayLieBesideTheSplits(t *testing.T) {
	set, data := layeredSet(), filepath.Join(t.TempDir(), "coco")
	dir := filepath.Join(data, "val")
	if err := WriteSet(dir, set); err != nil {
		t.Fatal(err)
	}
	for name, array := range map[string]*Array{"image_projection": set.ImageLayer.Weights.Array(), "text_projection": set.TextLayer.Weights.Array(),
		"image_projection_bias": Float32Array(set.ImageLayer.Bias)} {
		if err := WriteNPY(filepath.Join(data, name+".npy"), array); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, name+".safetensors")); err != nil && name != "image_projection_bias" {
			t.Fatal(err)
		}
	}
	read, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read.ImageLayer.Bias, set.ImageLayer.Bias) || read.TextLayer.Bias != nil || read.TextLayer.Weights.Columns != 5 {
		t.Errorf("layers %+v and %+v", read.ImageLayer, read.TextLayer)
	}
	// A projection in the split's folder takes precedence.
	other := set.TextLayer.Weights.Clone()
	stretched := other.Values
	for i := range stretched {
		stretched[i] *= 2
	}
	if err := WriteNPY(filepath.Join(dir, "text_projection.npy"), other.Array()); err != nil {
		t.Fatal(err)
	}
	if read, err = ReadSet(dir); err != nil || !slices.Equal(read.TextLayer.Weights.Values, stretched) {
		t.Errorf("the split's own projection was not taken, %v", err)
	}
}

func TestFoldsAndPartsKeepTheirInputs(t *testing.T) {
	set := layeredSet()
	part, err := set.SelectImages([]int{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Check(); err != nil {
		t.Error(err)
	}
	if part.ImageLayer.Inputs.Rows != 2 || part.TextLayer.Inputs.Rows != 4 || !slices.Equal(part.TextLayer.Inputs.Row(3), set.TextLayer.Inputs.Row(5)) {
		t.Errorf("inputs %+v and %+v", part.ImageLayer.Inputs, part.TextLayer.Inputs)
	}
	rest, parts, err := set.Folds(3)
	if err != nil {
		t.Fatal(err)
	}
	for fold := range parts {
		if err := parts[fold].Check(); err != nil || parts[fold].ImageLayer == nil || rest[fold].TextLayer == nil {
			t.Errorf("fold %d: %v", fold, err)
		}
	}
}

func TestLayersThatDoNotFitAreNamed(t *testing.T) {
	transposed := func(m Matrix) Matrix {
		turned := NewMatrix(m.Columns, m.Rows)
		for i := range m.Rows {
			for j := range m.Columns {
				turned.Set(j, i, m.At(i, j))
			}
		}
		return turned
	}
	nan := float32(0)
	nan /= nan
	for want, change := range map[string]func(*Set){
		"the last layer of the texts is known and that of the images is not": func(s *Set) { s.ImageLayer = nil },
		"the last layer of the images is known and that of the texts is not": func(s *Set) { s.TextLayer = nil },
		"images: 2 rows of features for 3 embeddings":                        func(s *Set) { s.ImageLayer.Inputs = s.ImageLayer.Inputs.RowRange(0, 2) },
		"texts: features have 5 columns and embeddings 4, so the projection is 4×5, not 5×4; transpose it": func(s *Set) {
			s.TextLayer.Weights = transposed(s.TextLayer.Weights)
		},
		"texts: features have 5 columns and embeddings 4, so the projection is 4×5, not 3×5": func(s *Set) { s.TextLayer.Weights = s.TextLayer.Weights.RowRange(0, 3) },
		"images: the projection's bias has 3 numbers, the embeddings have 4 columns":         func(s *Set) { s.ImageLayer.Bias = s.ImageLayer.Bias[:3] },
		"images: features: row 1, column 2 is NaN":                                           func(s *Set) { s.ImageLayer.Inputs.Set(1, 2, nan) },
		"images: the projection's bias: row 0, column 1 is NaN":                              func(s *Set) { s.ImageLayer.Bias[1] = nan },
		"texts: features: row 3": func(s *Set) { clear(s.TextLayer.Inputs.Row(3)) },
		"texts: row 2: the projection of its features has the cosine ":  func(s *Set) { s.Texts.Row(2)[1] += 5 },
		"images: row 0: the projection of its features has the cosine ": func(s *Set) { s.ImageLayer.Bias = nil },
	} {
		set := layeredSet()
		change(set)
		if err := set.Check(); err == nil || !strings.HasPrefix(err.Error(), "embedding: layered: "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	// The shape of square weights does not reveal whether they are transposed.
	set := layeredSet()
	set.TextLayer = &Layer{Inputs: NewMatrix(6, 4), Weights: NewMatrix(4, 4)}
	for i := range set.TextLayer.Weights.Values {
		set.TextLayer.Weights.Values[i] = float32(i * i % 7)
	}
	for i := range set.TextLayer.Inputs.Values {
		set.TextLayer.Inputs.Values[i] = float32(i%5) - 1
	}
	set.Texts = outputsOf(set.TextLayer)
	set.TextLayer.Weights = transposed(set.TextLayer.Weights)
	if err := set.Check(); err == nil || !strings.HasSuffix(err.Error(), "With the projection transposed it is 1.0000.") {
		t.Errorf("error %v", err)
	}
}

func TestFeaturesWithoutAProjectionAreAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "coco", "val")
	if err := WriteSet(dir, layeredSet()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "text_projection.safetensors")); err != nil {
		t.Fatal(err)
	}
	_, err := ReadSet(dir)
	if err == nil || !strings.Contains(err.Error(), "text_features.safetensors is there, and neither beside it nor one folder above is text_projection.npy") {
		t.Errorf("error %v", err)
	}
	if err := WriteNPY(filepath.Join(dir, "text_features.npy"), NewMatrix(1, 1).Array()); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSet(dir); err == nil || !strings.Contains(err.Error(), "has both text_features.npy and text_features.safetensors") {
		t.Errorf("error %v", err)
	}
	// Only the texts have features.
	for _, name := range []string{"image_features.safetensors", "text_features.npy"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteNPY(filepath.Join(dir, "text_projection.npy"), layeredSet().TextLayer.Weights.Array()); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSet(dir); err == nil || !strings.Contains(err.Error(), "the last layer of the texts is known and that of the images is not") {
		t.Errorf("error %v", err)
	}
}

func TestApplyRefusesOtherLengths(t *testing.T) {
	defer func() {
		if problem := recover(); problem != "embedding: 2 inputs and room for 3 outputs, the layer has 5 and 4" {
			t.Errorf("panic %v", problem)
		}
	}()
	layeredSet().TextLayer.Apply(make([]float64, 3), make([]float32, 2))
}
