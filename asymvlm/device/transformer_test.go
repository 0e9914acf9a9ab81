package device

import (
	"math"
	"slices"
	"testing"
)

// spread returns values from −width to width, with some outliers.
func spread(n int, width float32) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = width * float32(math.Sin(float64(i)*1.7+float64(i*i)*0.013))
	}
	return values
}

func TestActivationsAreTheirFormulas(t *testing.T) {
	formulas := map[Activation]func(x float64) float64{
		GELU:      func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) },
		QuickGELU: func(x float64) float64 { return x / (1 + math.Exp(-1.702*x)) },
		TanhGELU: func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		},
		ReLU: func(x float64) float64 { return max(x, 0) },
	}
	for activation, formula := range formulas {
		for _, width := range []float32{1e-3, 1, 8, 100} {
			row := append(spread(1003, width), 0)
			want := slices.Clone(row)
			activation.Apply(row)
			for i, x := range want {
				exact := formula(float64(x))
				if diff := math.Abs(float64(row[i]) - exact); !(diff <= 4e-7*max(1, math.Abs(exact))) {
					t.Errorf("activation %d of %g: %g, want %g", activation, x, row[i], exact)
				}
			}
		}
	}
}

func TestLayerNormHasMeanZeroAndVarianceOne(t *testing.T) {
	for _, n := range []int{1, 3, 8, 384, 769} {
		src := spread(n, 3)
		for i := range src {
			src[i] += 100
		}
		ones, zeros, dst := slices.Repeat([]float32{1}, n), make([]float32, n), make([]float32, n)
		LayerNorm(dst, src, ones, zeros, 1e-12)
		mean, square := 0.0, 0.0
		for _, value := range dst {
			mean += float64(value) / float64(n)
			square += float64(value) * float64(value) / float64(n)
		}
		// The mean of values near 100 is rounded to float32: 4e-6 of a deviation near 2.
		if math.Abs(mean) > 1e-5 || n > 1 && math.Abs(square-1) > 1e-4 {
			t.Errorf("%d values: mean %g, square %g", n, mean, square)
		}
		gain, bias := spread(n, 2), spread(n, 5)
		LayerNorm(src, src, gain, bias, 1e-12) // in place
		for i, value := range src {
			if want := dst[i]*gain[i] + bias[i]; math.Abs(float64(value-want)) > 1e-5 {
				t.Errorf("value %d: %g, want %g", i, value, want)
			}
		}
	}
}

func TestSoftmaxSumsToOneWithoutOverflow(t *testing.T) {
	for _, n := range []int{1, 7, 50, 257} {
		row := spread(n, 1000)
		logits := slices.Clone(row)
		Softmax(row, 0.25)
		sum, total := 0.0, 0.0
		most := float64(slices.Max(logits))
		for _, a := range logits {
			total += math.Exp(0.25 * (float64(a) - most))
		}
		for i, value := range row {
			sum += float64(value)
			want := math.Exp(0.25*(float64(logits[i])-most)) / total
			if math.Abs(float64(value)-want) > 1e-4*want+1e-9 {
				t.Errorf("%d values, value %d: %g, want %g", n, i, value, want)
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%d values: sum %g", n, sum)
		}
	}
}

func TestPackedWeightsGiveTheBitsOfAffine(t *testing.T) {
	for _, cpu := range []*CPU{NewCPU(1), NewCPU(2), newPairsCPU(1, detect()), newPairsCPU(2, detect()), newPairsCPU(1, vectorUnit{})} {
		defer cpu.Close()
		for _, shape := range [][3]int{{1, 5, 3}, {13, 384, 1152}, {50, 300, 40}, {100, 768, 97}} {
			rows, inner, out := shape[0], shape[1], shape[2]
			input := Matrix[float32]{rows, inner, spread(rows*inner, 1)}
			weight := Matrix[float32]{out, inner, spread(out*inner, 2)}
			bias := Bias[float32]{Values: spread(out, 1)}
			want, got := NewMatrix[float32](rows, out), NewMatrix[float32](rows, out)
			packed := cpu.Pack(weight)
			cpu.Affine(want, input, weight, bias)
			cpu.AffinePacked(got, input, packed, bias)
			if !slices.Equal(got.Values, want.Values) {
				t.Errorf("%s, %v: packed weights give other bits", cpu.Name(), shape)
			}
			one := NewMatrix[float32](1, out)
			cpu.AffinePacked(one, input.Top(1), packed, bias)
			if !slices.Equal(one.Values, want.Row(0)) {
				t.Errorf("%s, %v: a row by itself gives other bits", cpu.Name(), shape)
			}
		}
	}
}
