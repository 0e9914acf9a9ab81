package early

import (
	"runtime"
	"testing"
)

func TestTheProfilerIsOffUntilTheInitializationIsOver(t *testing.T) {
	if rate != 512<<10 || runtime.MemProfileRate != 0 {
		t.Errorf("rate %d before the initialization, %d now, want the runtime's 512 KiB and 0", rate, runtime.MemProfileRate)
	}
	if Over(); runtime.MemProfileRate != rate {
		t.Errorf("rate %d after it, want %d", runtime.MemProfileRate, rate)
	}
}
