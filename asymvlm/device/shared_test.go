package device

import (
	"strings"
	"testing"
)

// forget resets the process-wide device to that of the environment, and restores it after the test.
func forget(t *testing.T) {
	t.Helper()
	clear := func() { choice.wanted, choice.device, choice.passed = "", nil, nil }
	clear()
	t.Cleanup(clear)
}

func TestSharedDeviceIsOne(t *testing.T) {
	if first, second := Shared(), Shared(); first != second {
		t.Error("two shared devices")
	}
	if name := Shared().Name(); len(name) < len("cpu (Go, 1 threads)") {
		t.Errorf("name %q", name)
	}
}

func TestVariableChoosesTheDevice(t *testing.T) {
	forget(t)
	t.Setenv(Variable, "cpu")
	shared, err := Default()
	if err != nil || !strings.HasPrefix(shared.Name(), "cpu (") {
		t.Errorf("%v, %v", shared, err)
	}
	choice.device = nil
	t.Setenv(Variable, "gpu")
	if _, err := Default(); err == nil || err.Error() != `device: GOSPHERE_DEVICE=gpu: "gpu" is no device, want cpu, cuda or auto` {
		t.Errorf("error %v", err)
	}
}

func TestUseComesBeforeTheVariable(t *testing.T) {
	forget(t)
	t.Setenv(Variable, "nonsense")
	if err := Use("cpu"); err != nil {
		t.Fatal(err)
	}
	if shared, err := Default(); err != nil || !strings.HasPrefix(shared.Name(), "cpu (") {
		t.Errorf("%v, %v", shared, err)
	}
}

func TestWithoutACardCudaIsAnErrorAndAutoFallsBack(t *testing.T) {
	if _, err := Card(); err == nil {
		t.Skip("there is a card")
	}
	forget(t)
	t.Setenv(Variable, "")
	err := Use(NameCUDA)
	if err == nil || openCUDA == nil && !strings.Contains(err.Error(), "no GPU support; run make gpu") {
		t.Errorf("error %v", err)
	}
	if choice.device != nil {
		t.Error("the error changed the choice")
	}
	if err := Use(NameAuto); err != nil {
		t.Error(err)
	}
	if _, isCPU := Shared().(*CPU); !isCPU {
		t.Errorf("auto is %s", Shared().Name())
	}
}

func TestWrongProductsOfALibraryAreRefused(t *testing.T) {
	right := blas{multiply: func(f form, dst, a, b Matrix[float32]) {
		switch reference := (Reference[float32]{}); {
		case f.leftTransposed:
			reference.ProductLeftTransposed(dst, a, b)
		case f.rightTransposed:
			reference.ProductRightTransposed(dst, a, b)
		default:
			reference.Product(dst, a, b)
		}
	}}
	if err := right.check(); err != nil {
		t.Error(err)
	}
	wrong := right
	wrong.multiply = func(f form, dst, a, b Matrix[float32]) {
		right.multiply(f, dst, a, b)
		if f.rightTransposed {
			dst.Values[30] += 0.01
		}
	}
	if err := wrong.check(); err == nil || !strings.HasPrefix(err.Error(), "its products are wrong: value 1 of row 1 is ") {
		t.Errorf("error %v", err)
	}
}

func TestLibraryOfNoFileIsAnErrorWithItsPath(t *testing.T) {
	cpu := NewCPU(1)
	defer cpu.Close()
	err := cpu.UseBLAS("/nowhere/libopenblas.so")
	if err == nil || !strings.HasPrefix(err.Error(), "device: GOSPHERE_BLAS=/nowhere/libopenblas.so: ") {
		t.Errorf("error %v", err)
	}
	if cpu.blas != nil {
		t.Error("the library is in use")
	}
}
