package encoder

import (
	"context"
	"image"
	"image/color"
	"path/filepath"
	"slices"
	"testing"
)

func TestARandomModelEncodesTextsAndPictures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := WriteRandom(dir, 1); err != nil {
		t.Fatal(err)
	}
	if err := WriteRandom(dir, 1); err == nil {
		t.Error("a folder that exists was written to")
	}
	e, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	texts, err := e.Texts(context.Background(), "a red circle, 2 squares", "a blue one")
	if err != nil || texts.Rows != 2 || texts.Columns != randomSize || slices.Equal(texts.Row(0), texts.Row(1)) {
		t.Fatalf("%v, %v", texts, err)
	}
	red, blue := image.NewUniform(color.RGBA{255, 0, 0, 255}), image.NewUniform(color.RGBA{0, 0, 255, 255})
	pictures, err := e.Pictures(context.Background(), cropped(red), cropped(blue))
	if err != nil || pictures.Rows != 2 || slices.Equal(pictures.Row(0), pictures.Row(1)) {
		t.Errorf("%v, %v", pictures, err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := WriteRandom(other, 1); err != nil {
		t.Fatal(err)
	}
	same, err := Open(other)
	if err != nil {
		t.Fatal(err)
	}
	defer same.Close()
	if again, err := same.Texts(context.Background(), "a blue one"); err != nil || !slices.Equal(again.Row(0), texts.Row(1)) {
		t.Errorf("the same seed gives other weights (%v)", err)
	}
}

// cropped returns a picture of one color.
func cropped(u *image.Uniform) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		m.Set(i%40, i/40, u.C)
	}
	return m
}
