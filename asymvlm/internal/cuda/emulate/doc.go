// Package emulate interprets PTX, the machine-independent assembly of NVIDIA GPUs, on the CPU. It
// is slow, but exact enough to test kernels, their grids and the order of their work without a GPU.
//
// [Driver] implements the driver of package cuda. Blocks run one after another, and the threads of
// a block that are at the same instruction run it together. Any behavior that would depend on the
// order on a GPU is an error that names the kernel, the block and the thread: accesses to one word,
// at least one of them a write, by two threads without a barrier between them or by two blocks of
// one launch. Other errors are reads of uninitialized memory, addresses outside a buffer or not
// aligned, and barriers that not all threads of a block reach at one instruction. The supported
// part of PTX is that which NVRTC emits for our kernels; loading a module with an unknown
// instruction is an error.
//
// Read parse.go (text to instructions), registers.go (which registers share a column),
// arithmetic.go and columns.go (the meaning of instructions), run.go (blocks), groups.go (threads),
// memory.go, races.go and driver.go.
package emulate
