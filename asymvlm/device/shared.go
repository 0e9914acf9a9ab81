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
	NameCPU  = "cpu"  // all cores of the processor
	NameCUDA = "cuda" // the first NVIDIA card; only in builds with GPU support
	NameAuto = "auto" // cuda where it works, or else cpu
)

// Variable names the environment variable that chooses the device of the program when nothing else does.
const Variable = "GOSPHERE_DEVICE"

// openCUDA starts the card. It is nil in builds without GPU support.
var openCUDA func() (Device, error)

// choice is the device of the whole program.
var choice struct {
	mutex  sync.Mutex // guards what follows
	wanted string     // what Use was given
	device Device     // nil before it is first wanted
	passed error      // why auto passed over a card that is there; nil where it did not
	cpu    *CPU       // once started it stays: adapters may hold it

	precision Precision // what UsePrecision was given
}

// CheckName reports a name that is none of the constants. The empty name stands for the environment variable.
func CheckName(name string) error {
	switch name {
	case "", NameCPU, NameCUDA, NameAuto:
		return nil
	}
	return fmt.Errorf("device: %q is no device, want %s, %s or %s", name, NameCPU, NameCUDA, NameAuto)
}

// Use chooses the device of the whole program by name and starts it. The empty name is that of the environment variable
// GOSPHERE_DEVICE, and auto where that is not set either. What was made with another device before keeps it. An error
// leaves the choice as it was.
func Use(name string) error {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	started, passed, err := open(name)
	if err == nil {
		choice.wanted, choice.device, choice.passed = name, started, passed
	}
	return err
}

// Default returns the device of the whole program, starting it at the first call. It must not be closed.
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

// Shared is Default for those who cannot go on without a device: it panics where Default has an error.
func Shared() Device {
	shared, err := Default()
	if err != nil {
		panic(err)
	}
	return shared
}

// ErrNoCard is what OfferCUDA's function wraps where there is no card, or no driver, so that nothing has failed.
var ErrNoCard = errors.New("there is no card")

// CardNotUsed tells why the device auto is the processor although a card or a driver is there, and is empty elsewhere.
func CardNotUsed() string {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	if choice.passed == nil {
		return ""
	}
	return choice.passed.Error()
}

// open starts a device by name, with the choice locked, and tells what is wrong with a card that it passed over.
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

// MayFallBack reports whether the device of the program was not named, so that another one may take over what it cannot do.
func MayFallBack() bool {
	choice.mutex.Lock()
	defer choice.mutex.Unlock()
	name := choice.wanted
	if name == "" {
		name = os.Getenv(Variable)
	}
	return name == "" || name == NameAuto
}

// card starts the NVIDIA card.
func card() (Device, error) {
	if openCUDA == nil {
		return nil, noGPU{}
	}
	return openCUDA()
}

// noGPU is the error of a build without GPU support, where nothing has failed.
type noGPU struct{}

func (noGPU) Error() string {
	return "this build has no GPU support; make one by make gpu, which needs a C compiler but no card, or choose the device " + NameCPU
}

func (noGPU) Unwrap() error { return ErrNoCard }

// Card tells which card would be used, or why there is none.
func Card() (string, error) {
	started, err := card()
	if err != nil {
		return "", err
	}
	return started.Name(), nil
}

// processor returns the CPU that the program shares, with the user's own linear algebra where one is named.
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
