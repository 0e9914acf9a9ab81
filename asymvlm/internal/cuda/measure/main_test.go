package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/internal/cuda"
	"gosphere/asymvlm/internal/cuda/emulate"
)

// small measures everything except the built-in data at sizes that an emulated GPU can handle.
var small = plan{batch: 16, columns: 8, hidden: 8, replays: 2, paritySteps: 100, parityBatch: 8, epochs: 2, pairs: 70, limit: time.Hour}

func emulated(t *testing.T) *emulate.Driver {
	t.Helper()
	card := emulate.New()
	device.OfferCUDA(func() (device.Device, error) { return cuda.New(card) })
	t.Cleanup(func() {
		device.OfferCUDA(nil)
		if err := device.Use(device.NameCPU); err != nil {
			t.Error(err)
		}
	})
	return card
}

// sides returns the emulated GPU and a CPU.
func sides(t *testing.T) [2]device.Device {
	t.Helper()
	emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	cpu := device.NewCPU(1)
	t.Cleanup(cpu.Close)
	return [2]device.Device{device.Shared(), cpu}
}

func TestAllMeasurementsArePrinted(t *testing.T) {
	emulated(t)
	var w bytes.Buffer
	if err := bench(&w, small); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`^- cuda \(emulated card\)\n- cpu \(`, `\| part of asymvlm-vmf, batch 16, d=8 \|`, `\| gradient_power \| \d+\.\d\d \| \d+\.\d\d \| `,
		`\*\*the step as one graph\*\*`, `\n- 2 epochs of 70 pairs, 10 steps of 16 at d=8: \*\*\d+\.\d s\*\*, `,
	} {
		if !regexp.MustCompile(want).MatchString(w.String()) {
			t.Errorf("no %s in\n%s", want, w.String())
		}
	}
	for _, s := range subjects {
		if !strings.Contains(w.String(), "| part of "+s.name()+", ") {
			t.Errorf("no parts of %s", s.name())
		}
	}
}

// The measured methods are exactly those that adapter.Train runs on the GPU.
func TestEveryMethodThatStaysOnTheCardIsMeasured(t *testing.T) {
	card := emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	// The Gaussian likelihood shares its kernels with the von Mises-Fisher density and has another
	// start.
	want := []string{adapter.AsymVLMGaussian}
	for _, s := range subjects {
		want = append(want, s.method)
	}
	// Methods that are not measured: one is untrained, two accumulate sums in one pass.
	for _, method := range []string{adapter.CLIP, adapter.BayesVLM, adapter.BayesVLMExact} {
		if slices.Contains(want, method) {
			t.Errorf("%s is measured on the card", method)
		}
	}
	data := problem(12, 6, 8)
	set := &embedding.Set{Texts: embedding.Matrix(data.Adapted), Images: embedding.Matrix(data.Anchors), CaptionImages: data.AnchorOf}
	for _, method := range adapter.Methods() {
		options, err := adapter.PaperOptions(method)
		if err != nil {
			t.Fatal(err)
		}
		options.Progress = silent{}
		if options.Reads("Batch") {
			options.Batch = 12
		}
		if options.Reads("Epochs") {
			options.Epochs = 1
		}
		if options.Reads("Hidden") {
			options.Hidden = 8
		}
		before := card.Launches["advance"]
		if _, err := adapter.Train(t.Context(), set, options); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if stays := card.Launches["advance"] > before; stays != slices.Contains(want, method) {
			t.Errorf("%s stays on the card: %t; measured are %v", method, stays, want)
		}
	}
}

// silent is a progress that shows nothing.
type silent struct{}

func (silent) Begin(string, int)            {}
func (silent) Advance(adapter.Update) error { return nil }
func (silent) End(error)                    {}

func TestEpochsThatTakeTooLongAreSaidToBeExtrapolated(t *testing.T) {
	card := sides(t)[0]
	var w bytes.Buffer
	p := small
	p.limit = -1
	if err := p.measureEpochs(&w, card.(*cuda.Device)); err != nil || !strings.Contains(w.String(), "Only 1 of 2 epochs") {
		t.Errorf("error %v, %s", err, w.String())
	}
}

func TestWhatThereIsNoTimeForIsLeftOutAndSaid(t *testing.T) {
	card := emulated(t)
	var w bytes.Buffer
	p := small
	p.parity, p.parityEpochs, p.epochs, p.until = true, 1, 1, time.Now().Add(-time.Second)
	if err := bench(&w, p); err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		for _, what := range []string{"the losses of ", "the parts of ", "S and R² of "} {
			if want := fmt.Sprintf("**Left out for want of time: %s%s.**", what, s.name()); !strings.Contains(w.String(), want) {
				t.Errorf("no %s", want)
			}
		}
	}
	if steps := card.Launches["advance"]; steps != 5 {
		t.Errorf("%d steps were done, want those of the epoch", steps)
	}
}

