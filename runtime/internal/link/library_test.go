package link

import "testing"

func TestCompiledNamesReplaceWholeWords(t *testing.T) {
	for written, want := range map[string]string{
		"byte": "uint8", "[]rune": "[]int32", "bytes.Buffer": "bytes.Buffer", "map[byte]*bytes.Buffer": "map[uint8]*bytes.Buffer",
		"func(rune, byte) bool": "func(int32, uint8) bool", "example.com/byte-size/rune.Set": "example.com/byte-size/rune.Set",
	} {
		if got := compiledName(written); got != want {
			t.Errorf("%s becomes %s, want %s", written, got, want)
		}
	}
}
