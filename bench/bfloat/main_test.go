package main

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/dataset"
	"gosphere/asymvlm/world"
)

func TestBothPrecisionsAreTrainedAndDiffer(t *testing.T) {
	train, test, err := world.New(world.Options{Scenes: 50, TestScenes: 30, Dimension: 16})
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	data := &dataset.Data{Name: "small", Train: &train.Set, Test: &test.Set}
	if err := compare(&w, data, adapter.AsymVLMVonMisesFisher, plan{hidden: 16, batch: 50, epochs: 2, seeds: 2}); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`\| float32 \|(.*)\n\| bfloat16 \|(.*)\n\| difference, seed by seed \|(.*)\n`).FindStringSubmatch(w.String())
	if len(rows) != 4 || rows[1] == rows[2] {
		t.Fatalf("want three rows, the first two different:\n%s", w.String())
	}
	means := func(row string) []float64 {
		var list []float64
		for _, cell := range strings.Split(strings.Trim(row, " |"), "|") {
			mean, _, _ := strings.Cut(strings.TrimSpace(cell), " ")
			value, err := strconv.ParseFloat(mean, 64)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, value)
		}
		return list
	}
	exact, brief, difference := means(rows[1]), means(rows[2]), means(rows[3])
	for i, name := range measures {
		if math.Abs(brief[i]-exact[i]-difference[i]) > 1.6e-4 { // three roundings to four decimals
			t.Errorf("%s: %g and %g differ by %g", name, exact[i], brief[i], difference[i])
		}
	}
}

func TestSpreadIsThatOfASample(t *testing.T) {
	if mean, deviation := spread([]float64{1, 3, 5}); mean != 3 || deviation != 2 {
		t.Errorf("%g ± %g", mean, deviation)
	}
	if mean, deviation := spread([]float64{7}); mean != 7 || deviation != 0 {
		t.Errorf("of one value: %g ± %g", mean, deviation)
	}
}

// Factors of 8 significant bits have a random error of at most 2⁻⁹; those of float32 are exact.
func TestDistancesAreThoseOfTheDigits(t *testing.T) {
	var w bytes.Buffer
	if err := distances(&w); err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| (\S+e\S+) \| (\S+e\S+) \|$`).FindAllStringSubmatch(w.String(), -1)
	if len(rows) != 4 {
		t.Fatalf("want four rows:\n%s", w.String())
	}
	for _, row := range rows {
		exact, _ := strconv.ParseFloat(row[2], 64)
		brief, _ := strconv.ParseFloat(row[3], 64)
		if !(exact > 1e-9 && exact < 1e-6) || !(brief > 1e-3 && brief < 5e-3) {
			t.Errorf("%s: %g and %g", row[1], exact, brief)
		}
	}
}

func TestUnknownDataIsAnError(t *testing.T) {
	if err := run(&bytes.Buffer{}, []string{"nowhere"}, plan{}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("error %v", err)
	}
}