func TestLossesOfBothSidesAreCompared(t *testing.T) {
	both := sides(t)
	var w bytes.Buffer
	p := small
	p.tolerance, p.paritySteps = 1e-4, 5 // the simulated GPU of make conformance runs 100
	if err := p.compareAllLosses(&w, both); err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		if found := regexp.MustCompile(`\| ` + s.name() + ` \| [\d.e-]+ \| [-\d.]+ \|`); !found.MatchString(w.String()) {
			t.Errorf("no losses of %s in %s", s.name(), w.String())
		}
	}
}

// The comparisons alone run every kernel, including the built-in matmul kernel of a GPU without
// cuBLAS.
func TestTheComparisonsStartEveryKernel(t *testing.T) {
	card := emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	cpu := device.NewCPU(1)
	defer cpu.Close()
	both, p := [2]device.Device{device.Shared(), cpu}, plan{parityBatch: 16, columns: 64, hidden: 8, paritySteps: 1}
	if err := errors.Join(p.compareAllLosses(&bytes.Buffer{}, both), p.compareDraws(&bytes.Buffer{}, both)); err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\.entry (\w+)\(`).FindAllStringSubmatch(cuda.Kernels, -1) {
		if kernel := found[1]; kernel != "product" && card.Launches[kernel] == 0 {
			t.Errorf("kernel %s is not started", kernel)
		}
	}
}

// One wrong method does not hide the others.
func TestLossesThatAreTooFarApartAreErrorsWithTheStep(t *testing.T) {
	both := sides(t)
	p := small
	p.paritySteps, p.tolerance = 3, 1e-12
	var w bytes.Buffer
	err := p.compareAllLosses(&w, both)
	for _, s := range subjects {
		if !regexp.MustCompile(`(?m)^` + s.name() + `: step \d has the loss [\d.]+ on the GPU and [\d.]+ on the CPU$`).MatchString(fmt.Sprint(err)) {
			t.Errorf("%s: error %v", s.name(), err)
		}
		if !strings.Contains(w.String(), "| "+s.name()+" | ") {
			t.Errorf("%s is left out", s.name())
		}
	}
}

// After a GPU is lost, the other methods are not tried.
func TestALostCardEndsTheComparison(t *testing.T) {
	card := emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	cpu := device.NewCPU(1)
	defer cpu.Close()
	card.Fail = func() error { return errors.New("it is gone") }
	err := small.compareAllLosses(&bytes.Buffer{}, [2]device.Device{device.Shared(), cpu})
	if err == nil || !strings.HasPrefix(err.Error(), "asymvlm-vmf: ") || strings.Count(err.Error(), "it is gone") != 1 {
		t.Errorf("error %v", err)
	}
}

// Sampling on the GPU is compared as well; rejections on only one side would be detected.
func TestDrawsOfBothSidesAreCompared(t *testing.T) {
	card := emulated(t)
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	cpu := device.NewCPU(1)
	defer cpu.Close()
	var w bytes.Buffer
	p := plan{parityBatch: 7, columns: 100, tolerance: 1e-5}
	if err := p.compareDraws(&w, [2]device.Device{device.Shared(), cpu}); err != nil {
		t.Fatal(err)
	}
	if got := [3]int{card.Launches["draw_cosines"], card.Launches["draw_around"], card.Launches["mean_softmax"]}; got != [3]int{4, 4, 2} {
		t.Errorf("kernels are started %v times", got)
	}
	for _, want := range []string{`\| von Mises-Fisher \| \d+ \| [\d.e-]+ \|`, `\| power spherical \|`, `\| means of softmax over 47 \| 700 \|`} {
		if !regexp.MustCompile(want).MatchString(w.String()) {
			t.Errorf("no %s in\n%s", want, w.String())
		}
	}
	p.tolerance = 1e-30
	err := p.compareDraws(&w, [2]device.Device{device.Shared(), cpu})
	if err == nil || !regexp.MustCompile(`^draws, von Mises-Fisher: row \d+, column \d+ is [-\d.e]+ on the GPU and [-\d.e]+ on the CPU$`).MatchString(err.Error()) {
		t.Errorf("error %v", err)
	}
}

func TestABuildWithoutACardSaysSo(t *testing.T) {
	if err := bench(&bytes.Buffer{}, small); err == nil || !strings.Contains(err.Error(), "this build has no GPU support") {
		t.Errorf("error %v", err)
	}
}
