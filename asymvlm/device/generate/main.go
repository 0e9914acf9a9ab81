// Command generate writes the amd64 assembly of package device with avo: matrix micro-kernels for
// AVX-512 and for AVX2 with FMA, a transposing copy, and the vector functions used in training.
//
// Read product.go first, then bfloat.go and vector.go. The functions check nothing: the Go code
// that calls them ensures that lengths are multiples of the width (remainders are processed in Go)
// and that the CPU has the instructions.
package main

import "github.com/mmcloughlin/avo/build"

func main() {
	build.ConstraintExpr("amd64")
	// 24 of the 32 registers hold the tile, 2 hold a row of the right panel, the rest the
	// broadcasts: 14 loads for 24 multiply-adds, so that the multipliers and not the loads are the
	// limit.
	product(tile{name: "productAVX512", rows: 12, vectors: 2, wide: true})
	// With 16 registers, 4×24 has the best ratio of multiply-adds (12) to loads (7); 6×16 would need 8
	// loads.
	product(tile{name: "productAVX2", rows: 4, vectors: 3})
	product(tile{name: "productPairsAVX512", rows: 12, vectors: 2, wide: true, paired: true})
	productOfPairs()
	transpose()
	copyPanels()
	transposePairs()
	copyPairs()
	vectors()
	build.Generate()
}
