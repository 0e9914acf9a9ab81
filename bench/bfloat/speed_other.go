//go:build !amd64 || !linux

package main

import (
	"errors"
	"io"
)

// measureKernels tells that there is nothing to measure.
func measureKernels(io.Writer, int) error {
	return errors.New("the kernel in bfloat16 is written for Linux on amd64 with AVX512_BF16")
}
