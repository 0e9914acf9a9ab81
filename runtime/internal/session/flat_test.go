package session

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// sessionCell returns cell n of a long session. Of every four cells, one declares a function that
// uses an earlier one, one a variable, one a type with a method, and one uses these declarations.
func sessionCell(n int) string {
	switch n % 4 {
	case 0:
		if n == 0 {
			return "import \"fmt\"\nfunc f0(x int) int { return x + 1 }"
		}
		return fmt.Sprintf("func f%d(x int) int {\n\tfor i := range 3 {\n\t\tx += f%d(i)\n\t}\n\treturn x\n}", n, (n-1)/8*4)
	case 1:
		return fmt.Sprintf("v%d := map[string][]int{\"a\": {f%d(%d)}}", n, n-1, n)
	case 2:
		return fmt.Sprintf("type T%d struct{ a, b int }\nfunc (t T%d) String() string { return fmt.Sprint(t.a, v%d[\"a\"][0]) }", n, n, n-1)
	}
	return fmt.Sprintf("t%d := T%d{%d, 2}\nfmt.Println(t%d, len(v%d))\nv%d", n, n-1, n, n, n-2, n-2)
}

// work runs some cells of a long session and returns the number of bytes allocated.
func work(t *testing.T, s *Session, from, to int) (allocated int) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := from; n < to; n++ {
		if got := printed(s, sessionCell(n)); n%4 != 3 && got != "" {
			t.Fatalf("cell %d: %s", n, got)
		}
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestTheTwoHundredthCellIsNoMoreWorkThanTheFirst runs in a separate process, because goroutines
// left by other tests allocate memory, too.
func TestTheTwoHundredthCellIsNoMoreWorkThanTheFirst(t *testing.T) {
	if os.Getenv("SESSION_ALONE") == "" {
		alone := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		alone.Env = append(os.Environ(), "SESSION_ALONE=1")
		out, err := alone.CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Error(err)
		}
		return
	}
	s := newTestSession(t)
	work(t, s, 0, 4) // packages are read once
	allocated := work(t, s, 4, 24)
	work(t, s, 24, 200)
	lastAllocated := work(t, s, 200, 220)
	t.Logf("twenty cells allocate %d bytes, and later %d", allocated, lastAllocated)
	if lastAllocated > 2*allocated {
		t.Errorf("twenty cells allocated %d bytes at first, and %d after two hundred cells", allocated, lastAllocated)
	}
}
