package table

import (
	"fmt"
	"testing"
	"time"
)

func TestProfilesCountValues(t *testing.T) {
	got := New("n", "x", "s", "ok", "at", "wait", "many", "gap", "any")
	for i := range 40 {
		row := []any{i % 5, float64(i) / 2, "a", i%4 == 0, time.Unix(int64(i)*3600, 0).UTC(), time.Duration(i) * time.Second, fmt.Sprint("v", i), nil, []any{1}}
		if i%8 == 0 {
			row = []any{nil, nil, "b", nil, nil, nil, nil, nil, nil}
		}
		got.Append(row...)
	}
	for k, want := range []string{
		"5 [0 1 2 3 4] [7 7 7 7 7]",
		"5 [0.5 to 2.08333 2.08333 to 3.66667 3.66667 to 5.25 5.25 to 6.83333 6.83333 to 8.41667 8.41667 to 10 10 to 11.5833 11.5833 to 13.1667 13.1667 to 14.75 14.75 to 16.3333 16.3333 to 17.9167 17.9167 to 19.5] [4 3 2 3 2 3 4 2 3 2 3 4]",
		"0 [a b] [35 5]",
		"5 [false true] [30 5]",
		"5 [1970-01-01 01:00 to 1970-01-01 04:10",
		"5 [1s to 4.166666s",
		"5 [v1 v2 v3 v4 v5 v6 v7 v9 v10 v11 v12 v13 23 other values] [1 1 1 1 1 1 1 1 1 1 1 1 23]",
		"40 [] []",
		"5 [] []",
	} {
		missing, labels, counts := got.Profile(k)
		if text := fmt.Sprint(missing, labels, counts); len(text) < len(want) || text[:len(want)] != want || len(labels) != len(counts) {
			t.Errorf("%s: got %s, want %s", got.columns[k], text, want)
		}
	}
	sizes := sizes("L", "S", "L", nil)
	if _, labels, counts := sizes.Profile(0); fmt.Sprint(labels, counts) != "[S L] [1 2]" {
		t.Error(labels, counts)
	}
	big := New("n")
	big.Append(-1 << 62)
	big.Append(1 << 62)
	if _, _, counts := big.Profile(0); fmt.Sprint(counts) != "[1 0 0 0 0 0 0 0 0 0 0 1]" {
		t.Error(counts)
	}
}
