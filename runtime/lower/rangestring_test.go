package lower

import (
	"slices"
	"strings"
	"testing"
)

func TestStringsAreDecodedLikeARangeDoes(t *testing.T) {
	for _, s := range []string{"", "a", "h\u00e9\xffl", "\xe4\xb8", strings.Repeat("a\u00e9\xff\u4e16\U0001f600", 999), strings.Repeat("x", 16)} {
		var offsets, wantOffsets, buffer []int
		var characters, wantCharacters, decoded []rune
		k := 0
		for ; k < len(decoded) || moreRunes(s, &k, &buffer, &decoded); k++ {
			offsets, characters = append(offsets, buffer[k]), append(characters, decoded[k])
		}
		for i, r := range s {
			wantOffsets, wantCharacters = append(wantOffsets, i), append(wantCharacters, r)
		}
		if !slices.Equal(offsets, wantOffsets) || !slices.Equal(characters, wantCharacters) {
			t.Errorf("%.20q: got %v and %v, want %v and %v", s, offsets, characters, wantOffsets, wantCharacters)
		}
	}
}

func TestFewCharactersAreDecodedForALoopThatLeavesEarly(t *testing.T) {
	k := 0
	var offsets []int
	var characters []rune
	if !moreRunes(strings.Repeat("x", 1<<20), &k, &offsets, &characters) || len(characters) > 100 {
		t.Errorf("%d characters", len(characters))
	}
}
