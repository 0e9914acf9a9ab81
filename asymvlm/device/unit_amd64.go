package device

import "golang.org/x/sys/cpu"

// detect returns what this processor and operating system offer. x/sys/cpu sets the AVX flags only when the operating
// system saves the registers that go with them.
func detect() vectorUnit {
	unit := vectorUnit{fma: cpu.X86.HasAVX2 && cpu.X86.HasFMA}
	unit.avx512 = unit.fma && cpu.X86.HasAVX512F
	return unit
}

// kernelOf returns the micro-kernel for the best instructions of a unit.
func kernelOf(unit vectorUnit) kernel {
	switch {
	case unit.avx512:
		return kernel{"AVX-512", 12, 32, func(p panels, c []float32, stride int, accumulate bool) {
			productAVX512(p.depth, &p.left[0], &p.right[0], &c[0], &p.ahead[0], stride, accumulate)
		}}
	case unit.fma:
		return kernel{"AVX2", 4, 24, func(p panels, c []float32, stride int, accumulate bool) {
			productAVX2(p.depth, &p.left[0], &p.right[0], &c[0], &p.ahead[0], stride, accumulate)
		}}
	}
	return plainKernel
}
