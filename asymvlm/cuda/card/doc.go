// Package card is an NVIDIA card for package cuda, in builds with the tag gpu: contexts, streams, events, memory, modules and the
// starts of kernels by gorgonia.org/cu, graphs and products by the driver's library and cuBLAS, opened at run time by purego. Of
// graphs gorgonia.org/cu 0.9.6 can make the nodes and give both forms back; it captures no stream, which is the only way of a
// product of cuBLAS into a graph, makes nothing that can be played, plays nothing, and takes no graph of anybody else. So record.go
// has all of them. Where there is no cuBLAS, or none that works, products are a kernel of our own. Builds without the tag have nothing
// of it.
//
// The package needs cgo, the headers of CUDA 12 and something called libcuda to link with: `make gpu` brings both, the
// latter from ../shim, so that the program runs where there is no driver, too.
package card
