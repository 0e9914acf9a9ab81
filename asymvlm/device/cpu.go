package device

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// A CPU performs the operations in float32 on all cores, with the vector instructions of the
// machine.
//
// It owns one goroutine for each thread except the caller's, a buffer as large as the largest right
// operand so far, and less than 1 MiB for each thread; Close ends the goroutines. Methods may be
// called from several goroutines and are then serialized.
type CPU struct {
	unit    vectorUnit
	kernel  kernel
	threads int

	mutex    sync.Mutex // guards everything below: one operation at a time
	right    []float32  // the packed right operand
	buffers  []buffers  // of each thread
	multiply productTask
	blas     *blas // computes the products instead of the kernel, if not nil
	whole    elementTask
	allPairs pairTask
	parallel
}

// buffers holds the memory of one thread for its rectangle of a product.
type buffers struct {
	left []float32 // the packed left panels of a block of the inner dimension
	sums []float32 // the rectangle before the last block, tile by tile
	_    [64]byte  // keeps the threads' buffers on different cache lines
}

var _ Device = (*CPU)(nil)

// NewCPU returns a device with the given number of threads; 0 means GOMAXPROCS.
func NewCPU(threads int) *CPU { return newCPU(threads, detect()) }

// newCPU is like NewCPU with explicit instructions.
func newCPU(threads int, unit vectorUnit) *CPU { return newKernelCPU(threads, unit, kernelOf(unit)) }

func newKernelCPU(threads int, unit vectorUnit, k kernel) *CPU {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	c := &CPU{unit: unit, kernel: k, threads: threads}
	c.buffers = make([]buffers, threads)
	c.start(threads)
	return c
}

// Name describes the instructions, the number of threads and the implementation of matrix products.
func (c *CPU) Name() string {
	if c.blas != nil {
		return fmt.Sprintf("cpu (%s, %d threads, products by %s)", c.kernel.name, c.threads, c.blas.path)
	}
	if c.kernel.paired {
		return fmt.Sprintf("cpu (%s, %d threads, products in %s)", c.kernel.name, c.threads, BFloat16)
	}
	return fmt.Sprintf("cpu (%s, %d threads)", c.kernel.name, c.threads)
}

// Close ends the device's goroutines. The device must not be used afterward.
func (c *CPU) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stop()
}

// Product sets dst to a·b.
func (c *CPU) Product(dst, a, b Matrix[float32]) {
	checkProduct(dst, a, b, form{})
	c.product(dst, operand{matrix: a, along: true}, operand{matrix: b}, ending{})
}

// ProductLeftTransposed sets dst to aᵀ·b.
func (c *CPU) ProductLeftTransposed(dst, a, b Matrix[float32]) {
	checkProduct(dst, a, b, form{leftTransposed: true})
	c.product(dst, operand{matrix: a}, operand{matrix: b}, ending{})
}

// ProductRightTransposed sets dst to a·bᵀ.
func (c *CPU) ProductRightTransposed(dst, a, b Matrix[float32]) {
	checkProduct(dst, a, b, form{rightTransposed: true})
	c.product(dst, operand{matrix: a, along: true}, operand{matrix: b, along: true}, ending{})
}

// Affine sets dst to input·weightᵀ with a bias.
func (c *CPU) Affine(dst, input, weight Matrix[float32], bias Bias[float32]) {
	checkProduct(dst, input, weight, form{rightTransposed: true})
	checkLength("bias", bias.Values, dst.Columns)
	c.product(dst, operand{matrix: input, along: true}, operand{matrix: weight, along: true}, ending{bias: bias})
}

// AffineGradient sets dWeight to dOutputᵀ·input and dBias to the sum of dOutput's rows, which is
// computed while they are packed.
func (c *CPU) AffineGradient(dWeight Matrix[float32], dBias []float32, dOutput, input Matrix[float32]) {
	checkProduct(dWeight, dOutput, input, form{leftTransposed: true})
	checkLength("gradient of the bias", dBias, dOutput.Columns)
	clear(dBias)
	c.product(dWeight, operand{matrix: dOutput, sums: dBias}, operand{matrix: input}, ending{})
}

// InputGradient sets dInput to dOutput·weight, and to 0 where rectified is 0.
func (c *CPU) InputGradient(dInput, dOutput, weight, rectified Matrix[float32]) {
	checkProduct(dInput, dOutput, weight, form{})
	if len(rectified.Values) > 0 {
		checkSame("gradient of the input", dInput, rectified)
	}
	c.product(dInput, operand{matrix: dOutput, along: true}, operand{matrix: weight}, ending{rectified: rectified})
}

// log32 returns the logarithm of a sum of exponentials that were divided by exp(shift).
func log32(shift, sum float32) float32 { return float32(float64(shift) + math.Log(float64(sum))) }
