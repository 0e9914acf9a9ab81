package guard

import "testing"

func TestBriefCallsAreKnownByTheirNamesInStacks(t *testing.T) {
	for function, want := range map[string]bool{
		"math.Sqrt": true, "math/rand/v2.(*Rand).IntN": true, "strings.(*Builder).WriteString": true, "time.Now": true, "time.Time.Sub": true,
		"bytes.(*Buffer).WriteByte": true, "bytes.(*Buffer).ReadFrom": false, "fmt.Fprintln": false, "fmt.Sprintf": true,
		"sync.(*Mutex).Lock": false, "sync.(*Mutex).Unlock": true, "os/exec.(*Cmd).Run": false, "gonum.org/v1/gonum/mat.(*Dense).Mul": false,
		"slices.SortFunc[go.shape.[]int,go.shape.int]": false, "sync/atomic.(*Pointer[go.shape.int]).Load": true,
		"gosphere/runtime/guard.(*Guard).sprintf-fm": true, "gosphere/runtime/guard.choose": false, "main": false, "": false,
	} {
		if got := briefCall(function); got != want {
			t.Errorf("%s: %v, want %v", function, got, want)
		}
	}
}
