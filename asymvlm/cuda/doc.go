// Package cuda trains on an NVIDIA card and draws there: products of matrices by cuBLAS, and whole steps that stay on the card.
//
// Read step.go first, then network.go and a method: contrastive.go (AsymVLM, also with SigLIP's loss), symmetric.go
// (SymVLM), variances.go (PCME++, ProLIP, PFE), heads.go (ProbVLM) or elip.go (ELIP, with and without evidence, and its ensemble).
// Losses of the user's own and BayesVLM, which descends nothing, are left to the processor. Captions of the same image are masked by
// kernels of their own, in kernels/masks.cu. sample.go draws random numbers for operations on the processor's memory. The folder
// kernels has the kernels, and in kernels.ptx what the driver loads.
//
// Everything here talks to the small interface [Driver]: package card implements it with gorgonia.org/cu in builds with the tag
// gpu, package emulate with an interpreter of PTX, so that kernels, grids and the order of work are tested on machines without
// a card. BUDGET.md counts the bytes and operations of every kernel.
package cuda
