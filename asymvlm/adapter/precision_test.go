package adapter

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/internal/testing/devicetest"
)

// Every matrix product of a training is rounded, so bfloat16 changes every method, and no method
// depends on the number of threads.
func TestEveryMethodTrainsInBFloat16ToTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range trained() {
		options := smallOptions(method)
		options.Epochs = 1
		exact := bits(mustTrain(t, set, options))
		options.Precision = device.BFloat16
		var brief []float32
		for _, threads := range []int{0, 1, 3} {
			options.Threads = threads
			a := mustTrain(t, set, options)
			if threads == 0 {
				brief = bits(a)
			} else if !slices.Equal(bits(a), brief) {
				t.Errorf("%s: %d threads give other bits", method, threads)
			}
		}
		// bayesvlm accumulates in float64.
		if slices.Equal(brief, exact) && !IsOnePass(method) {
			t.Errorf("%s: float32 and bfloat16 give the same bits", method)
		}
	}
}

func TestTrainingsInBFloat16AreCloseToThoseInFloat32(t *testing.T) {
	set := smallSet(40, 16)
	for _, method := range []string{AsymVLMVonMisesFisher, AsymVLMPowerSpherical, PCMEpp} {
		options := smallOptions(method)
		exact := mustTrain(t, set, options).History().Loss
		options.Precision = device.BFloat16
		brief := mustTrain(t, set, options).History().Loss
		for step, loss := range exact {
			if off := brief[step] - loss; !(off < 0.05 && off > -0.05) {
				t.Errorf("%s: the loss of step %d is %g, in float32 %g", method, step+1, brief[step], loss)
			}
		}
	}
}

func TestThePrecisionOfTheProgramIsThatOfItsTrainings(t *testing.T) {
	set, options := smallSet(20, 16), smallOptions(AsymVLMVonMisesFisher)
	options.Precision = device.BFloat16
	brief := bits(mustTrain(t, set, options))
	options.Precision = device.Float32
	exact := bits(mustTrain(t, set, options))
	options.Precision = ""
	a := mustTrain(t, set, options)
	if !slices.Equal(bits(a), exact) || a.Options().Precision != device.Float32 {
		t.Errorf("without a choice the precision is %q, its bits those of float32: %t", a.Options().Precision, slices.Equal(bits(a), exact))
	}
	devicetest.ChoosePrecision(t, device.BFloat16)
	a = mustTrain(t, set, options)
	if !slices.Equal(bits(a), brief) || a.Options().Precision != device.BFloat16 {
		t.Errorf("chosen for the program, the precision is %q, its bits those of bfloat16: %t", a.Options().Precision, slices.Equal(bits(a), brief))
	}
	options.Precision = device.Float32
	if a = mustTrain(t, set, options); !slices.Equal(bits(a), exact) {
		t.Error("the options do not come before the program's choice")
	}
	if a = mustTrain(t, set, smallOptions(CLIP)); a.Options().Method != CLIP {
		t.Error("nothing is trained, and that is no CLIP")
	}
}

