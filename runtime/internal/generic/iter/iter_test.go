package iter

import (
	"fmt"
	standard "iter"
	"runtime"
	"sync"
	"testing"
)

// upTo yields 0 to n−1 and logs how it ends.
func upTo(n int, log *[]string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		defer func() { *log = append(*log, "cleaned up") }()
		for i := range n {
			if !yield(i) {
				*log = append(*log, "stopped")
				return
			}
		}
		*log = append(*log, "exhausted")
	}
}

// A puller is the result of Pull, either this package's or the standard one.
type puller func(seq func(yield func(int) bool)) (next func() (int, bool), stop func())

func ownPull(seq func(yield func(int) bool)) (func() (int, bool), func()) { return Pull(Seq[int](seq)) }

func standardPull(seq func(yield func(int) bool)) (func() (int, bool), func()) {
	return standard.Pull(standard.Seq[int](seq))
}

// agree runs a scenario with both implementations and compares the logs.
func agree(t *testing.T, name string, scenario func(pull puller, log *[]string)) {
	t.Helper()
	var own, std []string
	scenario(ownPull, &own)
	scenario(standardPull, &std)
	if fmt.Sprint(own) != fmt.Sprint(std) {
		t.Errorf("%s:\n\tgot  %q\n\twant %q", name, own, std)
	}
}

// guarded runs f and logs its panic.
func guarded(log *[]string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			*log = append(*log, fmt.Sprint("panic ", p))
		}
	}()
	f()
}

func TestPullAgreesInEverySequenceOfCalls(t *testing.T) {
	// Each digit of a plan is a call: 0 to 2 call next, 3 calls stop.
	for plan := range 1024 {
		for length := range 4 {
			agree(t, fmt.Sprint("plan ", plan, " of ", length), func(pull puller, log *[]string) {
				next, stop := pull(upTo(length, log))
				for rest := plan; rest > 0; rest /= 4 {
					if rest%4 == 3 {
						stop()
						*log = append(*log, "stop")
						continue
					}
					v, ok := next()
					*log = append(*log, fmt.Sprint(v, ok))
				}
				stop()
			})
		}
	}
}

func TestPullPassesPanicsOn(t *testing.T) {
	agree(t, "in the sequence", func(pull puller, log *[]string) {
		next, stop := pull(func(yield func(int) bool) {
			yield(1)
			panic("broken")
		})
		guarded(log, func() { v, ok := next(); *log = append(*log, fmt.Sprint(v, ok)) })
		guarded(log, func() { next(); *log = append(*log, "went on") })
		guarded(log, func() { v, ok := next(); *log = append(*log, fmt.Sprint(v, ok)) })
		guarded(log, stop)
	})
	agree(t, "while stopping", func(pull puller, log *[]string) {
		next, stop := pull(func(yield func(int) bool) {
			defer func() { panic("late") }()
			yield(1)
		})
		next()
		guarded(log, stop)
		guarded(log, stop)
	})
	agree(t, "yield after stop", func(pull puller, log *[]string) {
		next, stop := pull(func(yield func(int) bool) {
			for i := range 3 {
				*log = append(*log, fmt.Sprint(yield(i)))
			}
		})
		next()
		stop()
	})
	agree(t, "next within next", func(pull puller, log *[]string) {
		var next func() (int, bool)
		next, stop := pull(func(yield func(int) bool) {
			guarded(log, func() { next() })
			yield(5)
		})
		v, ok := next()
		*log = append(*log, fmt.Sprint(v, ok))
		stop()
	})
}

func TestPullPassesGoexitOn(t *testing.T) {
	agree(t, "Goexit", func(pull puller, log *[]string) {
		next, _ := pull(func(yield func(int) bool) { runtime.Goexit() })
		var group sync.WaitGroup
		group.Go(func() {
			defer func() { *log = append(*log, fmt.Sprint("exited ", recover())) }()
			next()
			*log = append(*log, "went on")
		})
		group.Wait()
		v, ok := next()
		*log = append(*log, fmt.Sprint(v, ok))
	})
}

func TestPull2YieldsPairs(t *testing.T) {
	next, stop := Pull2(func(yield func(string, int) bool) {
		_ = yield("a", 1) && yield("b", 2)
	})
	defer stop()
	for _, want := range []string{"a 1 true", "b 2 true", " 0 false", " 0 false"} {
		k, v, ok := next()
		if got := fmt.Sprint(k, " ", v, " ", ok); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestStopEndsTheGoroutine(t *testing.T) {
	ended := make(chan struct{})
	next, stop := Pull(func(yield func(int) bool) {
		defer close(ended)
		for yield(1) {
		}
	})
	next()
	stop()
	<-ended
}
