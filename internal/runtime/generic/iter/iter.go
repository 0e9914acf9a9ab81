// Package iter holds the generic types and functions of the standard package iter.
package iter

import "runtime"

// Seq is an iterator over values: it calls yield for each and stops when yield returns false.
type Seq[V any] func(yield func(V) bool)

// Seq2 is an iterator over pairs.
type Seq2[K, V any] func(yield func(K, V) bool)

// Pull returns functions that take the values of seq one by one and that end it. next
// and stop must not be called from two goroutines at a time. A panic or Goexit of seq
// happens in the call of next or stop that made it go on.
func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func()) {
	next2, stop := Pull2(func(yield func(V, bool) bool) {
		seq(func(v V) bool { return yield(v, true) })
	})
	next = func() (V, bool) {
		v, _, ok := next2()
		return v, ok
	}
	return next, stop
}

// Pull2 is Pull for an iterator over pairs.
func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var (
		key        K
		value      V
		ok         bool // key and value are the next pair
		started    bool
		done       bool // seq has ended, or must not begin
		stopping   bool
		running    bool // seq runs: next or stop called from within it is an error
		panicValue any
		exited     bool
	)
	// The two goroutines take turns, so that the variables above need no lock: a value
	// sent on resume gives the turn to seq, one on paused gives it back.
	resume := make(chan bool)
	paused := make(chan bool)

	yield := func(k K, v V) bool {
		if done || stopping {
			return false
		}
		key, value, ok = k, v, true
		paused <- true
		<-resume
		return !stopping
	}
	ended := func(p any, returned bool) {
		panicValue, exited, done = p, !returned && p == nil, true
		paused <- true
	}
	// turn lets seq run until it yields or ends.
	turn := func() {
		if running {
			panic("iter.Pull: next called again before yield")
		}
		if !started {
			started = true
			// The goroutine owns the calls of seq. It ends when seq does, and seq does at
			// the latest when stop makes yield return false.
			go follow(seq, yield, resume, ended)
		}
		running = true
		resume <- true
		<-paused
		running = false
		if p := panicValue; p != nil {
			panicValue = nil
			panic(p)
		}
		if exited {
			exited = false
			runtime.Goexit()
		}
	}
	next = func() (K, V, bool) {
		var noKey K
		var noValue V
		if done {
			return noKey, noValue, false
		}
		ok = false
		turn()
		k, v, found := key, value, ok
		key, value, ok = noKey, noValue, false
		return k, v, found
	}
	stop = func() {
		if done {
			return
		}
		stopping = true
		if !started {
			done = true
			return
		}
		turn()
	}
	return next, stop
}

// follow runs seq from the first turn on, and tells how it ended.
func follow[K, V any](seq Seq2[K, V], yield func(K, V) bool, resume chan bool, ended func(panicValue any, returned bool)) {
	<-resume
	returned := false
	defer func() {
		if returned {
			ended(nil, true)
		} else {
			ended(recover(), false)
		}
	}()
	seq(yield)
	returned = true
}
