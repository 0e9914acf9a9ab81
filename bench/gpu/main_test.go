package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"gosphere/asymvlm/cuda"
	"gosphere/asymvlm/cuda/emulate"
	"gosphere/asymvlm/device"
)

// small is everything but the built-in data at sizes that an emulated card can do.
var small = plan{batch: 16, columns: 8, hidden: 8, replays: 2, epochs: 2, pairs: 70, limit: time.Hour}

func emulated(t *testing.T) {
	t.Helper()
	card := emulate.New()
	device.OfferCUDA(func() (device.Device, error) { return cuda.New(card) })
	t.Cleanup(func() {
		device.OfferCUDA(nil)
		if err := device.Use(device.NameCPU); err != nil {
			t.Error(err)
		}
	})
}

func TestAllMeasurementsArePrinted(t *testing.T) {
	emulated(t)
	var w bytes.Buffer
	if err := bench(&w, small); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`^- cuda \(emulated card\)\n- cpu \(`, `\| part of vmf, batch 16, d=8 \|`, `\| part of ps, `, `\| gradient_power \| \d+\.\d\d \| \d+\.\d\d \| `,
		`\*\*the step as one graph\*\*`, `\n- 2 epochs of 70 pairs, 10 steps of 16 at d=8: \*\*\d+\.\d s\*\*, `,
	} {
		if !regexp.MustCompile(want).MatchString(w.String()) {
			t.Errorf("no %s in\n%s", want, w.String())
		}
	}
}

func TestEpochsThatTakeTooLongAreSaidToBeExtrapolated(t *testing.T) {
	emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	p := small
	p.limit = -1
	if err := p.measureEpochs(&w, device.Shared().(*cuda.Device)); err != nil || !strings.Contains(w.String(), "Only 1 of 2 epochs") {
		t.Errorf("error %v, %s", err, w.String())
	}
}

func TestLossesOfBothSidesAreCompared(t *testing.T) {
	emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	cpu := device.NewCPU(1)
	defer cpu.Close()
	var w bytes.Buffer
	p := small
	p.parityBatch = 8
	if err := p.compareLosses(&w, [2]device.Device{device.Shared(), cpu}, "ps"); err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`losses of ps over 100 steps of 8 pairs: at most [\d.]+e-0[5-9] apart`); !found.MatchString(w.String()) {
		t.Error(w.String())
	}
}

func TestABuildWithoutACardSaysSo(t *testing.T) {
	if err := bench(&bytes.Buffer{}, small); err == nil || !strings.Contains(err.Error(), "this build has no GPU support") {
		t.Errorf("error %v", err)
	}
}
