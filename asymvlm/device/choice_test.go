package device

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// offer sets the function that opens the GPU for the duration of a test.
func offer(t *testing.T, open func() (Device, error)) {
	t.Helper()
	before := openCUDA
	OfferCUDA(open)
	t.Cleanup(func() { openCUDA = before })
	forget(t)
	t.Setenv(Variable, "")
}

// A played GPU performs the operations by the reference.
type played struct{ Reference[float32] }

func (played) Name() string { return "cuda (played)" }

func TestACardThatWorksIsTheDeviceOfAutoAndOfCuda(t *testing.T) {
	offer(t, func() (Device, error) { return played{}, nil })
	for _, name := range []string{"", NameAuto, NameCUDA} {
		choice.device = nil
		if err := Use(name); err != nil {
			t.Fatal(err)
		}
		if shared := Shared(); shared.Name() != "cuda (played)" {
			t.Errorf("the device %q is %s", name, shared.Name())
		}
	}
	if err := Use(NameCPU); err != nil || !strings.HasPrefix(Shared().Name(), "cpu (") {
		t.Errorf("the device cpu is %s, error %v", Shared().Name(), err)
	}
	if name, err := Card(); err != nil || name != "cuda (played)" {
		t.Errorf("the card is %q, error %v", name, err)
	}
}

// If the device was selected automatically, GPUFallbackReason returns why an existing GPU is not
// used, and "" if there is none.
func TestAutoTellsWhyACardIsNotUsed(t *testing.T) {
	failed, absent := errors.New("the card is busy"), fmt.Errorf("no driver: %w", ErrNoCard)
	for _, test := range []struct {
		name, variable string
		err            error
		want           string
	}{
		{NameAuto, "", failed, "the card is busy"}, {"", "", failed, "the card is busy"}, {"", NameAuto, failed, "the card is busy"},
		{NameCPU, "", failed, ""}, {"", NameCPU, failed, ""}, {NameAuto, "", absent, ""}, {NameAuto, "", nil, ""},
	} {
		offer(t, func() (Device, error) { return played{}, test.err })
		t.Setenv(Variable, test.variable)
		if err := Use(test.name); err != nil || GPUFallbackReason() != test.want {
			t.Errorf("%+v: %q is told, error %v", test, GPUFallbackReason(), err)
		}
		choice.device, choice.passed = nil, nil
		if Shared(); GPUFallbackReason() != test.want {
			t.Errorf("%+v: at the first use %q is told", test, GPUFallbackReason())
		}
	}
	openCUDA = nil
	if err := Use(NameAuto); err != nil || GPUFallbackReason() != "" {
		t.Errorf("a build without GPU support: %q is told, error %v", GPUFallbackReason(), err)
	}
}

// An error of a GPU is returned only if the GPU was requested.
func TestACardThatDoesNotStartIsAnErrorOnlyWhereItWasAskedFor(t *testing.T) {
	broken := errors.New("there is no NVIDIA driver on this machine")
	asked := 0
	offer(t, func() (Device, error) { asked++; return nil, broken })
	err := Use(NameCUDA)
	if !errors.Is(err, broken) || err.Error() != "device: there is no NVIDIA driver on this machine" {
		t.Errorf("error %v", err)
	}
	if _, err := Card(); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if err := Use(NameAuto); err != nil || !strings.HasPrefix(Shared().Name(), "cpu (") {
		t.Errorf("auto is %s, error %v", Shared().Name(), err)
	}
	t.Setenv(Variable, NameCUDA)
	choice.wanted, choice.device = "", nil
	if _, err := Default(); !errors.Is(err, broken) || err.Error() != "device: GOSPHERE_DEVICE=cuda: there is no NVIDIA driver on this machine" {
		t.Errorf("error %v", err)
	}
	if text := panicked(func() { Shared() }); !strings.Contains(text, "no NVIDIA driver") {
		t.Errorf("without a device Shared panics with %q", text)
	}
	before := asked
	if err := Use(NameCPU); err != nil || asked != before {
		t.Errorf("the device cpu asked for a card, error %v", err)
	}
}

