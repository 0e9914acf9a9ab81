package guard

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Defers are the deferred calls of one call of a function. Emitted code runs them through
// this package, because the interpreter's own defer hangs or takes wrong values when
// closures are involved.
type Defers struct {
	calls     []deferred
	value     any
	panicking bool
	left      bool // the body ended by Goexit
	recovered bool // a deferred call has stopped a panic
}

type deferred struct {
	call func()
	// named calls are of functions that may claim the panic themselves: the one with this
	// engine name, or any if it is empty.
	named  bool
	callee string
}

// NewDefers returns an empty list.
func NewDefers() *Defers { return new(Defers) }

// Push adds a deferred call.
func Push(d *Defers, call func()) { d.calls = append(d.calls, deferred{call: call}) }

// PushCall adds a deferred call of a function that is not a literal: recover in it finds
// the list by the goroutine. The callee is empty where it is a value.
func PushCall(d *Defers, call func(), callee string) {
	d.calls = append(d.calls, deferred{call, true, callee})
}

// Do runs the body of a function and then its deferred calls, also when the body panics
// or its goroutine ends. If a panic is left, it goes on.
func (g *Guard) Do(d *Defers, body func()) {
	finished := false
	defer func() {
		if d.recovered {
			g.trace.forget()
		}
		if !finished && !exiting() { // by Goexit: the remaining calls still run
			d.left = true
			d.panicking, d.value = false, nil // a deferred Goexit ends a panic
			g.runCalls(d)
		}
	}()
	g.protect(d, body)
	g.runCalls(d)
	finished = true
	if d.panicking {
		panic(d.value)
	}
}

// exiting tells whether the goroutine ends because of os.Exit, which runs no deferred calls.
func exiting() bool {
	c := Current()
	return c != nil && c.exited.Load()
}

func (g *Guard) runCalls(d *Defers) {
	for len(d.calls) > 0 {
		last := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		if !last.named && askers.waiting.Load() == 0 {
			g.protect(d, last.call)
			continue
		}
		leave := ask(&asker{list: d, callee: last.callee, claimed: !last.named})
		g.protect(d, last.call)
		leave()
	}
}

// protect notes a panic of f instead of letting it pass. A new panic takes the place of
// the one in progress.
func (g *Guard) protect(d *Defers, f func()) {
	ok, used := false, stackUsed()
	defer func() {
		if ok {
			return
		}
		if value := recover(); value != nil {
			d.value, d.panicking = value, true
			g.panicked(used, value)
		}
	}()
	f()
	ok = true
}

// Recover stops the panic of the function that owns the list, and gives its value.
func (g *Guard) Recover(d *Defers) any {
	if d == nil || !d.panicking {
		return nil
	}
	value := Value(d.value)
	d.panicking, d.value = false, nil
	d.recovered = true
	g.debugger.Recovered()
	g.trace.recovered(g)
	return value
}

// RecoverLast is a deferred recover in a function with deferred calls of its own: it does
// nothing while they run because of a panic.
func (g *Guard) RecoverLast(own, d *Defers) {
	if !own.panicking {
		g.Recover(d)
	}
}

// An asker is a deferred call in progress. The function that it calls claims the list, so
// that functions further down do not get the panic.
type asker struct {
	list    *Defers
	callee  string
	claimed bool
}

// askers holds, by goroutine, the deferred calls in progress whose function may claim the
// list, and those below them.
var askers struct {
	sync.Mutex
	waiting atomic.Int64 // number of all of them
	lists   map[uintptr][]*asker
}

func ask(a *asker) (leave func()) {
	id := goroutine()
	askers.Lock()
	defer askers.Unlock()
	if askers.lists == nil {
		askers.lists = map[uintptr][]*asker{}
	}
	askers.lists[id] = append(askers.lists[id], a)
	askers.waiting.Add(1)
	return func() {
		askers.Lock()
		defer askers.Unlock()
		askers.waiting.Add(-1)
		if list := askers.lists[id]; len(list) > 1 {
			askers.lists[id] = list[:len(list)-1]
		} else {
			delete(askers.lists, id)
		}
	}
}

// Claim is the entry of a function that calls recover, given its engine name, empty for a
// literal. If the innermost deferred call in progress is its own, it gets the list to
// recover from, once.
func (g *Guard) Claim(name string) *Defers {
	if askers.waiting.Load() == 0 {
		return nil
	}
	askers.Lock()
	defer askers.Unlock()
	list := askers.lists[goroutine()]
	if len(list) == 0 {
		return nil
	}
	a := list[len(list)-1]
	if a.claimed || a.callee != "" && a.callee != name {
		return nil
	}
	a.claimed = true
	return a.list
}

// Go starts a goroutine of the calling cell. A panic in it is reported and ends the
// goroutine only.
func (g *Guard) Go(f func()) {
	g.begin(false) // here, so that the flag is up before the goroutine runs
	go func() {
		defer g.end()
		defer g.debugger.Forget()
		debug.SetPanicOnFault(true)
		g.debugger.Forget() // what an earlier goroutine at this address has left
		g.guarded(f)
	}()
}

// guarded runs f on a goroutine that nobody watches.
func (g *Guard) guarded(f func()) {
	g.trace.clear()
	defer func() {
		if value := recover(); value != nil {
			frames, line := g.trace.take(g)
			g.report(value, frames, line)
			runtime.Goexit()
		}
	}()
	f()
}