// An adapter computes in float32 regardless of its training precision, with equal results before
// and after it was written.
func TestScoresOfAnAdapterAreInFloat32WhateverItWasTrainedWith(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.Precision, options.Checkpoint = device.BFloat16, filepath.Join(t.TempDir(), "a.safetensors")
	a := mustTrain(t, set, options)
	loaded, err := Load(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Options().Precision != device.BFloat16 {
		t.Errorf("the checkpoint tells the precision %q", loaded.Options().Precision)
	}
	devicetest.ChoosePrecision(t, device.BFloat16) // affects trainings only
	again, err := Load(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	var all [3]embedding.Matrix
	for i, one := range []*Adapter{a, loaded, again} {
		if all[i], err = one.Scores(set); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(all[0].Values, all[1].Values) || !slices.Equal(all[0].Values, all[2].Values) {
		t.Error("scores depend on where the adapter comes from")
	}
}

func TestACheckpointIsResumedInItsOwnPrecisionOnly(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.Resume = true
	for _, test := range []struct{ first, then device.Precision }{{device.Float32, device.BFloat16}, {device.BFloat16, device.Float32}, {"", device.BFloat16}} {
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		options.Precision = test.first
		whole := bits(mustTrain(t, set, options))
		if again := mustTrain(t, set, options); !slices.Equal(bits(again), whole) {
			t.Errorf("%q: resumed when it is finished, it has other bits", test.first)
		}
		options.Precision = test.then
		_, err := Train(context.Background(), set, options)
		first := test.first
		if first == "" {
			first = device.Float32
		}
		if want := "\n  precision: the checkpoint has " + string(first) + ", asked for is " + string(test.then); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", test.first, err, want)
		}
	}
}

func TestStoppedTrainingInBFloat16ResumesToTheSameBits(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMPowerSpherical)
	options.Precision = device.BFloat16
	whole := bits(mustTrain(t, set, options))
	options.Checkpoint, options.Resume = filepath.Join(t.TempDir(), "a.safetensors"), true
	ctx, stop := context.WithCancel(context.Background())
	options.Progress = &watch{advance: func(u Update) error {
		if u.Step == 7 {
			stop()
		}
		return nil
	}}
	a, err := Train(ctx, set, options)
	if err == nil || a.History().Steps() != 7 {
		t.Fatalf("%v, after %d steps", err, a.History().Steps())
	}
	options.Progress = silent{}
	if !slices.Equal(bits(mustTrain(t, set, options)), whole) {
		t.Error("other bits")
	}
}

// Checkpoints of earlier versions do not record a precision; all of them were float32.
func TestCheckpointsWithoutAPrecisionAreOfFloat32(t *testing.T) {
	set, options := checkpoint(t)
	file, err := embedding.ReadSafetensors(options.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	told := `,"precision":"float32"`
	if !strings.Contains(file.Metadata["training"], told) {
		t.Fatalf("the checkpoint tells %s", file.Metadata["training"])
	}
	file.Metadata["training"] = strings.Replace(file.Metadata["training"], told, "", 1)
	if err := embedding.WriteSafetensors(options.Checkpoint, file); err != nil {
		t.Fatal(err)
	}
	if a := mustTrain(t, set, options); a.Options().Precision != device.Float32 {
		t.Errorf("precision %q", a.Options().Precision)
	}
	options.Precision = device.BFloat16
	if _, err := Train(context.Background(), set, options); err == nil || !strings.Contains(err.Error(), "precision: the checkpoint has float32") {
		t.Errorf("error %v", err)
	}
}

func TestUnknownPrecisionsAndThoseOfOtherDevicesAreErrors(t *testing.T) {
	set, options := smallSet(10, 8), smallOptions(AsymVLMVonMisesFisher)
	options.Precision = "half"
	if _, err := Train(context.Background(), set, options); err == nil || err.Error() != `adapter: device: "half" is no precision, want float32 or bfloat16` {
		t.Errorf("error %v", err)
	}
	options.Precision = ""
	t.Setenv(device.PrecisionVariable, "double")
	if _, err := Train(context.Background(), set, options); err == nil || !strings.HasPrefix(err.Error(), `adapter: device: GOSPHERE_PRECISION=double: "double" is no precision`) {
		t.Errorf("error %v", err)
	}
	t.Setenv(device.PrecisionVariable, "")
	card, _ := emulated(t)
	device.OfferCUDA(func() (device.Device, error) { return card, nil })
	if err := device.Use(device.NameCUDA); err != nil {
		t.Fatal(err)
	}
	t.Setenv(device.Variable, "") // the state after the choice is undone
	t.Cleanup(func() {
		device.OfferCUDA(nil)
		if err := device.Use(""); err != nil {
			t.Error(err)
		}
	})
	options.Precision = device.BFloat16
	if _, err := Train(context.Background(), set, options); err == nil || !strings.HasPrefix(err.Error(), "adapter: precision bfloat16 requires the CPU, but the device is cuda (") {
		t.Errorf("error %v", err)
	}
	options.Precision = device.Float32
	mustTrain(t, set, options)
}
