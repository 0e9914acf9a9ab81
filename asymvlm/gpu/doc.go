// Package gpu implements the driver of package cuda on an NVIDIA GPU, in builds with the tag gpu.
// It uses gorgonia.org/cu for contexts, streams, events, memory, modules and kernel launches, and
// the driver's library and cuBLAS, opened at run time by purego, for graphs and matrix products.
//
// All graph functions are in record.go, because gorgonia.org/cu 0.9.6 can only create graph nodes
// and destroy graphs. It cannot capture a stream, which is the only way to put a cuBLAS call into a
// graph, nor instantiate or launch graphs. Without a working cuBLAS, matrix products use the
// built-in kernel. Builds without the tag contain nothing of this package.
//
// The package needs cgo, the headers of CUDA 12 and a libcuda to link with. `make gpu` provides
// both, the latter from ../internal/cuda/shim, so that the program also runs without a driver.
package gpu
