package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// made returns a set of random images with one text each.
func made(images int, seed uint64) *embedding.Set {
	random := rand.New(rand.NewPCG(seed, 2))
	set := &embedding.Set{Name: "made", Images: embedding.NewMatrix(images, 5), Texts: embedding.NewMatrix(images, 5)}
	for i := range set.Images.Values {
		set.Images.Values[i], set.Texts.Values[i] = float32(random.NormFloat64()), float32(random.NormFloat64())
	}
	for i := range images {
		set.CaptionImages, set.Captions = append(set.CaptionImages, i), append(set.Captions, fmt.Sprintf("caption %d", i))
	}
	return set
}

func TestInspectFindsWhatWasPutIn(t *testing.T) {
	set := made(30, 1)
	clean, err := Inspect(set)
	if err != nil || len(clean) != 0 {
		t.Errorf("a clean set: %v, %v", clean, err)
	}
	copy(set.Images.Row(3), set.Images.Row(4))
	copy(set.Texts.Row(8), set.Texts.Row(9))
	copy(set.Texts.Row(10), set.Texts.Row(9))
	set.Captions[5], set.CaptionImages[7] = " ", 6
	set.Captions[9], set.Captions[11], set.Captions[12] = set.Captions[8], set.Captions[0], set.Captions[0] // the first two are equal
	findings, err := Inspect(set)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range findings {
		text.WriteString(f.String() + "\n")
	}
	for _, want := range []string{"problem: 1 of 30 captions are empty", "note: 2 of 30 captions have the words of another one", "note: 1 of 30 images repeat", "note: 2 of 30 texts repeat", "note: 1 of 30 images have no caption"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestLeaksAreRowsOfBothSets(t *testing.T) {
	train, test := made(30, 1), made(20, 9)
	if found, err := Leaks(train, test); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	copy(test.Images.Row(2), train.Images.Row(29))
	copy(test.Texts.Row(2), train.Texts.Row(0))
	found, err := Leaks(train, test)
	if err != nil || len(found) != 2 || !found[0].Problem || found[1].Problem {
		t.Errorf("%v, %v", found, err)
	}
}

func TestOnlyRandomPairingsAreAtChance(t *testing.T) {
	set := made(400, 3)
	for recall, at := range map[float64]bool{0: true, 1.0 / 400: true, 3.0 / 400: true, 12.0 / 400: false, 0.5: false} {
		if got := len(AtChance(set, recall, recall)) > 0; got != at {
			t.Errorf("Recall@1 %g: at chance %v", recall, got)
		}
	}
	if len(AtChance(set, 0.5, 0.001)) > 0 || len(AtChance(made(10, 1), 0, 0)) > 0 {
		t.Error("one good direction, or ten pairs, are no finding")
	}
}

// TestSplitsKeepEqualImagesTogether splits a set in which images occur in pairs.
func TestSplitsKeepEqualImagesTogether(t *testing.T) {
	set := made(60, 5)
	for i := 0; i < 60; i += 2 {
		copy(set.Images.Row(i), set.Images.Row(i+1))
	}
	for seed := range uint64(4) {
		train, test, err := Split(set, 0.3, seed)
		if err != nil {
			t.Fatal(err)
		}
		if train.Images.Rows != 42 || test.Images.Rows != 18 || train.Texts.Rows != 42 {
			t.Errorf("%d and %d images", train.Images.Rows, test.Images.Rows)
		}
		if found, err := Leaks(train, test); err != nil || len(found) != 0 {
			t.Errorf("%v, %v", found, err)
		}
		again, _, err := Split(set, 0.3, seed)
		if err != nil || !slices.Equal(again.Images.Values, train.Images.Values) {
			t.Errorf("another split with seed %d", seed)
		}
	}
	for _, share := range []float64{0, 1, -1, 0.001, 0.999} {
		if _, _, err := Split(set, share, 0); err == nil {
			t.Errorf("a share of %g is accepted", share)
		}
	}
}
