package debug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"math/big"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"gosphere/asymvlm/retrieval"
	"gosphere/runtime/display"
	"gosphere/runtime/widget"
)

type link struct {
	Next *link
	N    int
}

func outlineOf(of any) string { return Outline(reflect.ValueOf(of), ShortOutline) }

func TestValuesOfCompiledPackagesSayWhatTheyHold(t *testing.T) {
	var text strings.Builder
	text.WriteString("built")
	var count atomic.Int64
	count.Add(7)
	var done atomic.Bool
	done.Store(true)
	full := make(chan int, 5)
	full <- 1
	normal, _ := distmv.NewNormal([]float64{1, 2}, mat.NewSymDense(2, []float64{1, 0, 0, 1}), nil)
	for _, c := range []struct {
		of   any
		want string
	}{
		{fmt.Errorf("no row: %w", fs.ErrNotExist), "no row: file does not exist"},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, "open x: no such file or directory"},
		{errors.Join(errors.New("a"), errors.New("b")), "a\nb"},
		{time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC), "2026-11-21 01:02:03 +0000 UTC"},
		{big.NewInt(42), "42"},
		{text, "built"},
		{bytes.NewBufferString("held"), "held"},
		{reflect.TypeFor[map[string]any](), "map[string]any"},
		{&count, "7"}, {&done, "true"},
		{make(chan bool), "chan bool"}, {full, "chan int (1 of 5)"},
		{math.Sqrt, "func(float64) float64 (math.Sqrt)"}, {strings.ToUpper, "func(string) string (strings.ToUpper)"},
		{func() {}, "func()"}, {text.String, "func() string"},
		{tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4})), "[1 2 3 4]"},
		{gorgonia.NewScalar(gorgonia.NewGraph(), gorgonia.Float64, gorgonia.WithName("x")), `&{shape:[] name:"x" …}`},
		{image.NewGray(image.Rect(1, 1, 4, 3)), "a picture of 3×2"},
		{mat.NewVecDense(3, []float64{1, 2, 3}), "[1 2 3]"},
		{context.Background(), "context.Background"},
		{&sync.Mutex{}, "&{…}"},
		{http.Client{Timeout: time.Second}, "{Transport:nil CheckRedirect:nil Jar:nil Timeout:1s}"},
		{link{&link{&link{&link{nil, 4}, 3}, 2}, 1}, "{Next:&{Next:&{…} N:2} N:1}"},
	} {
		if got := outlineOf(c.of); got != c.want {
			t.Errorf("%T is %s, want %s", c.of, got, c.want)
		}
	}
	if got := outlineOf(time.Now()); strings.Contains(got, "m=") {
		t.Errorf("a time tells the monotonic clock: %s", got)
	}
	if got := outlineOf(normal); !strings.HasPrefix(got, "&{mu:[1 2] ") {
		t.Errorf("what gonum keeps to itself is not shown: %s", got)
	}
}

func TestValuesOfThisProgramSayInAFewWordsWhatTheyHold(t *testing.T) {
	bar := display.NewProgress("sampling", 10)
	bar.Step(4, "")
	slider := widget.NewFloatSlider("κ", 5, 0.1, 100, 0.1)
	for _, c := range []struct {
		of   any
		want string
	}{
		{bar, "sampling: 4 of 10"},
		{new(display.Progress), "no task"},
		{display.Progress{}, "no task"},
		{slider, `FloatSlider("κ", value=5)`},
		{retrieval.Spread{Mean: 1, SD: 0.5}, "1.000 ± 0.500"},
		{struct{ S *widget.FloatSlider }{slider}, `{S:FloatSlider("κ", value=5)}`},
	} {
		if got := outlineOf(c.of); got != c.want {
			t.Errorf("%T is %s, want %s", c.of, got, c.want)
		}
	}
}

// A value that contains values of a cell is shown by its fields, because its methods may call those
// of the cell.
func TestNoMethodIsCalledThatMayComeToACell(t *testing.T) {
	left := mostLooked
	for _, of := range []any{struct{ Cause error }{errors.New("e")}, &fs.PathError{Err: errors.New("e")}, []any{1, "a", nil}} {
		if !plain(reflect.ValueOf(of), &left) {
			t.Errorf("%T is not plain", of)
		}
	}
	type held struct{ F func() }
	for _, of := range []any{held{func() {}}, []any{make(chan int)}, map[string]any{"a": 1}, struct{ Of any }{struct{ F func() }{func() {}}}} {
		if plain(reflect.ValueOf(of), &left) {
			t.Errorf("%T is plain", of)
		}
	}
	left = 3
	if long := []any{1, errors.New("a"), &fs.PathError{}, &fs.PathError{}, &fs.PathError{}}; plain(reflect.ValueOf(long), &left) {
		t.Error("the look has no end")
	}
}

// The fields are more useful than the first line of a table of several lines.
func TestTablesAreShownByTheirFieldsAndTensorsHaveShapes(t *testing.T) {
	if got := outlineOf(new(retrieval.Report)); !strings.HasPrefix(got, "&{TextToImage:{Recall1:0 Recall5:0 ") {
		t.Errorf("a report is %s", got)
	}
	for _, c := range []struct {
		of   any
		want string
	}{
		{tensor.New(tensor.WithShape(2, 3), tensor.Of(tensor.Float32)), "2×3"}, {mat.NewVecDense(3, nil), "3×1"}, {(*tensor.Dense)(nil), ""},
	} {
		if got := Size(reflect.ValueOf(c.of)); got != c.want {
			t.Errorf("%T has the size %q, want %q", c.of, got, c.want)
		}
	}
}
