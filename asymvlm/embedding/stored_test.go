package embedding

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// halves returns the bytes of float16 numbers with consecutive bit patterns from first, none of
// them infinite or NaN.
func halves(t *testing.T, first, count int) []byte {
	t.Helper()
	list := make([]uint16, count)
	for i := range list {
		list[i] = uint16(first+i)%0x7bff + 1
	}
	return littleEndian(t, list)
}

// shards returns the files of a set with the images in three files and float32 texts.
func shards(t *testing.T) map[string][]byte {
	t.Helper()
	texts := make([]float32, 14)
	for i := range texts {
		texts[i] = float32(i) - 3.5
	}
	return map[string][]byte{
		"image_0000.npy":        npyBytes("<f2", "False", "(3, 2)", halves(t, 0x3c00, 6)),
		"image_0001.npy":        npyBytes("<f2", "False", "(1, 2)", halves(t, 0, 2)),
		"image_0002.npy":        npyBytes("<f4", "False", "(2, 2)", littleEndian(t, []float32{1, 2, 3, 4})),
		"text.npy":              npyBytes("<f4", "False", "(7, 2)", littleEndian(t, texts)),
		"cap_id_to_img_id.json": []byte(`[0, 1, 2, 3, 4, 5, 5]`),
	}
}

func TestRowsInFilesAreThoseInMemory(t *testing.T) {
	dir := folder(t, shards(t))
	read, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	open, err := OpenSet(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !open.IsStored() || read.IsStored() || open.Images.Rows != 6 || open.Texts.Columns != 2 || open.Images.Values != nil {
		t.Fatalf("%v and %v, %d values", open, read, len(open.Images.Values))
	}
	row := make([]float32, 2)
	for side, rows := range open.Sides() {
		whole := [2]Matrix{read.Images, read.Texts}[side]
		expanded, err := rows.Matrix()
		if err != nil || !slices.Equal(expanded.Values, whole.Values) {
			t.Errorf("side %d: %v, %v, want %v", side, expanded.Values, err, whole.Values)
		}
		for i := range whole.Rows {
			if err := rows.Row(row, i); err != nil || !slices.Equal(row, whole.Row(i)) {
				t.Errorf("side %d, row %d: %v, %v, want %v", side, i, row, err, whole.Row(i))
			}
			for n := range whole.Rows - i + 1 {
				part := NewMatrix(n, 2)
				if err := rows.Read(part, i); err != nil || !slices.Equal(part.Values, whole.RowRange(i, i+n).Values) {
					t.Errorf("side %d, %d rows from %d: %v, %v", side, n, i, part.Values, err)
				}
			}
		}
		norms, err := rows.Norms()
		if err != nil || !slices.Equal(norms, whole.Norms()) {
			t.Errorf("side %d: lengths %v, %v", side, norms, err)
		}
	}
	one, err := open.SelectImages([]int{5, 0})
	if err != nil || one.IsStored() || !slices.Equal(one.Images.Row(0), []float32{3, 4}) || one.Texts.Rows != 3 {
		t.Errorf("selected %v, %v", one, err)
	}
}

func TestASetThatFitsIsReadIntoMemory(t *testing.T) {
	dir := folder(t, shards(t))
	for memory, stored := range map[int64]bool{4*12 + 4*14: false, 4*12 + 4*14 - 1: true} {
		set, err := OpenSet(dir, memory)
		if err != nil || set.IsStored() != stored {
			t.Errorf("with %d bytes: stored %v, %v", memory, set.IsStored(), err)
		}
	}
}

func TestRowsThatCannotStayInFilesAreReadIntoMemory(t *testing.T) {
	for name, image := range map[string][]byte{
		"big-endian": npyBytes(">f4", "False", "(2, 2)", []byte{0x3f, 0x80, 0, 0, 0, 0, 0, 0, 0x3f, 0x80, 0, 0, 0, 0, 0, 0}),
		"by columns": npyBytes("<f4", "True", "(2, 2)", littleEndian(t, []float32{1, 3, 2, 4})),
	} {
		files := plain(t)
		files["image.npy"] = image
		set, err := OpenSet(folder(t, files), 0)
		if err != nil || set.IsStored() || set.Images.At(0, 0) != 1 {
			t.Errorf("%s: %v, %v", name, set, err)
		}
	}
}

func TestEveryFloat16IsReadAsItIs(t *testing.T) {
	data := make([]byte, 2*1<<16)
	for i := range 1 << 16 {
		data[2*i], data[2*i+1] = byte(i), byte(i>>8)
	}
	values := make([]float32, 1<<16)
	widen(values, data, "F16")
	for i, value := range values {
		if want := halfToFloat(uint16(i)); math.Float32bits(value) != math.Float32bits(want) {
			t.Fatalf("float16 %#04x is %g, want %g", i, value, want)
		}
	}
}

func TestAFloat32BecomesTheNearestFloat16(t *testing.T) {
	for i := range 0x7c00 { // every finite number, and points between it and the next
		low, high := float64(halfToFloat(uint16(i))), float64(halfToFloat(uint16(i+1)))
		if i == 0x7bff {
			high = 65536
		}
		even := uint16(i + i&1)
		for value, want := range map[float32]uint16{
			float32(low): uint16(i), float32((low + high) / 2): even,
			math.Nextafter32(float32((low+high)/2), 0): uint16(i), math.Nextafter32(float32((low+high)/2), 1e9): uint16(i + 1),
		} {
			if got := floatToHalf(value); got != want {
				t.Fatalf("%g becomes %#04x, want %#04x", value, got, want)
			}
			if got := floatToHalf(-value); got != want|0x8000 {
				t.Fatalf("%g becomes %#04x, want %#04x", -value, got, want|0x8000)
			}
		}
	}
	m := Matrix{Rows: 2, Columns: 2, Values: []float32{1, -2, 3, 65520}}
	if _, err := m.Float16(); fmt.Sprint(err) != "embedding: row 1, column 1 is 65520, which is no float16" {
		t.Errorf("got %v", err)
	}
	m.Values[3] = 65519
	array, err := m.Float16()
	if err != nil {
		t.Fatal(err)
	}
	if values, err := array.Float32s(); err != nil || !slices.Equal(values, []float32{1, -2, 3, 65504}) {
		t.Errorf("%v, %v", values, err)
	}
}

func TestTheTableMayBeAFileOfItsOwn(t *testing.T) {
	files := shards(t)
	delete(files, "cap_id_to_img_id.json")
	files["caption_images.npy"] = npyBytes("<i4", "False", "(7,)", littleEndian(t, []int32{0, 1, 2, 3, 4, 5, 5}))
	set, err := OpenSet(folder(t, files), 0)
	if err != nil || !slices.Equal(set.CaptionImages, []int{0, 1, 2, 3, 4, 5, 5}) {
		t.Errorf("%v, %v", set, err)
	}
}

func TestFilesOfASetThatDoNotFitAreRefused(t *testing.T) {
	for want, change := range map[string]func(files map[string][]byte){
		"has no file number 1 of image_N.npy, whose numbers go to 2":          func(f map[string][]byte) { delete(f, "image_0001.npy") },
		"has both image.npy and image_0000.npy":                               func(f map[string][]byte) { f["image.npy"] = f["text.npy"] },
		"has both image_N.npy and images_0003.npy":                            func(f map[string][]byte) { f["images_0003.npy"] = f["text.npy"] },
		"image_0001.npy: rows of 3 columns, those of":                         func(f map[string][]byte) { f["image_0001.npy"] = npyBytes("<f2", "False", "(1, 3)", halves(t, 1, 3)) },
		"image_0001.npy: shape [2 2] needs more numbers than the 2 there are": func(f map[string][]byte) { f["image_0001.npy"] = npyBytes("<f2", "False", "(2, 2)", halves(t, 1, 2)) },
		"images: row 3, column 1 is +Inf": func(f map[string][]byte) {
			f["image_0001.npy"] = npyBytes("<f2", "False", "(1, 2)", littleEndian(t, []uint16{1, 0x7c00}))
		},
		"images: row 3 is all zeros": func(f map[string][]byte) {
			f["image_0001.npy"] = npyBytes("<f2", "False", "(1, 2)", littleEndian(t, []uint16{0, 0x8000}))
		},
	} {
		files := shards(t)
		change(files)
		if _, err := OpenSet(folder(t, files), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestWhatWantsRowsInMemorySaysSo(t *testing.T) {
	set, err := OpenSet(folder(t, shards(t)), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, normalized := set.Images.Normalized()
	for what, err := range map[string]error{"Check": set.Texts.Check(), "Normalized": normalized, "WriteSet": WriteSet(t.TempDir(), set)} {
		if err == nil || !strings.Contains(err.Error(), "the rows are left in their files") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestSafetensorsRowsStayInTheirFile(t *testing.T) {
	files := plain(t)
	delete(files, "image.npy")
	files["image.safetensors"] = safetensorsBytes(`{"other":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"image":{"dtype":"BF16","shape":[2,2],"data_offsets":[4,12]}}`,
		append(littleEndian(t, []float32{9}), littleEndian(t, []uint16{0x3f80, 0, 0, 0x4000})...))
	set, err := OpenSet(folder(t, files), 0)
	if err != nil || !set.IsStored() {
		t.Fatalf("%v, %v", set, err)
	}
	m, err := set.StoredImages.Matrix()
	if err != nil || fmt.Sprint(m.Values) != "[1 0 0 2]" {
		t.Errorf("%v, %v", m.Values, err)
	}
}

func FuzzRowsInFilesAgreeWithTheReader(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00"), true)
	f.Add(npyBytes("<f2", "False", "(1, 2)", []byte{0, 60, 0, 64}), true)
	f.Add(safetensorsBytes(`{"image":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}}`, []byte{0, 60, 0, 64}), false)
	f.Fuzz(func(t *testing.T, data []byte, npy bool) {
		path := filepath.Join(t.TempDir(), "image.safetensors")
		if npy {
			path = filepath.Join(filepath.Dir(path), "image.npy")
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		stored, err := OpenStored("image", path)
		if err != nil {
			return
		}
		m, err := stored.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		arrays, err := ReadArrays(path)
		if err != nil {
			t.Fatalf("rows were opened of a file that cannot be read: %v", err)
		}
		for _, array := range arrays {
			if want, err := array.Matrix(); err == nil && len(array.Shape) == 2 && (npy || len(arrays) == 1) &&
				fmt.Sprint(m.Values) != fmt.Sprint(want.Values) {
				t.Errorf("%v, want %v", m.Values, want.Values)
			}
		}
	})
}
