package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

func TestMetadataOfFilesAreRead(t *testing.T) {
	text := `{"nbformat": 4, "nbformat_minor": 5, "metadata": {"gosphere": {"check": {"relative": 1e-3, "absolute": 5, "pixels": 0.25}}},
	"cells": [{"cell_type": "code", "id": "a", "source": "", "outputs": [], "execution_count": null,
	"metadata": {"gosphere": {"check": {"relative": 0, "ignore": ["a", "b"], "skip": "a reason"}, "other": 1}, "tags": ["x"]}}]}`
	notebook, err := nbformat.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := TolerancesOf(notebook, notebook.Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	if got.Relative != 0 || got.Absolute != 5 || got.Pixels != 0.25 || len(got.ignored) != 2 || got.Skip != "a reason" {
		t.Errorf("got %+v", got)
	}
}

func TestACellCanBeStricterThanItsNotebook(t *testing.T) {
	notebook, cell := nbformat.New(), &nbformat.Cell{ID: "a"}
	notebook.Metadata["gosphere"] = map[string]any{"check": map[string]any{"relative": 0.1, "absolute": 1.0, "pixels": 0.5, "ignore": []any{"x"}}}
	cell.Metadata = map[string]any{"gosphere": map[string]any{"check": map[string]any{"relative": 0.0, "absolute": json.Number("0"), "pixels": 0.0, "ignore": []any{}}}}
	got, err := TolerancesOf(notebook, cell)
	if err != nil || got.loose() || got.Pixels != 0 || len(got.ignored) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if lines := Text("1.0", "1.00", got); lines == nil {
		t.Error("a strict cell takes another writing of a number")
	}
}

func TestCellsWithoutTolerancesWantEquality(t *testing.T) {
	for name, metadata := range map[string]map[string]any{
		"no metadata":        nil,
		"others":             {"tags": []any{"x"}},
		"others of gosphere": {"gosphere": map[string]any{"quick": true}},
		"null":               {"gosphere": nil},
	} {
		got, err := TolerancesOf(&nbformat.Notebook{}, &nbformat.Cell{Metadata: metadata})
		if err != nil || got.loose() || got.Pixels != 0 || got.Skip != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestNumbersOutsideOfTheirDomainAreRefused(t *testing.T) {
	for _, value := range []any{math.NaN(), math.Inf(1), -1e-300, json.Number("1e999"), json.Number("-1"), true, nil, []any{1.0}} {
		for _, field := range []string{"relative", "absolute", "pixels"} {
			cell := &nbformat.Cell{ID: "a", Metadata: map[string]any{"gosphere": map[string]any{"check": map[string]any{field: value}}}}
			if _, err := TolerancesOf(nbformat.New(), cell); err == nil || !strings.Contains(err.Error(), "metadata of cell a: gosphere.check."+field+" is ") {
				t.Errorf("%s %v: %v", field, value, err)
			}
		}
	}
	notebook := nbformat.New()
	notebook.Metadata["gosphere"] = "strict"
	if _, err := TolerancesOf(notebook, &nbformat.Cell{}); err == nil || err.Error() != "metadata of the notebook: gosphere is strict, want an object" {
		t.Errorf("got %v", err)
	}
}

func TestTheFirstWrongFieldIsNamedWhateverTheOrder(t *testing.T) {
	for range 20 {
		cell := &nbformat.Cell{ID: "a", Metadata: map[string]any{"gosphere": map[string]any{"check": map[string]any{"pixels": 2.0, "relative": -1.0, "digits": 3.0}}}}
		if _, err := TolerancesOf(nbformat.New(), cell); err == nil || !strings.Contains(err.Error(), "gosphere.check.digits is unknown") {
			t.Fatalf("got %v", err)
		}
	}
}
