//go:build gpu && linux

package gpu

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"gosphere/asymvlm/device"
)

// A message is an error that is a complete message and does not indicate a failure of the GPU.
type message string

func (m message) Error() string { return string(m) }

func messagef(format string, values ...any) error { return message(fmt.Sprintf(format, values...)) }

// An absent error reports a missing GPU or driver, which is not a failure.
type absent string

func (a absent) Error() string { return string(a) }

func (absent) Unwrap() error { return device.ErrNoCard }

// status converts a driver result to an error, including codes that gorgonia.org/cu has no name
// for.
func status(code int32) error {
	if code == 0 {
		return nil
	}
	return coded(cu.Success, code)
}

// coded converts a code to the type of its first argument, which the package does not export.
func coded[T ~int](_ T, code int32) T { return T(code) }

const (
	choose   = "or choose the device cpu"
	too      = "the NVIDIA driver is older than the kernels, which need version 520; update it " + choose
	noDriver = "there is no NVIDIA driver on this machine: libcuda.so.1 cannot be opened; install the driver " + choose
)

// Messages for errors that users can act on. The shim returns NotInitialized if the driver's
// library cannot be opened. Codes written as Success plus a number have no name in gorgonia.org/cu;
// the numbers are those of cuda.h.
var sentences = map[error]error{
	cu.OutOfMemory:                device.ErrMemory, // the only error after which a GPU remains usable
	cu.NotInitialized:             absent(noDriver),
	cu.NoDevice:                   absent("the NVIDIA driver sees no GPU; see nvidia-smi and CUDA_VISIBLE_DEVICES, " + choose),
	cu.InvalidPtx:                 errors.New(too),
	cu.Success + 222:              errors.New(too), // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
	cu.NoBinaryForGpu:             errors.New("the NVIDIA driver has no code for this GPU; update it " + choose),
	cu.JitCompilerNotFound:        errors.New("the NVIDIA driver's compiler, libnvidia-ptxjitcompiler.so.1, cannot be opened; install all of the driver, in a container also, " + choose),
	cu.Success + 223:              errors.New("the NVIDIA driver must not compile kernels; take CUDA_DISABLE_PTX_JIT out of the environment " + choose),
	cu.Success + 34:               errors.New("libcuda.so.1 is the toolkit's stub, not the NVIDIA driver; take its folder out of LD_LIBRARY_PATH " + choose),
	cu.Success + 46:               errors.New("the GPU belongs to another process, or is busy; see nvidia-smi, " + choose),
	cu.SystemNotReady:             errors.New("the machine's NVIDIA services are not ready: where GPUs are joined by NVSwitch the fabric manager must run; see nvidia-smi, " + choose),
	cu.SystemDriverMismatch:       errors.New("the NVIDIA driver's libraries and the kernel's module are of different versions; start the machine again " + choose),
	cu.InvalidDevice:              errors.New("the NVIDIA driver has no first GPU; see nvidia-smi and CUDA_VISIBLE_DEVICES, " + choose),
	cu.EccUncorrectable:           errors.New("the GPU's memory has an error that cannot be corrected; see nvidia-smi, " + choose),
	cu.Success + 805:              errors.New("the NVIDIA driver does not reach the MPS server, which shares the GPU; start it " + choose),
	cu.CompatNotSupportedOnDevice: errors.New("the libraries of CUDA's forward compatibility do not know this GPU; take their folder out of LD_LIBRARY_PATH " + choose),
}

// sentence converts a driver error to a message for users.
func sentence(err error) error {
	var already message
	if err == nil || errors.Is(err, device.ErrMemory) || errors.As(err, &already) {
		return err
	}
	for code, text := range sentences {
		if errors.Is(err, code) {
			return text
		}
	}
	return fmt.Errorf("the GPU failed: %w", err)
}
