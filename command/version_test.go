package command

import (
	"runtime"
	"strings"
	"testing"
)

func TestVersionsNameProgramGoAndDevice(t *testing.T) {
	text := Versions()
	for _, part := range []string{"gosphere " + Release, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, "device      cpu ("} {
		if !strings.Contains(text, part) {
			t.Errorf("the versions lack %q:\n%s", part, text)
		}
	}
}
