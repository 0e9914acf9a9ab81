package realtype

import (
	"fmt"
	"testing"
)

// BenchmarkMethodCall includes the cost of a function made by reflect.MakeFunc.
func BenchmarkMethodCall(b *testing.B) {
	v := box(forgedTemperature(b), 1.5).(fmt.Stringer)
	for b.Loop() {
		_ = v.String()
	}
}
