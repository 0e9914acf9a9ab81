//go:build gpu && linux

package card

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"
)

// errMemory is the one error after which a card goes on.
var errMemory = errors.New("the card has too little free memory")

// The sentences of the errors that users can do something about. The shim returns NotInitialized where the driver's library
// cannot be opened.
var sentences = map[error]error{
	cu.OutOfMemory: errMemory,
	cu.NotInitialized: errors.New("there is no NVIDIA driver on this machine: libcuda.so.1 cannot be opened; install the driver " +
		"or choose the device cpu"),
	cu.NoDevice:       errors.New("the NVIDIA driver sees no card; see nvidia-smi and CUDA_VISIBLE_DEVICES, or choose the device cpu"),
	cu.InvalidPtx:     errors.New("the NVIDIA driver is older than the kernels, which need version 520; update it or choose the device cpu"),
	cu.NoBinaryForGpu: errors.New("the NVIDIA driver has no code for this card; update it or choose the device cpu"),
}

// sentence says what an error of the driver means.
func sentence(err error) error {
	if err == nil || errors.Is(err, errMemory) {
		return err
	}
	for code, text := range sentences {
		if errors.Is(err, code) {
			return text
		}
	}
	return fmt.Errorf("the card failed: %w", err)
}
