// Package host finds what the session of the calling goroutine's cell offers to the packages that
// cells import: the destination of displays, answers to questions, comms, and progress bars of long
// work. A package asks for the interface that it needs:
//
//	if p, ok := host.Of[interface{ Publisher() func(protocol.Content) }](); ok {
//
// Goroutines of a cell, and those that they start, have the host of the cell. Other goroutines have
// none, unless they are in Enter.
package host

import "gosphere/internal/goroutine"

// A Host is the value of a group of goroutines that offers something. Offers returns values that
// implement the interfaces of packages.
type Host interface{ Offers() []any }

// Of returns the first value that the host of the calling goroutine offers as a T.
func Of[T any]() (found T, ok bool) {
	h, is := goroutine.Current().(Host)
	if !is {
		return found, false
	}
	for _, offer := range h.Offers() {
		if found, ok = offer.(T); ok {
			return found, true
		}
	}
	return found, false
}

// Enter gives the calling goroutine, and those that it starts, a host with the given values, until
// leave is called on it. It serves tests and programs; a cell has its host already.
func Enter(offers ...any) (leave func()) {
	before := goroutine.Leave()
	goroutine.NewGroup(entered(offers), "host", "entered").Enter()
	return before.Restore
}

type entered []any

func (e entered) Offers() []any { return e }
