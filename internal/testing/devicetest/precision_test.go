package devicetest

import (
	"testing"

	"gosphere/asymvlm/device"
)

func TestAChosenPrecisionIsTakenBackWithTheTest(t *testing.T) {
	t.Setenv(device.PrecisionVariable, "")
	for _, p := range []device.Precision{device.BFloat16, device.Float32, ""} {
		t.Run(string(p), func(t *testing.T) {
			want := p
			if p == "" {
				want = device.Float32
			}
			ChoosePrecision(t, device.BFloat16)
			ChoosePrecision(t, p) // the last call wins
			if got, err := device.DefaultPrecision(); err != nil || got != want {
				t.Errorf("precision %q, %v, want %q", got, err, want)
			}
		})
		if got, err := device.DefaultPrecision(); err != nil || got != device.Float32 {
			t.Errorf("behind the test it is %q, %v", got, err)
		}
	}
}
