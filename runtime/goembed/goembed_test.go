package goembed

import (
	"slices"
	"strings"
	"testing"
)

func TestWhiteSpaceSeparatesPatterns(t *testing.T) {
	list, err := Patterns(" a.txt\tb/*  \"c d\"\te")
	if want := []string{"a.txt", "b/*", "c d", "e"}; err != nil || !slices.Equal(list, want) {
		t.Errorf("patterns are %q, %v, want %q", list, err, want)
	}
}

func FuzzPatterns(f *testing.F) {
	for _, seed := range []string{" a.txt b/*", ` "a b" c`, " `x`", ` "`, " all:tree", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Patterns(text)
		if err == nil && strings.TrimSpace(text) != "" && len(list) == 0 {
			t.Errorf("%q has no pattern", text)
		}
	})
}
