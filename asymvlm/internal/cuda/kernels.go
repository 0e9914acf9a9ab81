package cuda

import _ "embed" // the kernels

// Kernels is the module of all kernels in PTX, compiled from Source by kernels/make.py.
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
	//go:embed kernels/masks.cu
	masksSource string
	//go:embed kernels/evidence.cu
	evidenceSource string
	//go:embed kernels/sample.cu
	sampleSource string
	//go:embed kernels/product.cu
	productSource string
	//go:embed kernels/sigmoid.cu
	sigmoidSource string
	//go:embed kernels/symmetric.cu
	symmetricSource string
	//go:embed kernels/inclusion.cu
	inclusionSource string
	//go:embed kernels/adamp.cu
	adampSource string
)

// Source is the CUDA C++ source of the kernels: the files of make.py concatenated.
var Source = stepSource + pairsSource + headsSource + masksSource + evidenceSource +
	sampleSource + productSource + sigmoidSource + symmetricSource + inclusionSource + adampSource
