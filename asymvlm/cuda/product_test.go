package cuda_test

import (
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/cuda"
	"gosphere/asymvlm/cuda/emulate"
	"gosphere/asymvlm/device"
)

// Products of some size go to the card, with biases and masks done afterwards; smaller ones do not.
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
