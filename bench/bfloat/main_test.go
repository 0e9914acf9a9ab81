package main

import (
	"bytes"
	"math"
	"regexp"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
)

func TestRoundingIsToTheNearestOfEightBits(t *testing.T) {
	for value, want := range map[float32]float32{
		1: 1, 1 + 0x1p-8: 1, 1 + 0x1p-8 + 0x1p-20: 1 + 0x1p-7, 1 + 3*0x1p-8: 1 + 0x1p-6, -1 - 0x1p-9: -1, 0x1.fffp10: 0x1p11,
	} {
		if got := rounded(nil, []float32{value}); got[0] != want {
			t.Errorf("%g: %g, want %g", value, got[0], want)
		}
	}
	inf := float32(math.Inf(1))
	if got := rounded(make([]float32, 5), []float32{inf, float32(math.NaN())}); len(got) != 2 || got[0] != inf || got[1] == got[1] {
		t.Errorf("infinite and NaN become %v", got)
	}
}

func TestBothKindsOfProductsAreTrainedAndDiffer(t *testing.T) {
	train, test, err := world.New(world.Options{Scenes: 50, TestScenes: 30, Dimension: 16})
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	sets := [2]*embedding.Set{&train.Set, &test.Set}
	if err := compare(&w, sets, plan{method: adapter.AsymVLMVonMisesFisher, hidden: 16, batch: 50, epochs: 2, seeds: 2}); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`\| float32 \|(.*)\n\| bfloat16 factors \|(.*)\n`).FindStringSubmatch(w.String())
	if len(rows) != 3 || rows[1] == rows[2] {
		t.Errorf("want two rows that differ:\n%s", w.String())
	}
}
