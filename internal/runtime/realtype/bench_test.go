package realtype

import (
	"fmt"
	"testing"
)

// BenchmarkMethodCall includes what a function made by reflect.MakeFunc costs.
func BenchmarkMethodCall(b *testing.B) {
	v := box(forgedTemperature(b), 1.5).(fmt.Stringer)
	for b.Loop() {
		_ = v.String()
	}
}
