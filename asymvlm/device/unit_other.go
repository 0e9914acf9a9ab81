//go:build !amd64

package device

// detect returns that there are no vector instructions this package has assembly for.
func detect() vectorUnit { return vectorUnit{} }

// kernelOf returns the micro-kernel in Go.
func kernelOf(vectorUnit) kernel { return plainKernel }

// pairsKernelOf returns the micro-kernel for bfloat16 in Go.
func pairsKernelOf(vectorUnit) kernel { return plainPairsKernel }

// noAssembly is what the functions that stand for the assembly of amd64 panic with.
const noAssembly = "device: no assembly for this processor"
