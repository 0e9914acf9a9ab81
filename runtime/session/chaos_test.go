package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gosphere/runtime/guard"
)

// endless are cells that only an interrupt or a limit ends.
var endless = []string{
	"for {}",
	"select {}",
	"for { fmt.Println(\"again and again\") }",
	"never := make(chan int)\n<-never",
	"var twice sync.Mutex\ntwice.Lock()\ntwice.Lock()",
	"var forever sync.WaitGroup\nforever.Add(1)\nforever.Wait()",
	"busy := map[int]int{}\nfor g := 0; g < 3; g++ { go func() { for i := 0; ; i++ { busy[i%9]++ } }() }\nfor { for k := range busy { delete(busy, k) } }",
	"time.Sleep(time.Hour)",
}

// TestChaos fires killers and endless cells in random order at one session, and asks
// after each for the state of earlier cells. CHAOS_ROUNDS sets the number of rounds,
// CHAOS_SEED another order.
func TestChaos(t *testing.T) {
	rounds, seed := setting(t, "CHAOS_ROUNDS", 60), setting(t, "CHAOS_SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	s := newTestSession(t)
	setUp := `kept := map[string]int{"rounds": 0}
type account struct{ Balance int }
func (a *account) Deposit(n int) int { a.Balance += n; return a.Balance }
savings := &account{}
ticks := make(chan int)
go func() { for i := 1; ; i++ { ticks <- i } }()
beats := map[int]int{}
go func() { for { beats[0]++; time.Sleep(time.Millisecond) } }()`
	if end, _ := play(s, 1, setUp); end.failure != nil {
		t.Fatal(end.failure)
	}
	for round := 1; round <= rounds; round++ {
		name := ""
		if n := random.IntN(len(killers) + len(endless)); n < len(killers) {
			name = killers[n].name
			if wrong := killers[n].judge(play(s, 2*round, killers[n].code)); wrong != "" {
				t.Errorf("round %d, %s: %s", round, name, wrong)
			}
		} else {
			name = endless[n-len(killers)]
			if reply, _ := interrupted(t, s, name); reply.Ename != "KeyboardInterrupt" {
				t.Errorf("round %d, %s: ename %q", round, name, reply.Ename)
			}
		}
		check := "kept[\"rounds\"]++\nfmt.Println(kept[\"rounds\"], savings.Deposit(2), <-ticks, beats[0] >= 0)"
		end, output := play(s, 2*round+1, check)
		want := fmt.Sprintf("%d %d %d true\n", round, 2*round, round)
		if end.failure != nil || output != want {
			t.Fatalf("round %d, after %s: %v, output %q, want %q", round, name, end.failure, output, want)
		}
	}
}

func setting(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestMemoryLimitEndsTheCellAndKeepsTheState(t *testing.T) {
	s := newTestSession(t)
	s.guard.LimitMemory(guard.UsedMemory() + 200<<20)
	play(s, 1, "kept := 41\nvar hoard [][]byte")
	for name, code := range map[string]string{
		"in a loop":      "for { hoard = append(hoard, make([]byte, 1<<20)) }",
		"in a goroutine": "go func() { for { hoard = append(hoard, make([]byte, 1<<20)) } }()\nselect {}",
		"in a map":       "m := map[int][]int{}\nfor i := 0; ; i++ { m[i] = make([]int, 10000) }",
	} {
		end, _ := play(s, 2, code)
		if end.failure == nil || end.failure.name != "out of memory" || !strings.Contains(end.failure.value, "memory limit of") {
			t.Errorf("%s: %v", name, end.failure)
		}
		if end, _ := play(s, 3, "hoard = nil\nm := 0\nruntime.GC()\n_ = m"); end.failure != nil {
			t.Errorf("%s, letting go: %v", name, end.failure)
		}
		if end, output := play(s, 4, "fmt.Println(kept + 1)"); end.failure != nil || output != "42\n" {
			t.Errorf("%s, afterwards: %v %q", name, end.failure, output)
		}
	}
}

func TestTooMuchOutputIsCutInItsOwnCellOnly(t *testing.T) {
	t.Setenv("GOSPHERE_OUTPUT_LIMIT", "") // the limit is read once; the default is wanted
	s := newTestSession(t)
	end, output := play(s, 1, "line := strings.Repeat(\"x\", 1<<20-1)\nfor i := 0; i < 70; i++ { fmt.Println(line) }")
	if end.failure != nil || len(output) > 65<<20 || !strings.HasSuffix(output, "output limit of 64 MB reached: 6 MB in 6 lines were dropped\n") {
		t.Errorf("%v, %d bytes, at the end %q", end.failure, len(output), output[max(0, len(output)-80):])
	}
	if _, output := play(s, 2, "fmt.Println(len(line))"); output != "1048575\n" {
		t.Errorf("the next cell prints %q", output)
	}
}

func TestGoroutinesThatAllSleepCanBeInterrupted(t *testing.T) {
	s := newTestSession(t)
	code := "a, b := make(chan int), make(chan int)\ngo func() { b <- <-a }()\na <- <-b"
	if reply, _ := interrupted(t, s, code); reply.Ename != "KeyboardInterrupt" {
		t.Errorf("ename %q", reply.Ename)
	}
}
