//go:build gpu && linux

package gpu

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

// drawn returns the samples of a device: probabilities, and vectors of both laws.
func drawn(ops device.Device) (values []float32, err error) {
	const rows, columns = 40, 500
	l := device.UncertainLogits[float32]{Means: device.NewMatrix[float32](rows, columns), Deviations: device.NewMatrix[float32](rows, columns), Scale: 3}
	means, kappas := device.NewMatrix[float32](10, columns), make([]float32, 10)
	for i := range l.Means.Values {
		l.Means.Values[i], l.Deviations.Values[i] = float32(math.Cos(float64(i))), float32(i%7)/5
	}
	for i := range means.Rows {
		means.Row(i)[i], means.Row(i)[i+1] = -0.6, 0.8
		kappas[i] = float32(math.Pow(10, float64(i-2)))
	}
	results := [3]device.Matrix[float32]{}
	for i := range results {
		results[i] = device.NewMatrix[float32](rows, columns)
	}
	from := device.Origin{Seed: 1<<50 + 3, Row: 5, Draw: 6}
	err = ops.MeanSoftmax(results[0], l, 3, from)
	for i, law := range []device.Law{device.VonMisesFisher, device.PowerSpherical} {
		if err == nil {
			err = ops.DrawSphere(results[i+1], law, means, kappas, from)
		}
		values = append(values, results[i].Values...)
	}
	return append(values, results[2].Values...), err
}

// playing opens the simulated GPU.
func playing(t *testing.T) *cuda.Device {
	t.Helper()
	driver, err := open()
	if err != nil {
		t.Fatal(err)
	}
	ops, err := cuda.New(driver)
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

// The kernels compiled as C++ produce the samples of the reference.
func TestDrawsOfThePlayedCardAreThoseOfTheReference(t *testing.T) {
	want, err := drawn(device.Reference[float32]{})
	if err != nil {
		t.Fatal(err)
	}
	played.begin(0, 0, gigabyte)
	ops := playing(t)
	defer ops.Close()
	got, err := drawn(ops)
	if err != nil {
		t.Fatal(err)
	}
	if launches := count(calls(), "cuLaunchKernel"); launches != 1+2*2 {
		t.Errorf("%d kernels were started, want 5", launches)
	}
	for i, value := range got {
		if !(math.Abs(float64(value-want[i])) <= 3e-6) {
			t.Fatalf("value %d is %g, want %g", i, value, want[i])
		}
	}
	if left := played.bytes(); left != workspaceBytes {
		t.Errorf("%d bytes are left, want those of cuBLAS", left)
	}
}

// Whichever call of a sampling operation fails, the error is reported as a lost device.
func TestDrawsTellAnErrorOfAnyCall(t *testing.T) {
	played.begin(0, 0, gigabyte)
	ops := playing(t)
	before := len(calls())
	if _, err := drawn(ops); err != nil {
		t.Fatal(err)
	}
	after := len(calls())
	ops.Close()
	for call := before + 1; call <= after; call++ {
		played.begin(int32(call), launchFailed, gigabyte)
		ops := playing(t)
		_, err := drawn(ops)
		lost, name := new(device.LostError), calls()[call-1]
		if err == nil || !errors.As(err, &lost) {
			t.Errorf("%s fails: error %v", fmt.Sprint("call ", call, ", ", name), err)
		}
		ops.Close()
		if left := played.bytes(); left != 0 {
			t.Errorf("call %d, %s: %d bytes are left", call, name, left)
		}
	}
}
