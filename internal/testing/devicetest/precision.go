// Package devicetest helps tests of other packages with what package device keeps for the whole program.
package devicetest

import (
	"testing"

	"gosphere/asymvlm/device"
)

// ChoosePrecision chooses the precision of the program's trainings until the test ends, "" for none. Such tests do not run in parallel.
func ChoosePrecision(t testing.TB, p device.Precision) {
	t.Helper()
	if err := device.UsePrecision(p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.UsePrecision(""); err != nil {
			t.Error(err)
		}
	})
}
