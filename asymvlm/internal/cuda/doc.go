// Package cuda implements training and sampling on an NVIDIA GPU: matrix products by cuBLAS, and
// training steps that run entirely on the GPU.
//
// Read step.go first, then network.go and a method: contrastive.go (AsymVLM, also with SigLIP's
// loss), symmetric.go (SymVLM), variances.go (PCME++, ProLIP, PFE), heads.go (ProbVLM) or elip.go
// (ELIP, with and without evidence, and its ensemble). User-defined losses and BayesVLM, which
// minimizes no loss, run on the CPU. The kernels in kernels/masks.cu mask captions of the same
// image. sample.go samples for operations on CPU memory. The folder kernels contains the kernels'
// sources, and in kernels.ptx the module that the driver loads.
//
// The package depends only on the interface [Driver]. Package gpu implements it with
// gorgonia.org/cu in builds with the tag gpu. Package emulate implements it with a PTX interpreter,
// so that kernels, grids and the order of operations are tested on machines without a GPU.
// BUDGET.md lists the bytes and operations of every kernel.
package cuda
