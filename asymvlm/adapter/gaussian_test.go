package adapter

import (
	"context"
	"errors"
	"math"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

// trainedOn returns an adapter trained for a few steps, and its set.
func trainedOn(t *testing.T, method string) (*Adapter, *embedding.Set) {
	t.Helper()
	train, test, err := world.New(world.Options{Scenes: 60, TestScenes: 20, Dimension: 16, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	options, err := SmallOptions(method)
	if err != nil {
		t.Fatal(err)
	}
	if options.Reads("Epochs") {
		options.Epochs, options.Batch = 2, 50
	}
	if options.Reads("Hidden") {
		options.Hidden = 32
	}
	a, err := Train(context.Background(), &train.Set, options)
	if err != nil {
		t.Fatal(err)
	}
	return a, &test.Set
}

func TestGaussiansHaveTheEmbeddingAsMeanAndTheUncertaintyAsMeanVariance(t *testing.T) {
	for _, method := range []string{PFE, PCMEpp, ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial} {
		a, test := trainedOn(t, method)
		texts, err := a.TextGaussians(test.Texts)
		images, err2 := a.ImageGaussians(test.Images)
		if err != nil || err2 != nil || len(texts) != test.Texts.Rows || len(images) != test.Images.Rows {
			t.Fatalf("%s: %d texts, %d images, %v, %v", method, len(texts), len(images), err, err2)
		}
		ofTexts, err := a.Uncertainty(test.Texts)
		ofImages, err2 := a.ImageUncertainty(test.Images)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for i, g := range texts {
			raw, length := test.Texts.Row64(i), 0.0
			for _, x := range raw {
				length += x * x
			}
			if method == PFE {
				length = 1
			}
			for j, x := range raw {
				if want := x / math.Sqrt(length); math.Abs(g.Mean[j]-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("%s: coordinate %d of mean %d is %g, want %g", method, j, i, g.Mean[j], want)
				}
			}
			if got := g.MeanVariance(); math.Abs(got-ofTexts[i]) > 1e-5*ofTexts[i] {
				t.Fatalf("%s: text %d has the mean variance %g and the uncertainty %g", method, i, got, ofTexts[i])
			}
		}
		for i, g := range images {
			if got := g.MeanVariance(); math.Abs(got-ofImages[i]) > 1e-5*ofImages[i] {
				t.Fatalf("%s: image %d has the mean variance %g and the uncertainty %g", method, i, got, ofImages[i])
			}
		}
	}
}

func TestMethodsWithoutVariancesGiveNoGaussians(t *testing.T) {
	for _, method := range []string{CLIP, AsymVLMVonMisesFisher, ELIP} {
		a, test := trainedOn(t, method)
		if _, err := a.TextGaussians(test.Texts); !errors.Is(err, ErrNoGaussian) {
			t.Errorf("%s: texts: %v", method, err)
		}
		if _, err := a.ImageGaussians(test.Images); !errors.Is(err, ErrNoGaussian) {
			t.Errorf("%s: images: %v", method, err)
		}
	}
}

func TestGaussiansOfUnusableRowsAreAnErrorThatNamesThem(t *testing.T) {
	a, test := trainedOn(t, ProLIP)
	bad := test.Texts.Clone()
	bad.Values[3*bad.Columns] = float32(math.NaN())
	if _, err := a.TextGaussians(bad); err == nil {
		t.Error("NaN became a Gaussian")
	}
	if _, err := a.ImageGaussians(embedding.NewMatrix(2, 5)); err == nil {
		t.Error("images of another width became Gaussians")
	}
	if _, err := a.TextGaussians(embedding.NewMatrix(1, test.Texts.Columns)); err == nil {
		t.Error("a row of zeros, which has no direction, became a Gaussian")
	}
}
