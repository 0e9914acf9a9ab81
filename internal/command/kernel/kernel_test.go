package kernel

import (
	"strings"
	"testing"
)

func TestKernelNamesTheConnectionFileItCannotRead(t *testing.T) {
	err := Kernel{ConnectionFile: t.TempDir() + "/missing.json"}.Run()
	if err == nil || !strings.Contains(err.Error(), "missing.json") {
		t.Errorf("error %v, want the file named", err)
	}
}
