package table

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestObjectsWithNamesOfTheirOwnAreNoTable(t *testing.T) {
	defer func(old int) { maxCells = old }(maxCells)
	maxCells = 10_000
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, `{"n%d":1}`, i)
	}
	_, err := ReadJSON(strings.NewReader(text.String()))
	if err == nil || !strings.Contains(err.Error(), "different names: a table has at most 10000 values") {
		t.Error(err)
	}
	if got, err := ReadJSON(strings.NewReader(strings.Repeat(`{"a":1,"b":2}`, 4000))); err != nil || got.Len() != 4000 {
		t.Error(got, err)
	}
}

// FuzzReadJSON checks that what is read comes back from what is written of it.
func FuzzReadJSON(f *testing.F) {
	for _, text := range []string{
		`[{"a": 1, "b": "x"}, {"b": null, "c": [1, {"d": 2.5}]}]`, "{\"a\":1}\n{\"a\":1e400}\n", `{"a": [1, 2], "b": ["x", null]}`, `[]`, `{}`, `[{}]`, `{"a": []}`,
		`[{"a": true}, {"a": 9007199254740993}]`, `{"a": 1} x`, `[{"a":`, "\ufeff[]", `[{"":0}]`, `[[1]]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		read, err := ReadJSON(strings.NewReader(text))
		if err != nil {
			return
		}
		written, err := read.MarshalJSON()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := ReadJSON(bytes.NewReader(written))
		if err != nil {
			t.Fatalf("%q becomes %q: %v", text, written, err)
		}
		if again.Len() != read.Len() {
			t.Fatalf("%q becomes %q with %d rows, want %d", text, written, again.Len(), read.Len())
		}
		for i := range read.Len() {
			if got, want := again.Row(i), read.Row(i); len(read.columns) > 0 && !reflect.DeepEqual(again.columns, read.columns) || !reflect.DeepEqual(got, want) {
				t.Errorf("%q becomes %q: row %d is %#v, want %#v", text, written, i, got, want)
			}
		}
	})
}
