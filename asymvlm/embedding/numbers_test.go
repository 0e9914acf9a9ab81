package embedding

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn returns a matrix of normal deviates multiplied by scale.
func drawn(rows, columns int, scale float64) Matrix {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	m := NewMatrix(rows, columns)
	for i := range m.Values {
		m.Values[i] = float32(scale * r.NormFloat64())
	}
	return m
}

func TestDirectionsDoNotDependOnLengths(t *testing.T) {
	for _, columns := range []int{2, 3, 512, 4096} {
		want, err := drawn(5, columns, 1).Normalized()
		if err != nil {
			t.Fatal(err)
		}
		// Powers of two keep the scaled rows exact.
		for _, scale := range []float64{0x1p-120, 0x1p-20, 2, 0x1p100} {
			got, err := drawn(5, columns, scale).Normalized()
			if err != nil {
				t.Fatal(err)
			}
			for i, value := range got.Values {
				if math.Abs(float64(value-want.Values[i])) > 1e-7 {
					t.Fatalf("%d columns, scale %g: value %d is %g, want %g", columns, scale, i, value, want.Values[i])
				}
			}
		}
		for i, length := range want.Norms() {
			// Each value has a relative rounding error of 6e-8.
			if math.Abs(length-1) > 6e-8 {
				t.Errorf("%d columns: row %d has length %.9g", columns, i, length)
			}
		}
	}
}

func TestLengthsAreSummedInDouble(t *testing.T) {
	// In float32 the sum of squares would stop increasing at 2²⁴.
	m := NewMatrix(1, 1<<20)
	for i := range m.Values {
		m.Values[i] = 300
	}
	if got := m.Norms()[0]; got != 300*1024 {
		t.Errorf("length %g, want %d", got, 300*1024)
	}
	smallest := Matrix{Rows: 1, Columns: 1, Values: []float32{math.SmallestNonzeroFloat32}}
	if unit, err := smallest.Normalized(); err != nil || unit.Values[0] != 1 {
		t.Errorf("the smallest number has the direction %v (error %v)", unit.Values, err)
	}
	largest := Matrix{Rows: 1, Columns: 2, Values: []float32{math.MaxFloat32, -math.MaxFloat32}}
	if unit, err := largest.Normalized(); err != nil || math.Abs(float64(unit.Values[1])+math.Sqrt(0.5)) > 1e-7 {
		t.Errorf("the largest numbers have the direction %v (error %v)", unit.Values, err)
	}
}

// TestInt8ErrsByHalfAScale checks the documented errors: half a scale per value, and about 0.7 % of
// the norm of a row.
func TestInt8ErrsByHalfAScale(t *testing.T) {
	for _, columns := range []int{2, 3, 384, 4096} {
		m := drawn(40, columns, 5)
		values, scales, err := CompressInt8(m)
		if err != nil {
			t.Fatal(err)
		}
		factors, err := scales.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ExpandInt8(values, scales)
		if err != nil {
			t.Fatal(err)
		}
		parts := 0.0
		for i, length := range m.Norms() {
			square := 0.0
			for j, value := range m.Row(i) {
				off := math.Abs(float64(back.At(i, j) - value))
				if off > float64(factors[i])/2*1.0001 {
					t.Fatalf("%d columns: row %d, column %d is off by %g of a scale of %g", columns, i, j, off, factors[i])
				}
				square += off * off
			}
			parts += math.Sqrt(square) / length / 40
		}
		if columns == 384 && (parts < 0.005 || parts > 0.01) {
			t.Errorf("the error is %g of a row's length, the text says about 0.007", parts)
		}
		// Compressing the expanded values again must reproduce the stored ones.
		again, scalesAgain, err := CompressInt8(back)
		if err != nil || !slices.Equal(again.Data, values.Data) {
			t.Errorf("%d columns: compressed twice gives other numbers (error %v)", columns, err)
		}
		if other, _ := scalesAgain.Float32s(); math.Abs(float64(other[0]/factors[0])-1) > 1e-6 {
			t.Errorf("%d columns: scale %g, and then %g", columns, factors[0], other[0])
		}
	}
}

