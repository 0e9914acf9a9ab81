package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sort"

	"gosphere/kernel/nbformat"
)

// Tolerances state how far a new output may differ from the stored one. The zero value requires
// equality.
//
// They are stored in the metadata of a cell, or of the notebook for all its cells:
//
//	"gosphere": {"check": {"relative": 1e-6, "pixels": 0.01}}
//
// The fields of a cell override those of the notebook individually.
type Tolerances struct {
	// Relative and Absolute bound the difference of two numbers: |new − stored| ≤ Absolute +
	// Relative·|stored|. If one of them is above 0, numbers printed with a decimal point may
	// additionally differ by half a unit of the last digit of each, because they are rounded, and
	// columns may be wider.
	Relative float64 `json:"relative"`
	Absolute float64 `json:"absolute"`
	// Pixels is the share of a figure's pixels, from 0 to 1, that may differ visibly.
	Pixels float64 `json:"pixels"`
	// Ignore contains regular expressions (of package regexp). Text that they match is not
	// compared.
	Ignore []string `json:"ignore"`
	// Skip is the reason why the outputs of the cell are not compared at all, or "" to compare
	// them.
	Skip string `json:"skip"`

	ignored []*regexp.Regexp
}

// TolerancesOf returns the tolerances in the metadata of a notebook and of one of its cells. An
// unknown field or a value outside its domain is an error that names the field.
func TolerancesOf(notebook *nbformat.Notebook, cell *nbformat.Cell) (Tolerances, error) {
	var t Tolerances
	if err := t.read(notebook.Metadata); err != nil {
		return t, fmt.Errorf("metadata of the notebook: %w", err)
	}
	if err := t.read(cell.Metadata); err != nil {
		return t, fmt.Errorf("metadata of cell %s: %w", cell.ID, err)
	}
	for _, pattern := range t.Ignore {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return t, fmt.Errorf("cell %s: gosphere.check.ignore: %w", cell.ID, err)
		}
		t.ignored = append(t.ignored, compiled)
	}
	return t, nil
}

// read reads the fields of one metadata object.
func (t *Tolerances) read(metadata map[string]any) error {
	if metadata["gosphere"] == nil {
		return nil
	}
	own, ok := metadata["gosphere"].(map[string]any)
	if !ok {
		return fmt.Errorf("gosphere is %v, want an object", metadata["gosphere"])
	}
	value, ok := own["check"]
	if !ok {
		return nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("gosphere.check is %v, want an object", value)
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := t.set(name, fields[name]); err != nil {
			return fmt.Errorf("gosphere.check.%s %w", name, err)
		}
	}
	return nil
}

func (t *Tolerances) set(name string, value any) (err error) {
	switch name {
	case "relative":
		t.Relative, err = number(value, math.MaxFloat64)
	case "absolute":
		t.Absolute, err = number(value, math.MaxFloat64)
	case "pixels":
		t.Pixels, err = number(value, 1)
	case "ignore":
		list, ok := value.([]any)
		t.Ignore = nil
		for _, element := range list {
			pattern, isText := element.(string)
			ok = ok && isText
			t.Ignore = append(t.Ignore, pattern)
		}
		if !ok {
			return fmt.Errorf("is %v, want a list of regular expressions", value)
		}
	case "skip":
		reason, ok := value.(string)
		if !ok || reason == "" {
			return fmt.Errorf("is %v, want the reason as a text", value)
		}
		t.Skip = reason
	default:
		return fmt.Errorf("is unknown; known are relative, absolute, pixels, ignore and skip")
	}
	return err
}

// number converts a value to a number from 0 to a bound.
func number(value any, most float64) (float64, error) {
	var x float64
	switch value := value.(type) {
	case float64:
		x = value
	case json.Number:
		var err error
		if x, err = value.Float64(); err != nil {
			return 0, fmt.Errorf("is %v: %w", value, err)
		}
	default:
		return 0, fmt.Errorf("is %v, want a number", value)
	}
	if !(x >= 0 && x <= most) {
		return 0, fmt.Errorf("is %v, want a number from 0 to %g", x, most)
	}
	return x, nil
}

// loose reports whether numbers may differ at all.
func (t *Tolerances) loose() bool { return t.Relative > 0 || t.Absolute > 0 }

// allowed returns the allowed difference from a stored number.
func (t *Tolerances) allowed(stored float64) float64 {
	return t.Absolute + t.Relative*math.Abs(stored)
}

// without removes ignored parts from a text.
func (t *Tolerances) without(text string) string {
	for _, pattern := range t.ignored {
		text = pattern.ReplaceAllLiteralString(text, "…")
	}
	return text
}
