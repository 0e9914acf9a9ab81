package command

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrongCommandLinesPointToTheHelp(t *testing.T) {
	for _, arguments := range [][]string{nil, {"nonsense"}, {"train", "--epochs", "many"}, {"run"}} {
		var out, errs bytes.Buffer
		if status := Main(arguments, Preloaded{}, &out, &errs); status != 2 || out.Len() > 0 {
			t.Errorf("%q: status %d, output %q", arguments, status, out.String())
		}
		if text := errs.String(); !strings.HasPrefix(text, "gosphere: ") || !strings.Contains(text, "gosphere --help") {
			t.Errorf("%q: %q", arguments, text)
		}
	}
}
