package cuda_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
)

// normals returns a matrix of random normal numbers.
func normals(seed uint64, rows, columns int) device.Matrix[float32] {
	source := rand.New(rand.NewPCG(seed, 1))
	m := device.NewMatrix[float32](rows, columns)
	for i := range m.Values {
		m.Values[i] = float32(source.NormFloat64())
	}
	return m
}

// bundle returns mean directions with concentrations of all sizes.
func bundle(rows, columns int) (means device.Matrix[float32], kappas []float32) {
	means, kappas = normals(3, rows, columns), make([]float32, rows)
	clear(means.Row(0))
	clear(means.Row(1)) // both ends of the first axis, where the reflection switches its form
	means.Row(0)[0], means.Row(1)[0] = 1, -1
	device.Reference[float32]{}.Units(means, make([]float64, rows), means)
	for i := range kappas {
		kappas[i] = []float32{0, 0.2, 7, 300, 1e5, 1e12}[i%6]
	}
	return means, kappas
}

// noisy returns logits with deviations down to 0.
func noisy(rows, columns int) device.UncertainLogits[float32] {
	l := device.UncertainLogits[float32]{Means: normals(5, rows, columns), Deviations: normals(6, rows, columns), Scale: 2}
	for i, value := range l.Deviations.Values {
		l.Deviations.Values[i] = max(0, value)
	}
	return l
}

// carded returns a device on an emulated GPU, with blocks of the given number of words.
func carded(t *testing.T, driver cuda.Driver, words int) *cuda.Device {
	t.Helper()
	ops, err := cuda.New(driver)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ops.Close)
	ops.LimitDraws(words)
	return ops
}

// The kernels produce the samples of the definition, in one block and in several: blocks of rows,
// and of samples around one mean.
func TestVectorsDrawnByTheKernelsAreThoseOfTheReference(t *testing.T) {
	for _, c := range []struct{ d, means, draws int }{{2, 12, 30}, {3, 12, 20}, {65, 6, 9}, {512, 6, 4}} {
		means, kappas := bundle(c.means, c.d)
		for _, law := range []device.Law{device.VonMisesFisher, device.PowerSpherical} {
			from := device.Origin{Seed: 1<<40 + 7, Row: 100, Draw: 9}
			want := device.NewMatrix[float32](c.means*c.draws, c.d)
			if err := (device.Reference[float32]{}).DrawSphere(want, law, means, kappas, from); err != nil {
				t.Fatal(err)
			}
			for _, words := range []int{1 << 26, 5 * c.draws * c.d, c.draws * c.d / 2} {
				card := emulate.New()
				got := device.NewMatrix[float32](c.means*c.draws, c.d)
				if err := carded(t, card, words).DrawSphere(got, law, means, kappas, from); err != nil {
					t.Fatal(err)
				}
				if card.Launches["draw_around"] == 0 || card.Used() != 0 || (card.Launches["draw_around"] > 1) != (words < 1<<26) {
					t.Errorf("%v d=%d: launches %v in blocks of %d words, %d bytes are left", law, c.d, card.Launches, words, card.Used())
				}
				for i, value := range got.Values {
					if !(math.Abs(float64(value-want.Values[i])) <= 3e-6) {
						t.Fatalf("%v d=%d in blocks of %d words: row %d, column %d is %g, want %g (κ %g)", law, c.d, words, i/c.d, i%c.d,
							value, want.Values[i], kappas[i/c.d/c.draws])
					}
				}
			}
		}
	}
}

func TestMeanSoftmaxOfTheKernelIsThatOfTheReference(t *testing.T) {
	for _, c := range []struct{ rows, columns, draws int }{{5, 701, 3}, {2, 1024, 4}, {40, 3, 5}, {20, 90, 1}, {30, 1, 2}} {
		l, from := noisy(c.rows, c.columns), device.Origin{Seed: 3, Row: 1 << 31, Draw: 2}
		want := device.NewMatrix[float32](c.rows, c.columns)
		if err := (device.Reference[float32]{}).MeanSoftmax(want, l, c.draws, from); err != nil {
			t.Fatal(err)
		}
		for _, words := range []int{1 << 26, 4 * c.columns * ((c.rows + 1) / 2), 1} {
			if words == 1 && c.rows > 5 {
				continue
			}
			card := emulate.New()
			got := device.NewMatrix[float32](c.rows, c.columns)
			if err := carded(t, card, words).MeanSoftmax(got, l, c.draws, from); err != nil {
				t.Fatal(err)
			}
			blocks := map[int]int{1 << 26: 1, 1: c.rows}[words]
			if blocks == 0 {
				blocks = 2
			}
			if card.Launches["mean_softmax"] != blocks || card.Used() != 0 {
				t.Errorf("%+v in blocks of %d words: launches %v, %d bytes are left", c, words, card.Launches, card.Used())
			}
			for i, value := range got.Values {
				if !(math.Abs(float64(value-want.Values[i])) <= 3e-6) {
					t.Fatalf("%+v: row %d, column %d is %g, want %g", c, i/c.columns, i%c.columns, value, want.Values[i])
				}
			}
		}
	}
}

