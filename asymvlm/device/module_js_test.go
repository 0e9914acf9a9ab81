package device

import (
	"math/rand/v2"
	"os"
	"testing"
)

// The module is in use exactly where the host exposes the memory. Where the host should,
// GOSPHERE_SIMD is "rounded" or, with fused multiply-adds, "fused", so that the tests do not pass
// without vectors.
func TestTheModuleIsInUseWhereTheHostExposesTheMemory(t *testing.T) {
	want := os.Getenv("GOSPHERE_SIMD")
	if got := detect(); got.simd != (want != "") || got.fused != (want == "fused") {
		t.Errorf("the host has %+v, want %q", got, want)
	}
}

// Products have the bits of the kernel in Go, or of one with fused multiply-adds: the sums have the
// same order and the same roundings.
func TestProductsOfTheModuleHaveTheBitsOfTheLoops(t *testing.T) {
	if !detect().simd {
		t.Skip("no vectors")
	}
	source := rand.New(rand.NewPCG(5, 6))
	reference := plainKernel
	if detect().fused {
		reference.tiles = oneByOne(4, 4, fusedTile)
	}
	plain, fast := newKernelCPU(1, vectorUnit{}, reference), newCPU(1, detect())
	defer plain.Close()
	defer fast.Close()
	for _, shape := range [][3]int{{1, 1, 1}, {4, 32, 4}, {5, 33, 7}, {3, 70, 256}, {64, 64, 257}, {97, 100, 600}, {130, 31, 1023}} {
		rows, columns, inner := shape[0], shape[1], shape[2]
		a, b := random(rows, inner, source), random(inner, columns, source)
		tall, wide := random(inner, rows, source), random(columns, inner, source)
		a.Values[0], b.Values[0] = 1e-42, 3e38
		for name, do := range map[string]func(c *CPU, dst Matrix[float32]){
			"product":          func(c *CPU, dst Matrix[float32]) { c.Product(dst, a, b) },
			"left transposed":  func(c *CPU, dst Matrix[float32]) { c.ProductLeftTransposed(dst, tall, b) },
			"right transposed": func(c *CPU, dst Matrix[float32]) { c.ProductRightTransposed(dst, a, wide) },
		} {
			want, got := NewMatrix[float32](rows, columns), NewMatrix[float32](rows, columns)
			do(plain, want)
			do(fast, got)
			for i, value := range want.Values {
				if !sameBits(got.Values[i], value) {
					t.Fatalf("%s of %v: value %d is %g, want %g", name, shape, i, got.Values[i], value)
				}
			}
		}
	}
}

// A host without vector instructions refuses the module, and the loops in Go remain.
func TestCodeThatTheHostRefusesLeavesTheLoops(t *testing.T) {
	if !detect().simd {
		t.Skip("no memory")
	}
	before := moduleCode
	defer func() { moduleCode = before }()
	moduleCode = append([]byte{}, before...)
	moduleCode[len(moduleCode)-3] = 0xff
	fusedBefore := fusedCode
	defer func() { fusedCode = fusedBefore }()
	fusedCode = moduleCode
	boundBefore := bound
	defer func() { bound = boundBefore }()
	if unit := makeModule(); unit.assembled() {
		t.Error("broken code is in use")
	}
	// Code that is not fused is in use as such.
	moduleCode, fusedCode = before, before
	if unit := makeModule(); unit != (vectorUnit{simd: true}) {
		t.Errorf("without fused multiply-adds the unit is %+v", unit)
	}
}

// fusedTile is plainTile with fused multiply-adds.
func fusedTile(p panels, c []float32, stride int) {
	for i := range 4 {
		var sums [4]float32
		for k := range p.depth {
			for j := range sums {
				sums[j] = fusedOnce(p.left[4*k+i], p.right[4*k+j], sums[j])
			}
		}
		p.store(c, stride, i, sums)
	}
}

// Run it with -bench Module -count 5; the host of the vectors is install/browser/test/vectors.sh.
func BenchmarkModule(b *testing.B) {
	source := rand.New(rand.NewPCG(11, 12))
	left, right, dst := random(256, 512, source), random(512, 384, source), NewMatrix[float32](256, 384)
	pairs, gradient, columns := random(256, 256, source), NewMatrix[float32](256, 256), make([]float64, 256)
	all, exponentials, sums := random(256, 1024, source), NewMatrix[float32](256, 1024), make([]float64, 256)
	for _, operation := range []struct {
		name string
		do   func(c *CPU)
	}{
		{"product of 256x512x384", func(c *CPU) { c.Product(dst, left, right) }},
		{"contrastive loss of 256 pairs", func(c *CPU) { c.Contrast(gradient, pairs, 2, nil, columns) }},
		{"262144 exponentials", func(c *CPU) { c.Exponential(exponentials, sums, all) }},
	} {
		for _, unit := range []vectorUnit{{}, detect()} {
			b.Run(operation.name+"/"+kernelOf(unit).name, func(b *testing.B) {
				cpu := newCPU(1, unit)
				defer cpu.Close()
				for b.Loop() {
					operation.do(cpu)
				}
			})
		}
	}
}
