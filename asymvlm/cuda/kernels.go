package cuda

import _ "embed" // the kernels

// Kernels is the module of all kernels in PTX, made from Source by kernels/make.py.
//
//go:embed kernels/kernels.ptx
var Kernels string

// Source is the kernels in CUDA C++.
//
//go:embed kernels/step.cu
var Source string
