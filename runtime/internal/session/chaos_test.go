package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/internal/guard/limits"
)

// endless lists cells that end only by an interrupt or a limit.
var endless = []string{
	"for {}",
	"select {}",
	"for { fmt.Println(\"again and again\") }",
	"never := make(chan int)\n<-never",
	"var twice sync.Mutex\ntwice.Lock()\ntwice.Lock()",
	"var forever sync.WaitGroup\nforever.Add(1)\nforever.Wait()",
	"busy := map[int]int{}\nfor g := 0; g < 3; g++ { go func() { for i := 0; ; i++ { busy[i%9]++ } }() }\nfor { for k := range busy { delete(busy, k) } }",
	"time.Sleep(time.Hour)",
	"sort.Slice(make([]int, 1e6), func(i, j int) bool { time.Sleep(time.Microsecond); return i < j })",
	"sort.Slice(make([]int, 3e6), func(i, j int) bool { return i%7 < j%7 })",
	"func spin(n int) int { if n < 2 { return n }; return spin(n-1) + spin(n-2) }\nspin(80)",
	"for { func() { defer func() { recover() }(); panic(1) }() }",
	"reader, writer := io.Pipe()\n_ = writer\nio.ReadAll(reader)",
	"listener, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\ndefer listener.Close()\nlistener.Accept()",
	"exec.Command(\"sleep\", \"60\").Run()",
}

// hoarders lists cells that end only by the memory limit. The cell that follows releases their
// memory.
var hoarders = []string{
	"for { hoard = append(hoard, make([]byte, 1<<20)) }",
	"go func() { for { hoard = append(hoard, make([]byte, 1<<20)) } }()\nselect {}",
}

// TestChaos runs killers and endless cells in random order in one session for CHAOS_SECONDS, by
// default five seconds. After each it checks the state of earlier cells and that their goroutines
// still run. CHAOS_SEED changes the order.
//
//	CHAOS_SECONDS=3600 CHAOS_SEED=7 go test ./runtime/internal/session -run TestChaos -timeout 2h -v
func TestChaos(t *testing.T) {
	seconds, seed := setting(t, "CHAOS_SECONDS", 5), setting(t, "CHAOS_SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	s := newTestSession(t)
	if end, _ := play(s, 1, chaosState); end.failure != nil {
		t.Fatal(end.failure)
	}
	over := time.After(time.Duration(seconds) * time.Second)
	for round := 1; ; round++ {
		select {
		case <-over:
			t.Logf("%d rounds, %d goroutines", round-1, runtime.NumGoroutine())
			return
		default:
		}
		name := fireOne(t, s, round, random)
		check := "hoard = nil\nkept[\"rounds\"]++\nfmt.Println(kept[\"rounds\"], savings.Deposit(2), <-ticks, beats[0] >= 0)"
		end, output := play(s, 2*round+1, check)
		want := fmt.Sprintf("%d %d %d true\n", round, 2*round, round)
		if end.failure != nil || output != want {
			t.Fatalf("round %d, after %s: %v, output %q, want %q", round, name, end.failure, output, want)
		}
	}
}

// chaosState declares state that must survive the killers: values of three kinds, a goroutine that
// answers and one that counts.
const chaosState = `var hoard [][]byte
kept := map[string]int{"rounds": 0}
type account struct{ Balance int }
func (a *account) Deposit(n int) int { a.Balance += n; return a.Balance }
savings := &account{}
ticks := make(chan int)
go func() { for i := 1; ; i++ { ticks <- i } }()
beats := map[int]int{}
go func() { for { beats[0]++; time.Sleep(time.Millisecond) } }()`

// fireOne runs a killer, a hoarder or an endless cell and returns its name.
func fireOne(t *testing.T, s *Session, round int, random *rand.Rand) (name string) {
	n := random.IntN(len(killers) + len(hoarders) + len(endless))
	if n < len(killers) {
		if wrong := killers[n].judge(play(s, 2*round, killers[n].code)); wrong != "" {
			t.Errorf("round %d, %s: %s", round, killers[n].name, wrong)
		}
		return killers[n].name
	}
	if n -= len(killers); n < len(hoarders) {
		s.guard.Memory.Set(limits.Used() + 300<<20)
		end, _ := play(s, 2*round, "hoard = nil\n"+hoarders[n])
		s.guard.Memory.Set(64 << 30) // large enough for deep recursion, which takes more than a gigabyte
		if end.failure == nil || end.failure.name != "out of memory" {
			t.Errorf("round %d, %s: %v", round, hoarders[n], end.failure)
		}
		return hoarders[n]
	}
	name = endless[n-len(hoarders)]
	if reply, _ := interrupted(t, s, name); reply.Ename != "KeyboardInterrupt" {
		t.Errorf("round %d, %s: ename %q", round, name, reply.Ename)
	}
	return name
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
	s.guard.Memory.Set(limits.Used() + 200<<20)
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
			t.Errorf("%s, afterward: %v %q", name, end.failure, output)
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
