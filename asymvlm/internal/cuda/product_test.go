package cuda_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
)

// Large products run on the GPU, with biases and masks applied afterward; smaller ones do not.
func TestLargeProductsOfAllFormsGoToTheCard(t *testing.T) {
	card := emulate.New()
	ops, err := cuda.New(card)
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	processor := device.NewCPU(1)
	defer processor.Close()
	source := rand.New(rand.NewPCG(1, 2))
	draw := func(rows, columns int) device.Matrix[float32] {
		m := device.NewMatrix[float32](rows, columns)
		for i := range m.Values {
			m.Values[i] = float32(source.NormFloat64())
		}
		return m
	}
	const rows, inner, columns = 301, 700, 650
	left, right := draw(rows, inner), draw(inner, columns)
	leftTurned, rightTurned := draw(inner, rows), draw(columns, inner)
	rectified := draw(rows, columns)
	for i := range rectified.Values {
		rectified.Values[i] = max(0, rectified.Values[i])
	}
	bias := device.Bias[float32]{Values: draw(1, columns).Values, Rectify: true}
	sums := [2][]float32{make([]float32, rows), make([]float32, rows)}
	for i, do := range []func(ops device.Device, dst device.Matrix[float32], sums []float32){
		func(ops device.Device, dst device.Matrix[float32], _ []float32) { ops.Product(dst, left, right) },
		func(ops device.Device, dst device.Matrix[float32], _ []float32) {
			ops.ProductLeftTransposed(dst, leftTurned, right)
		},
		func(ops device.Device, dst device.Matrix[float32], _ []float32) {
			ops.ProductRightTransposed(dst, left, rightTurned)
		},
		func(ops device.Device, dst device.Matrix[float32], _ []float32) {
			ops.Affine(dst, left, rightTurned, bias)
		},
		func(ops device.Device, dst device.Matrix[float32], sums []float32) {
			ops.AffineGradient(dst, sums, leftTurned, right)
		},
		func(ops device.Device, dst device.Matrix[float32], _ []float32) {
			ops.InputGradient(dst, left, right, rectified)
		},
	} {
		got, want := device.NewMatrix[float32](rows, columns), device.NewMatrix[float32](rows, columns)
		do(ops, got, sums[0])
		do(processor, want, sums[1])
		if card.Products != i+1 {
			t.Errorf("form %d: %d products on the card, want %d", i, card.Products, i+1)
		}
		found := append(got.Values, sums[0]...)
		for k, value := range append(want.Values, sums[1]...) {
			near(t, "value", float64(found[k]), float64(value), 1e-4)
		}
	}
	ops.Product(draw(8, 8), draw(8, 8), draw(8, 8))
	if card.Products != 6 {
		t.Errorf("a small product went to the card")
	}
}

// The built-in matmul kernel computes the defined product, for all forms and for sizes around those
// of its tiles: 64 values along each side, 8 along the inner dimension. It reads nothing beyond the
// factors and writes nothing beyond the product.
func TestOurOwnProductIsTheDefinition(t *testing.T) {
	card := emulate.New()
	if err := card.Load(cuda.Kernels); err != nil {
		t.Fatal(err)
	}
	source := rand.New(rand.NewPCG(3, 4))
	for i, size := range [][3]int{{1, 1, 1}, {3, 8, 5}, {64, 7, 64}, {65, 9, 63}, {2, 17, 130}, {130, 16, 2}, {63, 24, 65}, {5, 0, 4}} {
		for form := range 8 {
			p := cuda.Product{Rows: size[0], Inner: size[1], Columns: size[2], LeftTransposed: form&1 != 0, RightTransposed: form&2 != 0, Add: form&4 != 0}
			var values [3][]float32
			for side, at := range []struct {
				address *cuda.Address
				count   int
			}{{&p.Dst, p.Rows * p.Columns}, {&p.A, p.Rows * p.Inner}, {&p.B, p.Inner * p.Columns}} {
				for range at.count {
					values[side] = append(values[side], float32(source.NormFloat64()))
				}
				var err error
				if *at.address, err = card.Allocate(4 * at.count); err == nil {
					err = card.Write(*at.address, values[side])
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := card.Launch(p.Launch()); err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			got := make([]float32, p.Rows*p.Columns)
			if err := card.Read(got, p.Dst); err != nil {
				t.Fatal(err)
			}
			for at, want := range definition(p, values) {
				if math.Abs(float64(got[at])-want) > 1e-5 {
					t.Fatalf("size %d, %+v: value %d is %g, want %g", i, p, at, got[at], want)
				}
			}
			for _, address := range []cuda.Address{p.Dst, p.A, p.B} {
				if err := card.Free(address); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// definition returns the product of both factors plus the previous contents, in float64.
func definition(p cuda.Product, values [3][]float32) []float64 {
	dst := make([]float64, p.Rows*p.Columns)
	for i := range p.Rows {
		for j := range p.Columns {
			if p.Add {
				dst[i*p.Columns+j] = float64(values[0][i*p.Columns+j])
			}
			for k := range p.Inner {
				a, b := i*p.Inner+k, k*p.Columns+j
				if p.LeftTransposed {
					a = k*p.Rows + i
				}
				if p.RightTransposed {
					b = j*p.Inner + k
				}
				dst[i*p.Columns+j] += float64(values[1][a]) * float64(values[2][b])
			}
		}
	}
	return dst
}

// A recording of a training with the built-in kernel produces the same result as one with the GPU's
// product.
func TestATrainingWithOurOwnProductsLearnsTheSame(t *testing.T) {
	g := smallGame()
	var learned [2][]float32
	for i, card := range []cuda.Driver{emulate.New(), &alone{emulate.New()}} {
		l := g.learner(t, device.Reference[float32]{})
		work := g.work(t, l)
		if err := g.whole(t, card, work); err != nil {
			t.Fatal(err)
		}
		learned[i] = work.Parameters
	}
	for i, want := range learned[0] {
		near(t, "parameter", float64(learned[1][i]), float64(want), 1e-5)
	}
}

// An alone GPU has no cuBLAS.
type alone struct{ *emulate.Driver }

func (a *alone) Record(parts []cuda.Part) (cuda.Recording, error) {
	ours := slices.Clone(parts)
	for i, p := range parts {
		if p.Product != nil {
			l := p.Product.Launch()
			ours[i] = cuda.Part{Launch: &l}
		}
	}
	return a.Driver.Record(ours)
}
