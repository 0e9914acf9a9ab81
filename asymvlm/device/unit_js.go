package device

import "unsafe"

// detect returns the vector instructions of the host. It returns the zero unit if the host does not
// expose the memory of the program.
func detect() vectorUnit { return bindModule() }

// kernelOf returns the micro-kernel for the best instructions of a unit.
func kernelOf(unit vectorUnit) kernel {
	if !unit.simd {
		return plainKernel
	}
	name := "WebAssembly SIMD"
	if unit.fused {
		name = "WebAssembly SIMD with FMA"
	}
	return kernel{name: name, rows: 4, columns: 32, tiles: func(p panels, c []float32, stride int) {
		productSIMD(p.depth, p.count, &p.left[0], &p.right[0], &c[0], unsafe.SliceData(p.earlier), stride)
	}}
}

// pairsKernelOf returns the micro-kernel for bfloat16 in Go.
func pairsKernelOf(vectorUnit) kernel { return plainPairsKernel }

// noAssembly is the panic message of the functions that the module does not have.
const noAssembly = "device: no assembly for this processor"
