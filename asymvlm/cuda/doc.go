// Package cuda trains on an NVIDIA card: products of matrices by cuBLAS, and whole steps of AsymVLM that stay on the card.
//
// The way of a step is in step.go, one method for each part; kernels/step.cu has the kernels, kernels/kernels.ptx what the
// driver loads. Everything here talks to the small interface [Driver]: package card implements it with gorgonia.org/cu in
// builds with the tag gpu, package emulate with an interpreter of PTX, so that kernels, grids and the order of work are
// tested on machines without a card. BUDGET.md counts the bytes and operations of every kernel.
package cuda
