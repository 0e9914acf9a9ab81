package realtype

import (
	"fmt"
	"reflect"
	"testing"
)

// holding returns a variable of a type that holds a value.
func holding(t reflect.Type, v any) reflect.Value {
	p := reflect.New(t).Elem()
	if v != nil {
		p.Set(reflect.ValueOf(v))
	}
	return p
}

func TestBoxingFromPlaceToPlaceIsBox(t *testing.T) {
	forged := forgedTemperature(t)
	a, b := holding(typ[float64](), 21.5), holding(typ[any](), "old")
	Boxing(forged, typ[any]())(a, b)
	wantSame(t, "any", b.Interface(), Box(forged, 21.5))
	a.SetFloat(3)
	wantSame(t, "copied", b.Interface(), Box(forged, 21.5))

	s := holding(typ[fmt.Stringer](), nil)
	box := Boxing(forged, typ[fmt.Stringer]())
	for _, x := range []float64{1, 2, 3} { // the second time the table of methods is known
		box(holding(typ[float64](), x), s)
		wantSame(t, "stringer", s.Interface(), Box(forged, x))
		wantSame(t, "method", s.Interface().(fmt.Stringer).String(), Box(forged, x).(fmt.Stringer).String())
	}
}

func TestUnboxingFromPlaceToPlaceIsMust(t *testing.T) {
	forged := forgedTemperature(t)
	to := holding(typ[float64](), 9.0)
	Unboxing(forged, typ[any]())(holding(typ[any](), Box(forged, 21.5)), to)
	wantSame(t, "value", to.Float(), 21.5)
	Unboxing(forged, typ[fmt.Stringer]())(holding(typ[fmt.Stringer](), Box(forged, 4.0)), to)
	wantSame(t, "value of a stringer", to.Float(), 4.0)

	other := reflect.ValueOf(3) // a Stringer of another type
	for _, from := range []reflect.Value{holding(typ[any](), nil), holding(typ[any](), 1.5), holding(typ[any](), other)} {
		wantSame(t, "panic", panicText(func() { Unboxing(forged, typ[any]())(from, to) }), panicText(func() { Must(forged, from.Interface()) }))
	}
	from := holding(typ[fmt.Stringer](), other)
	wantSame(t, "panic of a stringer", panicText(func() { Unboxing(forged, typ[fmt.Stringer]())(from, to) }),
		panicText(func() { MustFrom(forged, typ[fmt.Stringer](), other) }))
	wantSame(t, "untouched", to.Float(), 4.0)
}

func TestTestingTellsWhetherAndEmptiesWhatItMisses(t *testing.T) {
	forged := forgedTemperature(t)
	type result = struct {
		V  float64
		OK bool
	}
	to := holding(typ[result](), nil)
	for _, c := range []struct {
		v    any
		want result
	}{{Box(forged, 2.5), result{2.5, true}}, {2.5, result{}}, {Box(forged, 7.0), result{7, true}}, {nil, result{}}} {
		Testing(forged)(holding(typ[any](), c.v), to)
		wantSame(t, fmt.Sprint(c.v), to.Interface(), any(c.want))
	}
}