func TestIntegersOfEveryTypeAreExact(t *testing.T) {
	for _, c := range []struct {
		stored string
		values any
		want   []int64
	}{
		{"I8", []int8{-128, 127}, []int64{-128, 127}}, {"U8", []uint8{0, 255}, []int64{0, 255}},
		{"I16", []int16{-32768, 32767}, []int64{-32768, 32767}}, {"U16", []uint16{0, 65535}, []int64{0, 65535}},
		{"I32", []int32{math.MinInt32, math.MaxInt32}, []int64{math.MinInt32, math.MaxInt32}},
		{"U32", []uint32{0, math.MaxUint32}, []int64{0, math.MaxUint32}},
		{"I64", []int64{math.MinInt64, math.MaxInt64}, []int64{math.MinInt64, math.MaxInt64}},
		{"U64", []uint64{1<<53 + 1, math.MaxInt64}, []int64{1<<53 + 1, math.MaxInt64}},
		{"F32", []float32{-0, 1 << 24}, []int64{0, 1 << 24}}, {"F64", []float64{-(1 << 53), 1 << 53}, []int64{-(1 << 53), 1 << 53}},
	} {
		array := &Array{Type: c.stored, Shape: []int{2}, Data: littleEndian(t, c.values)}
		if got, err := array.Int64s(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d (error %v)", c.stored, got, c.want, err)
		}
	}
	_, err := Float64Array([]float64{1, 0x1p53 + 2}).Int64s()
	wantError(t, err, "element 1 is 9.007199254740994e+15, want an integer")
	_, err = Float64Array([]float64{math.Inf(1)}).Int64s()
	wantError(t, err, "element 0 is +Inf")
}

func TestSelectionsCompose(t *testing.T) {
	set := &Set{Name: "many", Images: drawn(20, 3, 1), Texts: drawn(47, 3, 1)}
	for text := range set.Texts.Rows {
		set.CaptionImages = append(set.CaptionImages, text*7%20)
		set.CaptionIDs = append(set.CaptionIDs, int64(1000+text))
		set.CaptionTokens = append(set.CaptionTokens, text%9)
	}
	first, second := []int{19, 3, 4, 11, 0, 7}, []int{5, 0, 2}
	half, err := set.SelectImages(first)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := half.SelectImages(second)
	if err != nil {
		t.Fatal(err)
	}
	once, err := set.SelectImages([]int{first[5], first[0], first[2]})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(twice.Images.Values, once.Images.Values) || !slices.Equal(twice.Texts.Values, once.Texts.Values) ||
		!slices.Equal(twice.CaptionImages, once.CaptionImages) || !slices.Equal(twice.CaptionIDs, once.CaptionIDs) || !slices.Equal(twice.CaptionTokens, once.CaptionTokens) {
		t.Errorf("%+v, want %+v", twice, once)
	}
	for text, id := range once.CaptionIDs {
		original := int(id - 1000)
		if !slices.Equal(once.Texts.Row(text), set.Texts.Row(original)) ||
			!slices.Equal(once.Images.Row(once.CaptionImages[text]), set.Images.Row(set.CaptionImages[original])) {
			t.Errorf("caption %d came with another text or image", id)
		}
	}
	if empty, err := set.SelectImages(nil); err != nil || empty.Images.Rows != 0 || empty.Texts.Rows != 0 || empty.Check() == nil {
		t.Errorf("no images selected give %v (error %v)", empty, err)
	}
}

// TestFoldsCoverTheSetOnce covers every number of parts.
func TestFoldsCoverTheSetOnce(t *testing.T) {
	set := &Set{Images: drawn(11, 2, 1), Texts: drawn(30, 2, 1)}
	for text := range 30 {
		set.CaptionImages, set.CaptionIDs = append(set.CaptionImages, text%11), append(set.CaptionIDs, int64(text))
	}
	for parts := 2; parts <= 11; parts++ {
		rest, part, err := set.Folds(parts)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for fold := range parts {
			if size := part[fold].Images.Rows; size != 11/parts && size != 11/parts+1 {
				t.Errorf("%d parts: fold %d has %d images", parts, fold, size)
			}
			both := slices.Concat(rest[fold].CaptionIDs, part[fold].CaptionIDs)
			slices.Sort(both)
			if len(slices.Compact(both)) != 30 {
				t.Errorf("%d parts: fold %d and its rest have %d captions", parts, fold, len(both))
			}
			ids = append(ids, part[fold].CaptionIDs...)
		}
		slices.Sort(ids)
		if len(ids) != 30 || len(slices.Compact(ids)) != 30 {
			t.Errorf("%d parts hold %d captions", parts, len(ids))
		}
	}
}
