package goroutine

import (
	"context"
	"iter"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// A Group consists of the goroutines that have entered it and all goroutines that these have
// started. Its goroutines have the same profiler labels, which Go passes on to new goroutines.
type Group struct {
	labelSet pprof.LabelSet
	value    any
	bubble   bool // see NewBubble

	mu     sync.Mutex          // guards labels
	labels weak.Pointer[label] // of the goroutines; collected with the last of them
}

// NewGroup returns a group without goroutines. Current returns value on its goroutines, and
// profiles show them with labels, given as keys and values in turn.
func NewGroup(value any, labels ...string) *Group {
	return &Group{labelSet: pprof.Labels(labels...), value: value}
}

// NewBubble is like NewGroup, for goroutines in a bubble of package testing/synctest.
func NewBubble(value any, labels ...string) *Group {
	g := NewGroup(value, labels...)
	g.bubble = true
	return g
}

// groups maps the address of a goroutine's labels to its group. An entry is removed after the last
// goroutine with these labels has ended and the collector has noticed: nothing else refers to the
// labels, and a group without goroutines needs no entry.
var groups sync.Map // uintptr to *membership

// latestFound caches the last result of Current. The goroutine that stores an entry is running with
// its labels, so no other labels can be at that address. Enter clears the cache whenever it makes
// labels, because they may reuse the address of collected ones.
var latestFound atomic.Pointer[membership]

// A membership is an entry of groups.
type membership struct {
	labels uintptr
	group  *Group
}

// A label represents the runtime's representation of labels, whose layout is not used.
type label struct{ _ *byte }

//go:linkname goroutineLabels runtime/pprof.runtime_getProfLabel
func goroutineLabels() unsafe.Pointer

//go:linkname setGoroutineLabels runtime/pprof.runtime_setProfLabel
func setGoroutineLabels(unsafe.Pointer)

// Current returns the value of the calling goroutine's group, or nil if it belongs to none.
func Current() any {
	if g := current(); g != nil {
		return g.value
	}
	return nil
}

// InBubble reports whether the group of the calling goroutine was made by NewBubble.
func InBubble() bool {
	g := current()
	return g != nil && g.bubble
}

// current returns the calling goroutine's group, or nil.
func current() *Group {
	labels := uintptr(goroutineLabels())
	if m := latestFound.Load(); m != nil && m.labels == labels {
		return m.group
	}
	if found, ok := groups.Load(labels); ok {
		m := found.(*membership)
		latestFound.Store(m)
		return m.group
	}
	return nil
}

// Groups returns the values of the groups that may have goroutines.
func Groups() iter.Seq[any] {
	return func(yield func(any) bool) {
		groups.Range(func(_, m any) bool { return yield(m.(*membership).group.value) })
	}
}

// Enter makes the calling goroutine one of the group.
func (g *Group) Enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if labels := g.labels.Value(); labels != nil {
		// The goroutines of a group share one object, whose address identifies the group.
		setGoroutineLabels(unsafe.Pointer(labels))
		return
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), g.labelSet))
	labels := (*label)(goroutineLabels())
	g.labels = weak.Make(labels)
	m := &membership{uintptr(unsafe.Pointer(labels)), g}
	groups.Store(m.labels, m)
	latestFound.Store(nil)
	// By the time the cleanup runs, other labels may be at the same address. Their entry stays.
	runtime.AddCleanup(labels, func(m *membership) {
		groups.CompareAndDelete(m.labels, m)
		latestFound.CompareAndSwap(m, nil)
	}, m)
}

// Labels are the profiler labels of a goroutine that has left its group.
type Labels struct{ p unsafe.Pointer }

// Leave makes the calling goroutine leave its group until Restore.
func Leave() Labels {
	l := Labels{goroutineLabels()}
	setGoroutineLabels(nil)
	return l
}

// Restore gives the calling goroutine its labels again.
func (l Labels) Restore() { setGoroutineLabels(l.p) }
