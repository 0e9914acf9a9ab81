// Package card is an NVIDIA card for package cuda, in builds with the tag gpu: contexts, streams, memory and modules by
// gorgonia.org/cu, graphs and products by the driver's library and cuBLAS, opened at run time by purego. Where there is no
// cuBLAS, or none that works, products are a kernel of our own. Builds without the tag have nothing of it.
//
// The package needs cgo, the headers of CUDA 12 and something called libcuda to link with: `make gpu` brings both, the
// latter from ../shim, so that the program runs where there is no driver, too.
package card
