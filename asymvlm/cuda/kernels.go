package cuda

import _ "embed" // the kernels

// Kernels is the module of all kernels in PTX, made from Source by kernels/make.py.
//
//go:embed kernels/kernels.ptx
var Kernels string

var (
	//go:embed kernels/step.cu
	stepSource string
	//go:embed kernels/pairs.cu
	pairsSource string
	//go:embed kernels/heads.cu
	headsSource string
)

// Source is the kernels in CUDA C++: the three files one after the other.
var Source = stepSource + pairsSource + headsSource
