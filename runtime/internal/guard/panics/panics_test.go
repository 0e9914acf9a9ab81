package panics

import (
	"os"
	"testing"
)

type namedInt int

func TestTextIsThatOfAGoProgram(t *testing.T) {
	for want, value := range map[string]any{
		"3": 3, "text": "text", "panics.namedInt(4)": namedInt(4), "file does not exist": os.ErrNotExist, "nil": nil,
	} {
		if got := Text(value); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
