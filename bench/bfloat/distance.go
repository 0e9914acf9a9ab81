package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// A quantity is a computation based on matrix products, whose error is measured relative to its
// root mean square.
type quantity struct {
	name string
	// values computes it with a device.
	values func(ops device.Device) []float32
	exact  func() []float64
}

// distances prints the error of each precision relative to float64.
func distances(w io.Writer) error {
	fmt.Fprint(w, "| root of the mean square error, relative | float32 | bfloat16 |\n|---|---|---|\n")
	for _, q := range quantities() {
		fmt.Fprintf(w, "| %s |", q.name)
		want := q.exact()
		for _, p := range []device.Precision{device.Float32, device.BFloat16} {
			cpu, err := device.NewCPUWith(0, p)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, " %.1e |", distance(q.values(cpu), want))
			cpu.Close()
		}
		fmt.Fprintln(w)
	}
	return nil
}

// distance returns the root mean square of got − want, divided by that of want.
func distance(got []float32, want []float64) float64 {
	off, size := 0.0, 0.0
	for i, value := range want {
		off += (float64(got[i]) - value) * (float64(got[i]) - value)
		size += value * value
	}
	return math.Sqrt(off / size)
}

// quantities are the matrix products of a small step: a layer forward, its gradients, and the
// logits of unit vectors.
func quantities() []quantity {
	const rows, inner, columns = 96, 1024, 80
	source := rand.New(rand.NewPCG(81, 82))
	input, weight, output := draw(source, rows, inner), draw(source, columns, inner), draw(source, rows, columns)
	texts, images := units(draw(source, rows, 512)), units(draw(source, columns, 512))
	bias := device.Bias[float32]{Values: draw(source, 1, columns).Values, Rectify: true}
	reference := device.Reference[float64]{}
	return []quantity{
		{"layer with rectifier, 1024 inputs", func(ops device.Device) []float32 {
			dst := device.NewMatrix[float32](rows, columns)
			ops.Affine(dst, input, weight, bias)
			return dst.Values
		}, func() []float64 {
			dst := device.NewMatrix[float64](rows, columns)
			reference.Affine(dst, wide(input), wide(weight), device.Bias[float64]{Values: wide(device.Matrix[float32]{Rows: 1, Columns: columns, Values: bias.Values}).Values, Rectify: true})
			return dst.Values
		}},
		{"gradient of its weights, 96 pairs", func(ops device.Device) []float32 {
			dst := device.NewMatrix[float32](columns, inner)
			ops.ProductLeftTransposed(dst, output, input)
			return dst.Values
		}, func() []float64 {
			dst := device.NewMatrix[float64](columns, inner)
			reference.ProductLeftTransposed(dst, wide(output), wide(input))
			return dst.Values
		}},
		{"gradient of its inputs, 80 outputs", func(ops device.Device) []float32 {
			dst := device.NewMatrix[float32](rows, inner)
			ops.Product(dst, output, weight)
			return dst.Values
		}, func() []float64 {
			dst := device.NewMatrix[float64](rows, inner)
			reference.Product(dst, wide(output), wide(weight))
			return dst.Values
		}},
		{"cosines of 512 dimensions", func(ops device.Device) []float32 {
			dst := device.NewMatrix[float32](rows, columns)
			ops.ProductRightTransposed(dst, texts, images)
			return dst.Values
		}, func() []float64 {
			dst := device.NewMatrix[float64](rows, columns)
			reference.ProductRightTransposed(dst, wide(texts), wide(images))
			return dst.Values
		}},
	}
}

// draw returns a matrix of random normal numbers.
func draw(source *rand.Rand, rows, columns int) device.Matrix[float32] {
	m := device.NewMatrix[float32](rows, columns)
	for i := range m.Values {
		m.Values[i] = float32(source.NormFloat64())
	}
	return m
}

// units normalizes every row.
func units(m device.Matrix[float32]) device.Matrix[float32] {
	device.Reference[float32]{}.Units(m, make([]float64, m.Rows), m)
	return m
}

func wide(m device.Matrix[float32]) device.Matrix[float64] {
	dst := device.NewMatrix[float64](m.Rows, m.Columns)
	for i, value := range m.Values {
		dst.Values[i] = float64(value)
	}
	return dst
}
