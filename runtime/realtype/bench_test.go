package realtype

import (
	"fmt"
	"reflect"
	"testing"
)

func BenchmarkBox(b *testing.B) {
	forged := forgedTemperature(b)
	for b.Loop() {
		_ = Box(forged, 1.5)
	}
}

func BenchmarkUnbox(b *testing.B) {
	forged := forgedTemperature(b)
	v := Box(forged, 1.5)
	for b.Loop() {
		_ = Unbox(forged, v)
	}
}

func BenchmarkUnboxOfAnotherType(b *testing.B) {
	forged := forgedTemperature(b)
	for b.Loop() {
		_ = Unbox(forged, "text")
	}
}

func BenchmarkPick(b *testing.B) {
	forged := forgedTemperature(b)
	v := Box(forged, 1.5)
	s := NewSwitch(func() [][]reflect.Type { return [][]reflect.Type{{typ[int]()}, {forged.Real()}} })
	for b.Loop() {
		_ = Pick(s, v)
	}
}

// BenchmarkMethodCall includes what a function made by reflect.MakeFunc costs.
func BenchmarkMethodCall(b *testing.B) {
	v := Box(forgedTemperature(b), 1.5).(fmt.Stringer)
	for b.Loop() {
		_ = v.String()
	}
}