// A softmax over one candidate is 1 for any logit, so two candidates reveal the logits: with the
// CPU's normal numbers a single sample differs only by the rounding of the exponential.
func TestNormalNumbersOfTheKernelHaveTheBitsOfTheProcessor(t *testing.T) {
	const rows = 3000
	l := device.UncertainLogits[float32]{Means: device.NewMatrix[float32](rows, 2), Deviations: device.NewMatrix[float32](rows, 2), Scale: 1}
	for i := range l.Deviations.Values {
		l.Deviations.Values[i] = 1
	}
	processor := device.NewCPU(1)
	defer processor.Close()
	got, want := device.NewMatrix[float32](rows, 2), device.NewMatrix[float32](rows, 2)
	if err := errors.Join(carded(t, emulate.New(), 1<<26).MeanSoftmax(got, l, 1, device.Origin{Seed: 5}), processor.MeanSoftmax(want, l, 1, device.Origin{Seed: 5})); err != nil {
		t.Fatal(err)
	}
	for i, value := range got.Values {
		if math.Abs(float64(value-want.Values[i])) > 2.5e-7*float64(want.Values[i]) {
			t.Fatalf("row %d: %g, want %g", i/2, value, want.Values[i])
		}
	}
}

func TestFewDrawsStayWithTheProcessor(t *testing.T) {
	card := emulate.New()
	ops, err := cuda.New(card)
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	means, kappas := bundle(2, 4)
	l := noisy(1, 1000)
	few := device.NewMatrix[float32](2, 4)
	if err := errors.Join(ops.DrawSphere(few, device.PowerSpherical, means, kappas, device.Origin{}), ops.MeanSoftmax(device.NewMatrix[float32](1, 1000), l,
		cuda.LeastDraws/1000, device.Origin{})); err != nil || len(card.Launches) != 0 {
		t.Errorf("launches %v, error %v", card.Launches, err)
	}
	if err := ops.MeanSoftmax(device.NewMatrix[float32](1, 1000), l, cuda.LeastDraws/1000+1, device.Origin{}); err != nil || card.Launches["mean_softmax"] != 1 {
		t.Errorf("launches %v, error %v", card.Launches, err)
	}
	if few.Row(0)[0] == 0 {
		t.Error("nothing was drawn")
	}
}

// Whichever call fails, the error is reported as a lost device or as too little memory, and all
// memory of a usable GPU is freed.
func TestDrawsOnALostCardAreErrors(t *testing.T) {
	l, dst := noisy(60, 300), device.NewMatrix[float32](60, 300)
	means, kappas := bundle(6, 300)
	vectors := device.NewMatrix[float32](60, 300)
	// 25 rows of four matrices, and 50 vectors around 5 directions with their inputs, in bytes.
	leasts := map[string]int{"softmax": 4 * 4 * 25 * 300, "vectors": 4 * (50*300 + 2*50 + 5*300 + 5)}
	for name, draw := range map[string]func(ops *cuda.Device) error{
		"softmax": func(ops *cuda.Device) error { return ops.MeanSoftmax(dst, l, 1, device.Origin{}) },
		"vectors": func(ops *cuda.Device) error {
			return ops.DrawSphere(vectors, device.PowerSpherical, means, kappas, device.Origin{})
		},
	} {
		for left := 1; ; left++ { // the kernels are loaded first
			card := &fragile{Driver: emulate.New(), left: left}
			err := draw(carded(t, card, 4*300*25))
			if err == nil {
				if left < 10 {
					t.Errorf("%s: the card is asked %d times", name, left)
				}
				break
			}
			lost := new(device.LostError)
			if !errors.Is(err, errLost) || !errors.As(err, &lost) {
				t.Errorf("%s, failing after %d questions: error %v", name, left, err)
			}
		}
		card := emulate.New()
		for card.Limit = 4; ; card.Limit += 4000 {
			ops, err := cuda.New(card)
			if err != nil {
				t.Fatal(err)
			}
			ops.LimitDraws(4 * 300 * 25)
			err = draw(ops)
			if card.Used() != 0 {
				t.Fatalf("%s with %d bytes: %d are left", name, card.Limit, card.Used())
			}
			ops.Close()
			if err == nil {
				break
			}
			if lost := new(device.LostError); errors.As(err, &lost) || !strings.HasPrefix(err.Error(), "cuda: the draws want 0.00 GB of emulated card; the device cpu helps: ") || !errors.Is(err, device.ErrMemory) {
				t.Fatalf("%s with %d bytes: error %v", name, card.Limit, err)
			}
		}
		if least := leasts[name]; card.Limit < least || card.Limit > least+4000 {
			t.Errorf("%s: %d bytes are enough, want %d", name, card.Limit, least)
		}
	}
}

func TestDrawsThatCannotBeAreRefusedBeforeTheCardIsAsked(t *testing.T) {
	card := emulate.New()
	ops := carded(t, card, 1<<26)
	l := noisy(60, 300)
	l.Deviations.Row(59)[7], l.Means.Row(59)[7] = -0.5, 1
	means, kappas := bundle(6, 300)
	kappas[5] = float32(math.NaN())
	long := means
	long.Values = slices.Clone(means.Values)
	long.Row(3)[0] += 2
	for want, err := range map[string]error{
		"device: row 59, column 7: mean 1, deviation -0.5, scale 2": ops.MeanSoftmax(device.NewMatrix[float32](60, 300), l, 1, device.Origin{}),
		"device: -1 draws, want at least 1":                         ops.MeanSoftmax(device.NewMatrix[float32](60, 300), l, -1, device.Origin{}),
		"device: concentration 5 is NaN":                            ops.DrawSphere(device.NewMatrix[float32](60, 300), device.VonMisesFisher, means, kappas, device.Origin{}),
		"device: mean direction 3 has length ": ops.DrawSphere(device.NewMatrix[float32](60, 300), device.VonMisesFisher, long,
			make([]float32, 6), device.Origin{}),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if len(card.Launches) != 0 {
		t.Error(fmt.Sprint(card.Launches))
	}
}
