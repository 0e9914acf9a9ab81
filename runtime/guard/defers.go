package guard

import (
	"runtime"
	"sync"
)

// Defers are the deferred calls of one call of a function. Emitted code runs them through
// this package, because the interpreter's own defer hangs or takes wrong values when
// closures are involved.
type Defers struct {
	calls     []deferred
	value     any
	panicking bool
	left      bool // the body ended by Goexit
}

type deferred struct {
	call func()
	// named calls are of functions that may ask for the panic themselves.
	named bool
}

// NewDefers returns an empty list.
func NewDefers() *Defers { return new(Defers) }

// Push adds a deferred call.
func Push(d *Defers, call func()) { d.calls = append(d.calls, deferred{call, false}) }

// PushCall adds a deferred call of a function that is not a literal: recover in it finds
// the list by the goroutine.
func PushCall(d *Defers, call func()) { d.calls = append(d.calls, deferred{call, true}) }

// Do runs the body of a function and then its deferred calls, also when the body panics
// or its goroutine ends. If a panic is left, it goes on.
func (g *Guard) Do(d *Defers, body func()) {
	finished := false
	defer func() {
		if !finished && !exiting() { // by Goexit: the remaining calls still run
			d.left = true
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
		if last.named {
			leave := asking(d)
			g.protect(d, last.call)
			leave()
			continue
		}
		g.protect(d, last.call)
	}
}

// protect notes a panic of f instead of letting it pass. A new panic takes the place of
// the one in progress.
func (g *Guard) protect(d *Defers, f func()) {
	ok := false
	defer func() {
		if ok {
			return
		}
		if value := recover(); value != nil {
			d.value, d.panicking = value, true
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
	g.trace.clear()
	return value
}

// askers holds, by goroutine, the lists whose named deferred calls are running.
var askers struct {
	sync.Mutex
	lists map[uintptr][]*Defers
}

func asking(d *Defers) (leave func()) {
	id := goroutine()
	askers.Lock()
	defer askers.Unlock()
	if askers.lists == nil {
		askers.lists = map[uintptr][]*Defers{}
	}
	askers.lists[id] = append(askers.lists[id], d)
	return func() {
		askers.Lock()
		defer askers.Unlock()
		if list := askers.lists[id]; len(list) > 1 {
			askers.lists[id] = list[:len(list)-1]
		} else {
			delete(askers.lists, id)
		}
	}
}

// RecoverHere is recover in a function that was not deferred as a literal.
func (g *Guard) RecoverHere() any {
	askers.Lock()
	list := askers.lists[goroutine()]
	askers.Unlock()
	if len(list) == 0 {
		return nil
	}
	return g.Recover(list[len(list)-1])
}

// RecoverInLiteral is recover in a literal that no defer statement names. It can still be
// deferred through a variable.
func (g *Guard) RecoverInLiteral() any { return g.RecoverHere() }

// Go starts a goroutine of the calling cell. A panic in it is reported and ends the
// goroutine only.
func (g *Guard) Go(f func()) {
	g.begin(false) // here, so that the flag is up before the goroutine runs
	go func() {
		defer g.end()
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
