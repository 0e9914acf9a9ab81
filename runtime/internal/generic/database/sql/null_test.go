package sql

import (
	standard "database/sql"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
)

type level int

func (l *level) Scan(value any) error {
	if value != "high" {
		return errors.New("no level")
	}
	*l = 9
	return nil
}

// scans scans the same database value into both types and compares all results.
func scans[T any](t *testing.T, value any) {
	t.Helper()
	var own Null[T]
	var std standard.Null[T]
	gotErr, wantErr := own.Scan(value), std.Scan(value)
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || own.Valid != std.Valid || !reflect.DeepEqual(own.V, std.V) {
		t.Errorf("%T of %#v: %v %v, %v; want %v %v, %v", own.V, value, own.V, own.Valid, gotErr, std.V, std.Valid, wantErr)
	}
	got, gotErr := own.Value()
	want, wantErr := std.Value()
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
		t.Errorf("%T of %#v stores %#v, %v; want %#v, %v", own.V, value, got, gotErr, want, wantErr)
	}
}

func TestNullAgreesForEveryValueOfADatabase(t *testing.T) {
	when := time.Unix(5, 0).UTC()
	for _, value := range []any{nil, int64(7), int64(-1 << 40), 2.5, true, "12", "x", []byte("3.5"), []byte{}, when, "high", uint64(1 << 63), []int{1}} {
		scans[int](t, value)
		scans[int8](t, value)
		scans[uint16](t, value)
		scans[float64](t, value)
		scans[float32](t, value)
		scans[bool](t, value)
		scans[string](t, value)
		scans[[]byte](t, value)
		scans[time.Time](t, value)
		scans[any](t, value)
		scans[*string](t, value)
		scans[level](t, value)
		scans[struct{}](t, value)
	}
}
