package abridge

import (
	"strings"
	"testing"
)

func TestLongTextsAreCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct{ text, end string }{
		{"short", "short"},
		{strings.Repeat("a", Limit), "aaa"},
		{strings.Repeat("a", Limit+1), "aaa… (32769 bytes, the first 32768 shown)"},
		{"a" + strings.Repeat("κ", Limit), "κ… (65537 bytes, the first 32767 shown)"},
	} {
		got := Text(c.text)
		if !strings.HasSuffix(got, c.end) || len(got) > Limit+100 || len(c.text) <= Limit && got != c.text {
			t.Errorf("%d bytes: %d bytes that end in %q, want %q", len(c.text), len(got), got[max(0, len(got)-60):], c.end)
		}
	}
}
