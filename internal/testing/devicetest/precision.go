// Package devicetest helps tests of other packages to change the process-wide settings of package
// device.
package devicetest

import (
	"testing"

	"gosphere/asymvlm/device"
)

// ChoosePrecision sets the process-wide precision of trainings for the duration of a test, "" for
// the default. Such tests must not run in parallel.
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
