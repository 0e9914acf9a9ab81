//go:build (blas || gpu) && linux

package device

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestLibrariesThatHaveNoProductAreRefused(t *testing.T) {
	for path, want := range map[string]string{
		"/nowhere/libopenblas.so": "there is no such file",
		"blas_test.go":            "it is no library that can be opened",
		"./blas_test.go":          "it is no library that can be opened",
		"libm.so.6":               "the library has no cblas_sgemm",
	} {
		if _, err := openBLAS(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
}

// The library is the user's: GOSPHERE_BLAS names one for this test too.
func TestOperationsAgreeWithTheReferenceOnALibrary(t *testing.T) {
	path := os.Getenv(BLASVariable)
	if path == "" {
		t.Skip(BLASVariable + " names no library")
	}
	cpu := NewCPU(2)
	defer cpu.Close()
	if err := cpu.UseBLAS(path); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(cpu.Name(), "products by "+path+")") {
		t.Errorf("name %q", cpu.Name())
	}
	source := rand.New(rand.NewPCG(3, 4))
	for _, columns := range sizes() {
		in := drawInputs(pick(source), columns, source)
		want := operations[float64](Reference[float64]{}, wideInputs(in))
		for what, got := range operations[float32](cpu, in) {
			near(t, what, got, want[what], 6e-6)
		}
	}
}
