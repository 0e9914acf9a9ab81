package device

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

// The names of devices.
const (
	NameCPU  = "cpu"  // all CPU cores
	NameCUDA = "cuda" // the first NVIDIA GPU; only in builds with GPU support
	NameAuto = "auto" // cuda if it is usable, otherwise cpu
)

// Variable is the environment variable that selects the process-wide device by default.
const Variable = "GOSPHERE_DEVICE"

// openCUDA opens the GPU. It is nil in builds without GPU support.
var openCUDA func() (Device, error)

// choice holds the process-wide device.
var choice struct {
	mutex  sync.Mutex // guards the fields below
	wanted string     // the argument of Use
	device Device     // nil until first used
	passed error      // why auto did not use an existing GPU; nil if it did or there is none
	cpu    *CPU       // never closed once started, because adapters may use it

	precision Precision // the argument of UsePrecision
}

// CheckName returns an error if name is not one of the constants. The empty name is valid and
// selects the environment variable.
func CheckName(name string) error {
	switch name {
	case "", NameCPU, NameCUDA, NameAuto:
		return nil
	}
	return fmt.Errorf("device: %q is no device, want %s, %s or %s", name, NameCPU, NameCUDA, NameAuto)
}

// Use selects and starts the process-wide device by name. The empty name selects the value of the
// environment variable GOSPHERE_DEVICE, or auto if it is not set. Objects created earlier keep
// their device. If there is an error, the device is not changed.
func Use(name string) error {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	started, passed, err := open(name)
	if err == nil {
		choice.wanted, choice.device, choice.passed = name, started, passed
	}
	return err
}

// Default returns the process-wide device, starting it on the first call. It must not be closed.
func Default() (Device, error) {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	if choice.device == nil {
		started, passed, err := open(choice.wanted)
		if err != nil {
			return nil, err
		}
		choice.device, choice.passed = started, passed
	}
	return choice.device, nil
}

// Shared is like Default but panics instead of returning an error.
func Shared() Device {
	shared, err := Default()
	if err != nil {
		panic(err)
	}
	return shared
}

// ErrNoCard is wrapped by the error of OfferCUDA's function if there is no GPU or no driver, which
// is not a failure.
var ErrNoCard = errors.New("there is no GPU")

// GPUFallbackReason returns the reason why the device auto is the CPU although a GPU or a driver
// exists, or "".
func GPUFallbackReason() string {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	if choice.passed == nil {
		return ""
	}
	return choice.passed.Error()
}

// open starts a device by name. passed is the error of a GPU that was skipped. The caller holds
// choice.mutex.
func open(name string) (started Device, passed, err error) {
	from := ""
	if name == "" {
		if name = os.Getenv(Variable); name != "" {
			from = Variable + "=" + name + ": "
		}
	}
	if err := CheckName(name); err != nil {
		return nil, nil, fmt.Errorf("device: %s%s", from, strings.TrimPrefix(err.Error(), "device: "))
	}
	switch name {
	case NameCUDA:
		if started, err = card(); err != nil {
			return nil, nil, fmt.Errorf("device: %s%w", from, err)
		}
		return started, nil, nil
	case NameCPU:
		started, err = processor()
		return started, nil, err
	}
	if started, passed = card(); passed == nil {
		return started, nil, nil
	}
	if errors.Is(passed, ErrNoCard) {
		passed = nil
	}
	started, err = processor()
	return started, passed, err
}

// MayFallBack reports whether the process-wide device was selected automatically, so that another
// device may perform operations that it does not support.
func MayFallBack() bool {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	name := choice.wanted
	if name == "" {
		name = os.Getenv(Variable)
	}
	return name == "" || name == NameAuto
}

// card opens the NVIDIA GPU.
func card() (Device, error) {
	if openCUDA == nil {
		return nil, noGPU{}
	}
	return openCUDA()
}

// noGPU is the error of a build without GPU support, which is not a failure.
type noGPU struct{}

func (noGPU) Error() string {
	return "this build has no GPU support; run make gpu, which needs a C compiler but no GPU, or choose the device " + NameCPU
}

func (noGPU) Unwrap() error { return ErrNoCard }

// Card returns the name of the GPU that would be used, or an error with the reason why there is
// none.
func Card() (string, error) {
	started, err := card()
	if err != nil {
		return "", err
	}
	return started.Name(), nil
}

// processor returns the process-wide CPU, with the user's BLAS library if one is named.
func processor() (Device, error) {
	if choice.cpu != nil {
		return choice.cpu, nil
	}
	cpu := NewCPU(0)
	if path := os.Getenv(BLASVariable); path != "" {
		if err := cpu.UseBLAS(path); err != nil {
			cpu.Close()
			return nil, err
		}
	}
	choice.cpu = cpu
	return cpu, nil
}
