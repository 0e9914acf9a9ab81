// Package device holds the operations on matrices that training an adapter consists of, behind one interface:
// [Operations]. Losses and adapters do not know which implementation runs.
//
// There are two. [Reference] is plain Go with sums in float64, in float32 and in float64: the definition of what is
// meant, for tests and gradients. [CPU] is float32 on all cores: packed panels and micro-kernels in assembly for
// AVX-512 or AVX2 with FMA, chosen when the program starts, and Go loops on other processors.
// [NewCPUWith] makes one whose products have factors rounded to bfloat16; bfloat.go defines them to the bit, for all processors alike.
//
// Read operations.go and losses.go first (the contract), then reference.go, product.go (how a large product is cut), pairs.go,
// pack.go, bfloat.go and vector.go. What draws random numbers is samples.go (the contract), philox.go, cosines.go and drawing.go.
// The assembly in kernels_amd64.s is generated; generate/ holds the program that writes it.
//
//	cpu := device.NewCPU(0)
//	defer cpu.Close()
//	cpu.Product(c, a, b) // c = a·b
//
// Results are reproducible to the bit: every value is summed in an order that depends on the shapes only, not on the
// number of threads. They differ between processors with different vector instructions. Only products in bfloat16
// do not.
package device

//go:generate go run ./generate -out kernels_amd64.s -stubs kernels_amd64.go -pkg device
//go:generate go run ./generate/fallback kernels_amd64.go kernels_other.go
