package adapter

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// unitImages returns smallSet with unit images, and the mean norm of its texts.
func unitImages(t *testing.T) (*embedding.Set, float64) {
	t.Helper()
	set := smallSet(40, 16)
	unit, err := set.Images.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	set.Images = unit
	sum := 0.0
	for _, length := range set.Texts.Norms() {
		sum += length
	}
	return set, sum / float64(set.Texts.Rows)
}

// Training on unit images with MatchLengths equals training on images with the norm of the texts
// without it, bit for bit, and so does every later use. Images of other norms are not changed.
func TestMatchLengthsIsMultiplyingUnitImages(t *testing.T) {
	unit, length := unitImages(t)
	long := smallSet(40, 16)
	long.Images = unit.Images.Clone()
	scaleInput(long.Images.Values, float32(length))
	for _, method := range []string{AsymVLMImage, SymVLM, PFE, ProbVLM} {
		options := smallOptions(method)
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		plain := mustTrain(t, long, options)
		options.MatchLengths, options.Overwrite = true, true
		matched := mustTrain(t, unit, options)
		if !slices.Equal(bits(plain), bits(matched)) {
			t.Errorf("%s: other weights", method)
		}
		loaded, err := Load(options.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Scores(long)
		if err != nil {
			t.Fatal(err)
		}
		for name, a := range map[string]*Adapter{"trained": matched, "loaded": loaded} {
			got, err := a.Scores(unit)
			if err != nil {
				t.Fatal(err)
			}
			for i, value := range got.Values {
				if math.Abs(float64(value-want.Values[i])) > 1e-5*math.Max(1, math.Abs(float64(want.Values[i]))) {
					t.Fatalf("%s, %s: score %d is %g, want %g", method, name, i, value, want.Values[i])
				}
			}
		}
		if already := mustTrain(t, long, options); !slices.Equal(bits(plain), bits(already)) {
			t.Errorf("%s: long images were stretched", method)
		}
	}
}

// The same for texts: with TextLength, unit texts are equivalent to longer ones, and images follow
// them.
func TestTextLengthIsMultiplyingUnitTexts(t *testing.T) {
	unit, _ := unitImages(t)
	texts, err := unit.Texts.Normalized()
	if err != nil {
		t.Fatal(err)
	}
	unit.Texts = texts
	long := &embedding.Set{Images: unit.Images.Clone(), Texts: texts.Clone(), CaptionImages: unit.CaptionImages}
	scaleInput(long.Images.Values, 8)
	scaleInput(long.Texts.Values, 8)
	for _, method := range []string{AsymVLMVonMisesFisher, SymVLM} {
		options := smallOptions(method)
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		plain := mustTrain(t, long, options)
		options.TextLength, options.MatchLengths, options.Overwrite = 8, true, true
		stretched := mustTrain(t, unit, options)
		if method == SymVLM && !slices.Equal(bits(plain), bits(stretched)) {
			t.Errorf("%s: other weights", method)
		}
		loaded, err := Load(options.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		want, err := stretched.Concentrations(unit.Texts)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := loaded.Concentrations(unit.Texts); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other concentrations after loading, %v", method, err)
		}
		direct, err := plain.Concentrations(long.Texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, kappa := range direct {
			if math.Abs(kappa-want[i]) > 1e-4*kappa {
				t.Fatalf("%s: κ %g of a stretched text, %g of a long one", method, want[i], kappa)
			}
		}
	}
}

// With two captions of every image in each batch, masking changes the result; if no image occurs
// twice, it changes rounding at most. The wrong pairs of pcmepp have no effect in single precision
// until late in training.
func TestMaskingChangesTrainingOnlyWhereImagesRepeat(t *testing.T) {
	captioned := smallSet(40, 16)
	var alone []int
	seen := map[int]bool{}
	for text, image := range captioned.CaptionImages {
		if !seen[image] {
			alone = append(alone, text)
		}
		seen[image] = true
	}
	single := &embedding.Set{Images: captioned.Images, Texts: captioned.Texts.SelectRows(alone)}
	for _, text := range alone {
		single.CaptionImages = append(single.CaptionImages, captioned.CaptionImages[text])
	}
	for _, method := range []string{AsymVLMVonMisesFisher, SigLIPVonMisesFisher, SymVLM, ProLIP, ELIPITC, CLIPEnsemble} {
		for _, set := range []*embedding.Set{captioned, single} {
			options := smallOptions(method)
			plain := mustTrain(t, set, options)
			options.MaskSameImage = true
			masked := mustTrain(t, set, options)
			first, last := plain.History(), masked.History()
			switch repeats := set == captioned; {
			case repeats && !(last.Loss[0] < first.Loss[0]):
				t.Errorf("%s: first loss %g masked, %g plain", method, last.Loss[0], first.Loss[0])
			case repeats && slices.Equal(bits(plain), bits(masked)):
				t.Errorf("%s: masking changed nothing", method)
			case !repeats && math.Abs(last.Loss[0]-first.Loss[0]) > 1e-5*first.Loss[0]:
				t.Errorf("%s: first loss %g masked, %g plain, without anything to mask", method, last.Loss[0], first.Loss[0])
			}
		}
	}
}

func TestOptionsThatAMethodCannotTakeAreErrors(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"probvlm has no wrong pairs, so captions": func(o *Options) { o.Method, o.MaskSameImage = ProbVLM, true },
		"pfe has no wrong pairs":                  func(o *Options) { o.Method, o.MaskSameImage = PFE, true },
		"elip has no wrong pairs":                 func(o *Options) { o.Method, o.MaskSameImage = ELIP, true },
		"asymvlm-vmf has no other start":          func(o *Options) { o.ScaledStart = true },
	} {
		options := smallOptions(AsymVLMVonMisesFisher)
		change(&options)
		if _, err := Train(context.Background(), smallSet(10, 8), options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestScaledStartsAreThoseOfTheDimension(t *testing.T) {
	set := smallSet(40, 16)
	for method, want := range map[string]float64{SymVLMMutual: 16, AsymVLMGaussian: 20.0 / 16} {
		options := smallOptions(method)
		options.ScaledStart, options.LearningRate, options.FinalRate = true, 1e-4, 1e-4
		options.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
		a := mustTrain(t, set, options)
		if got := a.History().Temperature[0]; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s starts at the temperature %g, want %g", method, got, want)
		}
		loaded, err := Load(options.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := a.Scores(set)
		if err != nil {
			t.Fatal(err)
		}
		again, err := loaded.Scores(set)
		if err != nil || !slices.Equal(scores.Values, again.Values) {
			t.Errorf("%s: other scores after loading, %v", method, err)
		}
	}
}

func TestResumingNamesEverySettingThatDiffers(t *testing.T) {
	set, options := checkpoint(t)
	options.LearningRate, options.Epochs, options.MaskSameImage = 0.5, 7, true
	_, err := Train(context.Background(), set, options)
	want := "adapter: " + options.Checkpoint + " is of another training and cannot be resumed:\n" +
		"  epochs: the checkpoint has 6, asked for is 7\n" +
		"  learning rate: the checkpoint has 0.1, asked for is 0.5\n" +
		"  mask same image: the checkpoint has false, asked for is true"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

func TestNaNBeforeTheFirstCheckpointSaysThatThereIsNone(t *testing.T) {
	set, options := smallSet(40, 16), smallOptions(AsymVLMVonMisesFisher)
	options.LearningRate = 1e6
	for want, path := range map[string]string{
		"; no checkpoint was asked for":         "",
		"; no checkpoint was written before it": filepath.Join(t.TempDir(), "a.safetensors"),
	} {
		options.Checkpoint = path
		_, err := Train(context.Background(), set, options)
		if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), "adapter: step ") {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// Without the scaled start of SmallOptions, asymvlm-gauss and symvlm-mutual do not learn to
// retrieve in a few hundred steps; with it they do.
func TestScaledStartsLeaveChance(t *testing.T) {
	if testing.Short() {
		t.Skip("trains to recalls above chance")
	}
	set := smallSet(150, 48)
	recall := func(method string, scaled bool) float64 {
		options, err := SmallOptions(method)
		if err != nil {
			t.Fatal(err)
		}
		options.ScaledStart, options.Progress = scaled, silent{}
		options.Epochs, options.Batch, options.Hidden = 40, 100, 64
		a, err := Train(context.Background(), set, options)
		if err != nil {
			return 0 // NaN, or mirrored
		}
		report, err := a.Evaluate(set, 10)
		if err != nil {
			t.Fatal(err)
		}
		return report.TextToImage.Recall1
	}
	for _, method := range []string{AsymVLMGaussian, SymVLMMutual} {
		if with, without := recall(method, true), recall(method, false); with < 0.3 || without > 0.1 {
			t.Errorf("%s: Recall@1 %.3f from the scaled start, %.3f from the program's", method, with, without)
		}
	}
}
