// Package emulate runs PTX, the machine-independent assembly of NVIDIA cards, on the processor: slowly, and exactly enough
// to test kernels, their grids and the order of their work where there is no card.
//
// [Driver] is a card for package cuda. Threads of a block run one after another up to the next barrier or exchange of a
// warp, so what a program means does not depend on luck: reading what another thread has not written yet shows. Reads and
// writes outside of a buffer are errors that name the kernel, the block and the thread, as are barriers that not all threads
// of a block can reach. The part of PTX is that which NVRTC makes of our kernels: an instruction that is not known is an
// error when a module is loaded.
//
// Read parse.go (text to instructions), arithmetic.go (what instructions mean), run.go (blocks and threads), memory.go and
// driver.go.
package emulate
