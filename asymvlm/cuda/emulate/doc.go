// Package emulate runs PTX, the machine-independent assembly of NVIDIA cards, on the processor: slowly, and exactly enough
// to test kernels, their grids and the order of their work where there is no card.
//
// [Driver] is a card for package cuda. Blocks run one after another, and threads of a block up to the next barrier or exchange of
// a warp. What could come out otherwise where they run at once is an error that names the kernel, the block and the thread: two
// threads at one word without a barrier between, one of them writing, or two blocks of one start, whatever comes first here. So are
// reads of what nobody wrote, places outside of a buffer or not at a multiple of what is moved, and barriers that not all threads
// of a block reach at one place. The part of PTX is that which NVRTC makes of our kernels: an instruction that is not known is an
// error when a module is loaded.
//
// Read parse.go (text to instructions), arithmetic.go (what instructions mean), run.go (blocks and threads), memory.go, races.go and
// driver.go.
package emulate
