//go:build !amd64 && !js

package device

// detect returns a unit without vector instructions, because the package has no assembly for this
// architecture.
func detect() vectorUnit { return vectorUnit{} }

// kernelOf returns the micro-kernel in Go.
func kernelOf(vectorUnit) kernel { return plainKernel }

// pairsKernelOf returns the micro-kernel for bfloat16 in Go.
func pairsKernelOf(vectorUnit) kernel { return plainPairsKernel }

// noAssembly is the panic message of the placeholders for the assembly of amd64.
const noAssembly = "device: no assembly for this processor"
