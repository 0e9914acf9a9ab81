package schedule

import (
	"runtime"
	"testing"
	"time"
)

// Tests may change GOMAXPROCS, as the program of a kernel may.
func TestMain(m *testing.M) {
	PermitProcessors()
	m.Run()
}

// processorsBecome waits until GOMAXPROCS has the given value.
func processorsBecome(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(deadline); runtime.GOMAXPROCS(0) != want; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d processors, want %d", runtime.GOMAXPROCS(0), want)
		}
	}
}

func TestSpareProcessorsAreBoundedAndLeaveTheSettingOfACell(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, step := range []struct{ more, want int }{
		{1, before + 1}, {maxExtraProcessors + 3, before + maxExtraProcessors}, {-3, before + maxExtraProcessors}, {-2, before + maxExtraProcessors - 1},
	} {
		if addProcessors(step.more); runtime.GOMAXPROCS(0) != step.want {
			t.Errorf("%+d: %d processors, want %d", step.more, runtime.GOMAXPROCS(0), step.want)
		}
	}
	runtime.GOMAXPROCS(before + maxExtraProcessors + 2) // as a cell may
	if addProcessors(1 - maxExtraProcessors); runtime.GOMAXPROCS(0) != before+3 {
		t.Errorf("%d processors at the end, want the 3 that were added otherwise", runtime.GOMAXPROCS(0)-before)
	}
}
func TestTheProcessorOfARequestStaysForTheNext(t *testing.T) {
	before, usual := runtime.GOMAXPROCS(0), boostTail
	boostTail = time.Hour
	Boost()()
	if got := runtime.GOMAXPROCS(0); got != before+1 {
		t.Errorf("%d processors behind a request, want %d", got, before+1)
	}
	boostTail = usual
	endBoost()
	processorsBecome(t, before)
}

func TestARequestHasAProcessorMore(t *testing.T) {
	before, usual := runtime.GOMAXPROCS(0), boostTail
	boostTail = time.Millisecond
	defer func() { boostTail = usual }()
	for range 2 {
		first, second := Boost(), Boost()
		processorsBecome(t, before+1)
		first()
		processorsBecome(t, before+1)
		endBoost() // the timer of the first
		if got := runtime.GOMAXPROCS(0); got != before+1 {
			t.Errorf("%d processors while a request is answered, want %d", got, before+1)
		}
		second()
		processorsBecome(t, before)
	}
}
