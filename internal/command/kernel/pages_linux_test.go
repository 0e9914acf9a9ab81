package kernel

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// residentFiles returns the resident memory in kilobytes that is that of files.
func residentFiles(t *testing.T) (kilobytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "RssFile: %d kB", &kilobytes); n == 1 {
			return kilobytes
		}
	}
	t.Skip("the system does not count it")
	return 0
}

func TestPagesOfTheProgramAreReleasedAndComeBack(t *testing.T) {
	before := residentFiles(t)
	releasePages()
	if after := residentFiles(t); after > before/2 {
		t.Errorf("%d kB of files before, %d after", before, after)
	}
	if got := fmt.Sprintf("%v %x", []any{1, "a", 2.5}, "text"); got != "[1 a 2.5] 74657874" {
		t.Errorf("got %q", got)
	}
}
