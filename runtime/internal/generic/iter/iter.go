// Package iter holds the generic types and functions of the standard package iter.
package iter

import "runtime"

// Seq is an iterator over values. It calls yield for each value and stops when yield returns false.
type Seq[V any] func(yield func(V) bool)

// Seq2 is an iterator over pairs.
type Seq2[K, V any] func(yield func(K, V) bool)

// Pull returns a function that returns the values of seq one at a time, and a function that ends
// the iteration. The two functions must not be called concurrently. If seq panics or calls
// runtime.Goexit, the call of next or stop that resumed it does the same.
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

// Pull2 is like Pull for an iterator over pairs.
//
// The standard function switches between two coroutines of the runtime (runtime.coroswitch), which
// only the standard library may use. Here the second one is a goroutine, and a pair of channels
// without buffers makes the two alternate. A switch costs about as much as a send and a receive. In
// contrast to a coroutine, an iterator that is never stopped keeps a waiting goroutine.
func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	var (
		key        K
		value      V
		ok         bool // whether key and value are the next pair
		started    bool
		done       bool // whether seq has ended or must not begin
		stopping   bool
		running    bool // whether seq is running; calling next or stop from seq is an error
		panicValue any
		exited     bool
	)
	// Only one of the two goroutines runs at a time, so the variables above need no lock. A value
	// sent on resume lets seq run, and a value sent on paused returns control.
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
	// Goexit differs from a normal return by returned: recover returns nil in both cases.
	ended := func(p any, returned bool) {
		panicValue, exited, done = p, !returned && p == nil, true
		paused <- true
	}
	// turn runs seq until it yields or ends.
	turn := func() {
		if running {
			panic("iter.Pull: next called again before yield")
		}
		if !started {
			started = true
			// The goroutine runs seq and ends with it. seq ends at the latest when stop makes yield
			// return false.
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

// follow runs seq after the first resumption and reports how it ended.
//
// It waits for the first resumption itself, so that an iterator whose stop is called before next
// never runs.
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