func TestAnErrorLeavesTheDeviceAsItWas(t *testing.T) {
	offer(t, func() (Device, error) { return played{}, nil })
	if err := Use(NameCUDA); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gpu", "CPU", "cuda:1", " cpu"} {
		if err := Use(name); err == nil || !strings.Contains(err.Error(), "is no device, want cpu, cuda or auto") {
			t.Errorf("%q: error %v", name, err)
		}
		if Shared().Name() != "cuda (played)" {
			t.Errorf("%q changed the device to %s", name, Shared().Name())
		}
	}
}

func TestOnlyADeviceThatNobodyNamedMayBeLeft(t *testing.T) {
	offer(t, func() (Device, error) { return played{}, nil })
	for _, test := range []struct {
		used, variable string
		want           bool
	}{
		{"", "", true}, {"", NameAuto, true}, {NameAuto, "", true}, {NameAuto, NameCUDA, true},
		{"", NameCUDA, false}, {"", NameCPU, false}, {NameCUDA, "", false}, {NameCUDA, NameAuto, false}, {NameCPU, NameAuto, false},
	} {
		t.Setenv(Variable, test.variable)
		choice.wanted = test.used
		if got := MayFallBack(); got != test.want {
			t.Errorf("with %q used and %s=%q another device may take over: %t, want %t", test.used, Variable, test.variable, got, test.want)
		}
	}
}

func TestNamesOfDevicesAreThree(t *testing.T) {
	for _, name := range []string{"", NameCPU, NameCUDA, NameAuto} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := CheckName("tpu"); err == nil || err.Error() != `device: "tpu" is no device, want cpu, cuda or auto` {
		t.Errorf("error %v", err)
	}
}

// If a named library cannot be opened, that is an error rather than a silent fallback.
func TestALibraryThatCannotBeOpenedIsAnErrorOfTheDevice(t *testing.T) {
	forget(t)
	t.Setenv(Variable, NameCPU)
	t.Setenv(BLASVariable, "/nowhere/libopenblas.so")
	before := choice.cpu
	choice.cpu = nil
	t.Cleanup(func() { choice.cpu = before })
	_, err := Default()
	if err == nil || !strings.HasPrefix(err.Error(), "device: GOSPHERE_BLAS=/nowhere/libopenblas.so: ") {
		t.Errorf("error %v", err)
	}
	if choice.cpu != nil || choice.device != nil {
		t.Error("a device without the library is in use")
	}
	t.Setenv(BLASVariable, "")
	if _, err := Default(); err != nil {
		t.Errorf("without a library: %v", err)
	}
}

func TestALostDeviceTellsItsCause(t *testing.T) {
	cause := errors.New("the card does not answer")
	err := error(&LostError{Cause: cause})
	if err.Error() != "device: the device was lost: the card does not answer" || !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	if !errors.Is(ErrUnknownWork, ErrUnknownWork) || ErrUnknownWork.Error() == "" {
		t.Error("unknown work cannot be told from other errors")
	}
}

// Foreign products receive all forms, and their ending is applied; small ones stay on the CPU.
func TestGivenProductsAreFinishedByTheProcessor(t *testing.T) {
	for name, unit := range units() {
		own, given := newCPU(2, unit), newCPU(2, unit)
		least, done := 2*20*20*20., 0
		given.GiveProducts("somebody", least, func(p ForeignProduct) {
			done++
			reference := Reference[float32]{}
			switch {
			case p.LeftTransposed:
				reference.ProductLeftTransposed(p.Dst, p.A, p.B)
			case p.RightTransposed:
				reference.ProductRightTransposed(p.Dst, p.A, p.B)
			default:
				reference.Product(p.Dst, p.A, p.B)
			}
		})
		for _, shape := range [][3]int{{3, 4, 5}, {70, 40, 33}} {
			before, large := done, shape[0] > 20
			for _, c := range append(productCalls(), layerCalls()...) {
				got, want := newBench(1), newBench(1)
				c.do(given, got, shape[0], shape[1], shape[2])
				c.do(own, want, shape[0], shape[1], shape[2])
				for i, values := range want.out.values {
					near(t, name+" "+c.name, narrow[float32](got.out.values[i]), values, 3e-6)
				}
			}
			if gave := done - before; large && gave != 8 || !large && gave != 0 {
				t.Errorf("%s: %d of 8 products of %v were given away", name, gave, shape)
			}
		}
		own.Close()
		given.Close()
	}
}
