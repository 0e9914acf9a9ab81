package adapter_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

// smallWorld returns a set of images of the synthetic world with their captions.
func smallWorld(t *testing.T, images int) *embedding.Set {
	t.Helper()
	_, w, err := world.New(world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]int, images)
	for i := range rows {
		rows[i] = i
	}
	set, err := w.SelectImages(rows)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The baseline is recomputed from the cosines in float64.
func TestTheBaselineIsTheRecallOfTheCosines(t *testing.T) {
	set := smallWorld(t, 40)
	got, err := adapter.BaselineOf(set)
	if err != nil {
		t.Fatal(err)
	}
	cosine := func(image, text int) (s float64) {
		var a, b float64
		for k, x := range set.Images.Row(image) {
			y := set.Texts.Row(text)[k]
			s, a, b = s+float64(x)*float64(y), a+float64(x)*float64(x), b+float64(y)*float64(y)
		}
		return s / math.Sqrt(a*b)
	}
	var t2i, i2t float64
	for text, own := range set.CaptionImages {
		best := 0
		for image := range set.Images.Rows {
			if cosine(image, text) > cosine(best, text) {
				best = image
			}
		}
		if best == own {
			t2i++
		}
	}
	for image := range set.Images.Rows {
		best := 0
		for text := range set.Texts.Rows {
			if cosine(image, text) > cosine(image, best) {
				best = text
			}
		}
		if set.CaptionImages[best] == image {
			i2t++
		}
	}
	t2i, i2t = t2i/float64(set.Texts.Rows), i2t/float64(set.Images.Rows)
	if math.Abs(got.TextToImage-t2i) > 1e-12 || math.Abs(got.ImageToText-i2t) > 1e-12 {
		t.Errorf("baseline %v, by hand %g and %g", got, t2i, i2t)
	}
	if _, err := adapter.BaselineOf(nil); err == nil {
		t.Error("no error without a set")
	}
}

func TestTheBaselineOfFoldsIsThatOfClipByTheSameFolds(t *testing.T) {
	set := smallWorld(t, 60)
	got, err := adapter.BaselineOfFolds(set, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, parts, err := set.Folds(3)
	if err != nil {
		t.Fatal(err)
	}
	var mean adapter.Baseline
	for _, part := range parts {
		b, err := adapter.BaselineOf(part)
		if err != nil {
			t.Fatal(err)
		}
		mean.TextToImage += b.TextToImage / 3
		mean.ImageToText += b.ImageToText / 3
	}
	if math.Abs(got.TextToImage-mean.TextToImage) > 1e-12 || math.Abs(got.ImageToText-mean.ImageToText) > 1e-12 {
		t.Errorf("%v, the mean over the parts is %v", got, mean)
	}
}

func TestRecallBelowTheBaselineHasASentence(t *testing.T) {
	b := adapter.Baseline{TextToImage: 0.73, ImageToText: 0.7}
	if s := b.Below(0.73, 0.7); s != "" {
		t.Errorf("equal recall: %q", s)
	}
	if s, want := b.Below(0.075, 0.8), "recall@1 is below that without training: text to image 0.075 below 0.730"; s != want {
		t.Errorf("%q, want %q", s, want)
	}
	if s := b.Below(0.1, 0.2); !strings.HasSuffix(s, "text to image 0.100 below 0.730, image to text 0.200 below 0.700") {
		t.Errorf("%q", s)
	}
}

// A noted records the notes of a training and stops it at its first step.
type noted struct{ notes []string }

var errEnough = errors.New("enough")

func (n *noted) Begin(string, int)            {}
func (n *noted) Advance(adapter.Update) error { return errEnough }
func (n *noted) End(error)                    {}
func (n *noted) Note(text string)             { n.notes = append(n.notes, text) }

func TestThePapersScheduleWarnsOnASmallSet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	set := smallWorld(t, 10)
	for name, c := range map[string]struct {
		method string
		change func(*adapter.Options)
		warned bool
	}{
		"paper":          {adapter.AsymVLMVonMisesFisher, func(*adapter.Options) {}, true},
		"labeled":        {adapter.AsymVLMVonMisesFisher, func(o *adapter.Options) { o.Label += ", texts of length 9" }, true},
		"baseline":       {adapter.PFE, func(*adapter.Options) {}, true},
		"own epochs":     {adapter.AsymVLMVonMisesFisher, func(o *adapter.Options) { o.Epochs = 50 }, false},
		"thousand steps": {adapter.AsymVLMVonMisesFisher, func(o *adapter.Options) { o.Batch = 4 }, false},
		"own rate":       {adapter.AsymVLMVonMisesFisher, func(o *adapter.Options) { o.LearningRate = 0.1 }, false},
	} {
		options, err := adapter.PaperOptions(c.method)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&options)
		seen := &noted{}
		options.Progress = seen
		if _, err := adapter.Train(context.Background(), set, options); !errors.Is(err, errEnough) {
			t.Fatalf("%s: %v", name, err)
		}
		warned := strings.Contains(strings.Join(seen.notes, "\n"), "makes only 200 steps on 40 pairs; recall may end far below that without training")
		if warned != c.warned {
			t.Errorf("%s: notes %q", name, seen.notes)
		}
	}
}
