package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

//go:generate go run ./generate ../../asymvlm/device/kernels_amd64.s kernels_linux_amd64.s

// productSingle is package device's kernel for AVX-512: a tile of 12×32 values in float32.
//
//go:noescape
func productSingle(depth int, a *float32, b *float32, c *float32, stride int, accumulate bool)

// productBrain is the same for pairs of bfloat16, of which a float32's place holds one.
//
//go:noescape
func productBrain(depth int, a *float32, b *float32, c *float32, stride int, accumulate bool)

// The shape of a tile of both kernels.
const tileRows, tileColumns = 12, 32

var errNoInstruction = errors.New("this processor has no VDPBF16PS (AVX512_BF16)")

// able tells whether this processor can run both.
func able() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BF16 }

// pair puts two values into one place, as bfloat16 by leaving their lower bits out. The first is in the lower half.
func pair(first, second float32) float32 {
	return math.Float32frombits(math.Float32bits(first)>>16 | math.Float32bits(second)&0xffff0000)
}

// measureKernels prints what each kernel does in a second of one thread's processor time, by turns, on panels of the size that
// package device has: a right one of 256 values in depth and five left ones.
func measureKernels(w io.Writer, rounds int) error {
	if !able() {
		return errNoInstruction
	}
	runtime.LockOSThread() // the clock is that of the thread
	defer runtime.UnlockOSThread()
	const depth, lefts, times = 256, 5, 1000
	left, right := make([]float32, lefts*depth*tileRows), make([]float32, depth*tileColumns)
	c := make([]float32, lefts*tileRows*tileColumns)
	kernels := []struct {
		name  string
		do    func(depth int, a *float32, b *float32, c *float32, stride int, accumulate bool)
		pairs float64
	}{{"float32", productSingle, 1}, {"bfloat16", productBrain, 2}}
	speeds := make([][]float64, len(kernels))
	for range rounds {
		for k, kernel := range kernels {
			start := threadTime()
			for range times {
				for l := range lefts {
					kernel.do(depth, &left[l*depth*tileRows], &right[0], &c[l*tileRows*tileColumns], tileColumns, true)
				}
			}
			flops := 2 * kernel.pairs * depth * tileRows * tileColumns * lefts * times
			speeds[k] = append(speeds[k], flops/(threadTime()-start)/1e9)
		}
	}
	var ratios []float64
	for i := range rounds {
		ratios = append(ratios, speeds[1][i]/speeds[0][i])
	}
	middle := func(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
	_, err := fmt.Fprintf(w, "| kernel | GFLOP per processor second | of float32's |\n|---|---|---|\n| float32 | %.1f | |\n| bfloat16 factors | %.1f | ×%.2f |\n",
		middle(speeds[0]), middle(speeds[1]), middle(ratios))
	return err
}

// threadTime returns the processor seconds of this thread.
func threadTime() float64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err) // every Linux has that clock
	}
	return float64(now.Nano()) / 1e9
}
