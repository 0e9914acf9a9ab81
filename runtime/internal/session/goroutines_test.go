package session

import (
	"regexp"
	"testing"
	"time"
)

// The profile of goroutines, the traces of all goroutines and the numbers by state have the
// goroutines of cells, with their calls, and none of the session.
func TestProfilesOfGoroutinesHaveThoseOfCells(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	printed(s, `import ("bytes"; "runtime/metrics"; "runtime/pprof")
c, block := make(chan int), make(chan bool)
func waits() { <-c }
func sends() { c2 := make(chan int); c2 <- 1 }
func profile(detail int) string {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, detail); err != nil { return err.Error() }
	return b.String()
}
func number(name string) uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines" + name + ":goroutines"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
for range 3 { go waits() }
go sends()
var group sync.WaitGroup
group.Go(func() { <-block })
for number("/waiting") < 5 { time.Sleep(time.Millisecond) }`)
	for code, want := range map[string]string{
		`fmt.Println(runtime.NumGoroutine(), number(""), number("/running"), number("/waiting"), number("/runnable"), number("/not-in-go"))`: `^6 6 1 5 0 0\n$`,
		`fmt.Println(profile(1))`: `^goroutine profile: total 6\n3 @ 0x8[0-9a-f]+\n#\tmain\.waits\tCell \[1\]:3\n\n1 @`,
		`fmt.Println(profile(2))`: `(?s)^goroutine \d+ \[running\]:\n.*main\.profile\(\.\.\.\)\n\tCell \[1\]:7 \+0x1\n.*main\.main\(\)\n\tCell \[\d+\]:1 \+0x1\n\ngoroutine .*` +
			`goroutine \d+ \[chan receive\]:\nmain\.waits\(\)\n\tCell \[1\]:3 \+0x1\ncreated by main\.main in goroutine \d+\n\tCell \[1\]:15 \+0x[0-9a-f]+\n`,
		`fmt.Println(strings.Contains(profile(2), "[chan send]:\nmain.sends()\n\tCell [1]:4"), strings.Contains(profile(2), "runtime/internal"))`: `^true false\n$`,
		`b := make([]byte, 1<<16); b = b[:runtime.Stack(b, true)]
fmt.Println(bytes.Count(b, []byte("goroutine ")) >= 6, bytes.Contains(b, []byte("gosphere/")), string(b[:10]))`: `^true false goroutine \n$`,
		`p := make([]runtime.StackRecord, 10); n, ok := runtime.GoroutineProfile(p)
found := 0
for _, r := range p[:n] { f, _ := runtime.CallersFrames(r.Stack()).Next(); if f.Function == "main.waits" { found++ } }
fmt.Println(n, ok, found)`: `^6 true 3\n$`,
	} {
		got := printed(s, code)
		// The goroutine of the cell before may still be ending.
		for range 100 {
			if regexp.MustCompile(want).MatchString(got) {
				break
			}
			time.Sleep(time.Millisecond)
			got = printed(s, code)
		}
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s\n%s\nwant: %s", code, got, want)
		}
	}
	printed(s, "close(c); close(block); group.Wait()")
}
