package device

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// detect returns the vector instructions that the CPU and the operating system support. x/sys/cpu
// sets the AVX flags only if the operating system saves the corresponding registers.
func detect() vectorUnit {
	unit := vectorUnit{fma: cpu.X86.HasAVX2 && cpu.X86.HasFMA}
	unit.avx512 = unit.fma && cpu.X86.HasAVX512F
	unit.pairs = unit.avx512 && cpu.X86.HasAVX512BF16
	return unit
}

// kernelOf returns the micro-kernel for the best instructions of a unit.
func kernelOf(unit vectorUnit) kernel {
	switch {
	case unit.avx512:
		return kernel{name: "AVX-512", rows: 12, columns: 32, tiles: func(p panels, c []float32, stride int) {
			productAVX512(p.depth, p.count, &p.left[0], &p.right[0], &c[0], &p.ahead[0], unsafe.SliceData(p.earlier), stride)
		}}
	case unit.fma:
		return kernel{name: "AVX2", rows: 4, columns: 24, tiles: func(p panels, c []float32, stride int) {
			productAVX2(p.depth, p.count, &p.left[0], &p.right[0], &c[0], &p.ahead[0], unsafe.SliceData(p.earlier), stride)
		}}
	}
	return plainKernel
}

// pairsKernelOf returns the micro-kernel for pairs of bfloat16.
func pairsKernelOf(unit vectorUnit) kernel {
	switch {
	case unit.pairs:
		return kernel{name: "AVX512_BF16", rows: 12, columns: 32, paired: true, tiles: func(p panels, c []float32, stride int) {
			productPairsAVX512(p.depth, p.count, &p.left[0], &p.right[0], &c[0], &p.ahead[0], unsafe.SliceData(p.earlier), stride)
		}}
	case unit.fma:
		return kernel{name: "AVX2", rows: 4, columns: 16, paired: true, tiles: oneByOne(4, 16, func(p panels, c []float32, stride int) {
			productPairsAVX2(p.depth, &p.left[0], &p.right[0], &c[0], unsafe.SliceData(p.earlier), stride)
		})}
	}
	return plainPairsKernel
}
