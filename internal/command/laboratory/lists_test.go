package laboratory

import (
	"slices"
	"testing"

	"gosphere/asymvlm/adapter"
)

func TestSeedListsAreNumbersAndRanges(t *testing.T) {
	for text, want := range map[string][]uint64{
		"0":                           {0},
		"0..4":                        {0, 1, 2, 3, 4},
		"0,2,5":                       {0, 2, 5},
		"7,0..2,9":                    {7, 0, 1, 2, 9},
		"3..3":                        {3},
		"10..12,11000000000000000000": {10, 11, 12, 11000000000000000000},
		// The loop must not overflow after the largest number.
		"18446744073709551614..18446744073709551615": {18446744073709551614, 18446744073709551615},
	} {
		var l seedList
		if err := l.UnmarshalText([]byte(text)); err != nil || !slices.Equal(l.seeds, want) {
			t.Errorf("%q gives %d, %v", text, l.seeds, err)
		}
	}
}

func TestWrongSeedListsAreErrors(t *testing.T) {
	for _, text := range []string{"", ",", "1,", "a", "1..", "..1", "1..2..3", "-1", "1.5", "2..1", "0..10000", "18446744073709551616", "1,1", "0..4,2"} {
		var l seedList
		if err := l.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q gives %d", text, l.seeds)
		}
	}
}

func FuzzSeedLists(f *testing.F) {
	for _, text := range []string{"0..4", "0,2,5", "1..", "0..9999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var l seedList
		if err := l.UnmarshalText([]byte(text)); err != nil {
			return
		}
		sorted := slices.Sorted(slices.Values(l.seeds))
		if len(slices.Compact(sorted)) != len(l.seeds) || len(l.seeds) == 0 {
			t.Errorf("%q gives %d", text, l.seeds)
		}
	})
}

func TestMethodListsAreNamesOrAll(t *testing.T) {
	var l methodList
	if err := l.UnmarshalText([]byte("all")); err != nil || !slices.Equal(l.methods, adapter.Methods()) {
		t.Errorf("all gives %q, %v", l.methods, err)
	}
	if err := l.UnmarshalText([]byte("pfe,clip")); err != nil || !slices.Equal(l.methods, []string{"pfe", "clip"}) {
		t.Errorf("%q, %v", l.methods, err)
	}
	if err := l.UnmarshalText([]byte("probvlm-official,probvlm-exact")); err != nil || !slices.Equal(l.methods, []string{"probvlm", "probvlm-exact"}) {
		t.Errorf("%q, %v", l.methods, err)
	}
	for _, text := range []string{"", "probvlm,probvlm-official", "pfe-official", "pfe,", "pfe, clip", "PFE", "all,clip", "clip,clip"} {
		if err := l.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q gives %q", text, l.methods)
		}
	}
}

func TestJobsGoSeedBySeed(t *testing.T) {
	s := selection{Method: methodList{[]string{"clip", "pfe"}}, Seeds: seedList{[]uint64{4, 2}}}
	var names []string
	for _, j := range s.jobs() {
		names = append(names, j.String())
	}
	if !slices.Equal(names, []string{"[1/4] clip, seed 4", "[2/4] pfe, seed 4", "[3/4] clip, seed 2", "[4/4] pfe, seed 2"}) {
		t.Errorf("jobs %q", names)
	}
	s = selection{Method: methodList{[]string{"clip"}}, Seeds: seedList{[]uint64{0}}}
	if name := s.jobs()[0].String(); name != "clip, seed 0" {
		t.Errorf("a job alone is called %q", name)
	}
}
