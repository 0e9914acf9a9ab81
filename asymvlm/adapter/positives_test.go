package adapter

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// manyToMany returns a set in which every third text describes several images and the last images
// have no text.
func manyToMany(random *rand.Rand) *embedding.Set {
	set := &embedding.Set{Name: "many/train", Images: embedding.NewMatrix(40, 8), Texts: embedding.NewMatrix(60, 8)}
	for i := range set.Images.Values {
		set.Images.Values[i] = float32(random.NormFloat64())
	}
	for i := range set.Texts.Values {
		set.Texts.Values[i] = float32(random.NormFloat64())
	}
	for text := range 60 {
		images := []int{random.IntN(30)}
		if text%3 == 0 {
			images = append(images, random.IntN(30), random.IntN(30))
			slices.Sort(images)
			images = slices.Compact(images)
		}
		set.CaptionImages, set.Positives = append(set.CaptionImages, images[0]), append(set.Positives, images)
	}
	return set
}

// TestMethodsTrainOnSeveralPositivesOrSayWhyNot trains every method on a set with several images a
// text and with distractors. A method either trains to finite numbers and evaluates, or refuses the
// set because of its loss.
func TestMethodsTrainOnSeveralPositivesOrSayWhyNot(t *testing.T) {
	set := manyToMany(rand.New(rand.NewPCG(1, 2)))
	refused := []string{}
	for _, m := range Methods() {
		options := find(m).Published()
		if options.Reads("Epochs") && !find(m).About().OnePass {
			options.Epochs = 2
		}
		if options.Reads("Batch") {
			options.Batch = 16
		}
		if options.Reads("Hidden") {
			options.Hidden = 12
		}
		a, err := Train(context.Background(), set, options)
		if err != nil && strings.Contains(err.Error(), "one right candidate") {
			refused = append(refused, m)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		report, err := a.Evaluate(set, 5)
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		if len(report.ImageToText.Hits) >= set.Images.Rows || len(report.TextToImage.Hits) != set.Texts.Rows {
			t.Errorf("%s: %d images and %d texts are queries", m, len(report.ImageToText.Hits), len(report.TextToImage.Hits))
		}
	}
	if !slices.Equal(refused, []string{"elip"}) {
		t.Errorf("methods that refuse several positives: %q, want that of ELIP's evidential loss", refused)
	}
}

// TestChainsAreOrderedFromGeneralToSpecific trains on the generic texts and captions of the
// built-in set and checks that the concentration rises along chains that were written apart from
// them.
func TestChainsAreOrderedFromGeneralToSpecific(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	train, _, _, _, err := embedding.GenericScenes()
	if err != nil {
		t.Fatal(err)
	}
	chains, rows, err := embedding.GenericChains()
	if err != nil || len(chains) != 30 {
		t.Fatalf("%d chains, %v", len(chains), err)
	}
	options, err := SmallOptions("asymvlm-psd")
	if err != nil {
		t.Fatal(err)
	}
	options.Hidden = 128
	learned, err := Train(context.Background(), train, options)
	if err != nil {
		t.Fatal(err)
	}
	kappas, err := learned.Concentrations(rows)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, chain := range chains {
		var places []float64
		for place := range chain {
			places = append(places, float64(place))
		}
		tau := retrieval.Kendall(places, kappas[:len(chain)])
		if tau < 0.5 {
			t.Logf("%.2f: %.1f %q", tau, kappas[:len(chain)], chain)
		}
		sum, kappas = sum+tau, kappas[len(chain):]
	}
	if mean := sum / float64(len(chains)); mean < 0.8 {
		t.Errorf("mean Kendall τ %.3f, want at least 0.8", mean)
	}
}
