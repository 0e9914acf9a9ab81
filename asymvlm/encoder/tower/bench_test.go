package tower

import (
	"math/rand/v2"
	"testing"

	"gosphere/asymvlm/device"
)

// randomStack returns layers with random weights.
func randomStack(s shape, layers int, last bool) stack {
	cpu := device.NewCPU(1)
	defer cpu.Close()
	source := rand.New(rand.NewPCG(1, 2))
	values := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(source.NormFloat64()) / 30
		}
		return v
	}
	layer := func(out, in int) linear {
		return linear{cpu.Pack(matrix{Rows: out, Columns: in, Values: values(out * in)}), values(out)}
	}
	blocks := make([]block, layers)
	for i := range blocks {
		b := s.block()
		b.normalizeLast = last
		b.norm1, b.norm2 = norm{values(s.width), values(s.width), s.epsilon}, norm{values(s.width), values(s.width), s.epsilon}
		b.qkv, b.out = layer(3*s.width, s.width), layer(s.width, s.width)
		b.up, b.down = layer(s.inner, s.width), layer(s.width, s.inner)
		blocks[i] = b
	}
	return stack{blocks}
}

// BenchmarkLayers runs the layers of published networks with random weights on one core: 8 pictures
// of ViT-B/32, and 32 captions of 13 tokens of MiniLM.
func BenchmarkLayers(b *testing.B) {
	for _, c := range []struct {
		name          string
		shape         shape
		layers        int
		items, tokens int
	}{
		{"ViT-B-32", shape{width: 768, inner: 3072, heads: 12, epsilon: 1e-5, activation: device.QuickGELU}, 12, 8, 50},
		{"MiniLM", shape{width: 384, inner: 1536, heads: 12, epsilon: 1e-12, activation: device.GELU}, 6, 32, 13},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := randomStack(c.shape, c.layers, c.name == "MiniLM")
			w := NewWorker()
			defer w.Close()
			start := make([]float32, c.items*c.tokens*c.shape.width)
			for i := range start {
				start[i] = float32(i%13) - 6
			}
			lengths := make([]int, c.items)
			for i := range lengths {
				lengths[i] = c.tokens
			}
			x := matrix{Rows: c.items * c.tokens, Columns: c.shape.width, Values: make([]float32, len(start))}
			for b.Loop() {
				copy(x.Values, start)
				s.forward(w, x, lengths)
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			d := float64(c.shape.width)
			work := 2 * float64(x.Rows) * float64(c.layers) * (4*d*d + 2*d*float64(c.shape.inner))
			b.ReportMetric(float64(c.items)/seconds, "items/s")
			b.ReportMetric(work/seconds/1e9, "GFLOP/s")
		})
	}
}
