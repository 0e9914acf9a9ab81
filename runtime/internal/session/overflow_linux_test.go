package session

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// memory returns a field of /proc/self/status in megabytes: VmRSS, the resident memory, or VmHWM,
// its maximum since the last forgetPeak.
func memory(t *testing.T, field string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes int
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kilobytes); n == 1 {
			return kilobytes >> 10
		}
	}
	t.Fatalf("no field %s", field)
	return 0
}

// forgetPeak makes the maximum of the resident memory its present size.
func forgetPeak(t *testing.T) {
	t.Helper()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip(err)
	}
}

// TestEndlessRecursionTakesLittleMemory repeats a recursion without end. The growth is bounded so
// that a kernel stays below 200 MB, and the memory returns to the system.
//
// The memory is that of the process, so that it runs in one of its own.
func TestEndlessRecursionTakesLittleMemory(t *testing.T) {
	if os.Getenv("GOSPHERE_TEST_RECURSION") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestEndlessRecursionTakesLittleMemory$", "-test.v")
		child.Env = append(os.Environ(), "GOSPHERE_TEST_RECURSION=1")
		if said, err := child.CombinedOutput(); err != nil || !strings.Contains(string(said), "--- PASS") {
			t.Fatalf("%v\n%s", err, said)
		}
		return
	}
	for name, code := range map[string]string{
		"a function": "func f(n int) int { return f(n+1) + 1 }\nf(0)",
		"a method":   "type node struct{ next *node }\nfunc (n *node) len() int { return n.next.len() + 1 }\nn := &node{}\nn.next = n\nn.len()",
		"a String":   "type T int\nfunc (t T) String() string { return fmt.Sprint(t) }\nfmt.Sprint(T(3))",
		"goroutines": "func g(n int) int { return g(n+1) + 1 }\nvar group sync.WaitGroup\nfor range 2 { group.Go(func() { g(0) }); group.Wait() }",
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			s.play(1, "1 + 1", discard)
			forgetPeak(t)
			before := memory(t, "VmRSS")
			for range 3 {
				s.play(2, code, discard)
			}
			most := 150
			if name == "goroutines" { // the next one may begin before the memory of the last is returned
				most = 400
			}
			if peak := memory(t, "VmHWM"); peak > before+most {
				t.Errorf("the memory grows from %d to %d MB", before, peak)
			}
			if name == "goroutines" {
				return
			}
			if after := memory(t, "VmRSS"); after > before+60 {
				t.Errorf("%d MB are held afterward, %d before", after, before)
			}
		})
	}
}

func TestCellsRaiseTheLimitOfTheStack(t *testing.T) {
	s := newTestSession(t)
	const deep = "func deep(n int) int { if n == 0 { return 0 }; return deep(n-1) + 1 }\n"
	for i, c := range []struct{ code, want string }{
		{deep + "fmt.Print(deep(250_000))", "250000"},
		{"fmt.Print(deep(1_000_000))", "error runtime error: stack overflow"},
		{"fmt.Print(debug.SetMaxStack(1000))", "1000000000"},
		{"fmt.Print(deep(250_000))", "250000"},
		{"fmt.Print(debug.SetMaxStack(200 << 20))", "1000"},
		{"fmt.Print(deep(1_000_000))", "1000000"},
	} {
		shown, _ := playCells(s, c.code)
		if !strings.HasPrefix(shown[0], c.want) {
			t.Errorf("cell %d: got %.200q, want %q", i+1, shown[0], c.want)
		}
	}
}
