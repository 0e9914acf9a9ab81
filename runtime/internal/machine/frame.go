package machine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/realtype"
)

// A Frame points to the memory of one call, which has a header, parameters and results, variables,
// and temporaries.
type Frame = unsafe.Pointer

// A Header is the beginning of every frame.
type Header struct {
	Thread *Thread
	Code   *Code
	caller Frame          // nil for the first call of a goroutine
	site   *Site          // the call in the caller; nil if compiled code made the call
	Env    unsafe.Pointer // captured variables of a function literal
	next   Frame          // in a list of free frames
	// Deferred is set if the function runs as a deferred call. It holds the deferred calls of the
	// function that deferred it.
	Deferred *Defers
	depth    int32 // number of calls below this one on the goroutine
	entered  bool  // whether compiled code has made the call
}

const (
	headerSize = unsafe.Sizeof(Header{})
	// EnvOffset is the offset of the captured variables of a function literal.
	EnvOffset = unsafe.Offsetof(Header{}.Env)
)

// HeaderOf returns the header of a frame.
func HeaderOf(f Frame) *Header { return (*Header)(f) }

// At returns a pointer to the variable at an offset in a block of memory.
func At[T any](p unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(p, offset)) }

// A Code is a compiled function.
type Code struct {
	Fn        *ir.Func
	FrameType RType
	Size      uintptr
	clear     []uintptr // offsets of the pointer words that follow the header
	Slot      uint32    // index in the caches of threads
	Params    []Slot
	Results   []Slot
	Run       func(Frame)
	// Value is the form of Run that returns the result, a func(Frame) T for the class of the
	// result. It is nil unless the function has exactly one result and its class is not
	// ClassMemory.
	Value  unsafe.Pointer
	Begins *Site                      // position of a call that has just been entered
	Record func(Frame) unsafe.Pointer // address of the host's record of a call; nil without marks
	spare  sync.Pool                  // frames evicted from the cache of a thread
}

// A Slot is a typed location in a frame.
type Slot struct {
	Offset uintptr
	Type   *Type
}

// A Site is a position in a function at which a call may leave or panic.
type Site struct {
	Fn   *ir.Func
	Line int
	File string
	// Outer is the site of the call in the function into which Fn has been inlined; nil if Fn has
	// its own frame.
	Outer *Site
	// What is the name of the called compiled function, or of the operation that a statement waits
	// for; "" for other sites.
	What string
	// Timed reports whether one of the channels that a statement waits for is of a timer or a
	// context.
	Timed bool
	// Brief reports whether the compiled function always returns quickly.
	Brief bool
}

// A Thread is the state of one goroutine that runs code of cells.
type Thread struct {
	m     *Machine
	g     atomic.Uintptr // the goroutine; compared by Current from any goroutine; 0 in the pool
	Root  Header
	cache [cacheSize]cached
	// frame and site are those of the last operation that panicked or called compiled code.
	frame Frame
	site  *Site
	moves moves // see Out and In
	// adopting, if not nil, makes the next call from compiled code one of these deferred calls.
	adopting *Defers
	// overflows is the number of times that the stack has reached its limit.
	overflows int
	engine    engineStack
	// pending is a panic that continues because deferred calls have not recovered it.
	pending *panicState
	// escaped is where the last panic was raised that compiled code may recover, with its calls.
	escaped escapedPanic
	// Created is the go statement that has created the goroutine, or nil.
	Created *Site
	texts   texts
	// index is the last index that int cannot represent, for the text of the panic.
	index uint64
}

// cacheSize is the number of entries in the cache of a thread. Two functions whose slots are equal
// modulo cacheSize share an entry and evict the frames of each other.
const cacheSize = 256

// cached is a list of free frames of one function.
type cached struct {
	code *Code
	free Frame
}

// Slots counts compiled functions. Each function gets the next index; threads use it modulo the
// size of their caches.
var Slots atomic.Uint32

// mostOverflows is the number of times that the stack may reach its limit. After them no further
// deferred calls run.
const mostOverflows = 8

// DefaultStack is the limit of the stack of a goroutine in bytes. Go doubles a stack that is full
// and copies it, and frames are in the heap, so that a recursion without end takes about four times
// as much memory. At 32 MB the stack would become one of 64 MB.
const DefaultStack = 30 << 20

// RaiseStack raises the limit of the stacks of goroutines to a number of bytes, at most 400 MB: Go
// ends the process at 1 GB, and the stack of a goroutine has twice the size that it uses at most. A
// lower number than the present limit has no effect.
func (t *Thread) RaiseStack(bytes int) {
	const most = 400 << 20
	raised := uintptr(min(max(bytes, 0), most))
	for {
		old := t.m.Stack.Load()
		if raised <= cmp.Or(old, DefaultStack) || t.m.Stack.CompareAndSwap(old, raised) {
			return
		}
	}
}

// checkStack ends the goroutine if its stack has reached the limit at a site.
func (t *Thread) checkStack(f Frame, s *Site) {
	used, limit := stackUsed(), cmp.Or(t.m.Stack.Load(), DefaultStack)
	if used > limit+uintptr(t.overflows)*moreStack {
		t.overflows++
		t.frame, t.site = f, s
		t.m.Host.Overflow(limit, frames(f, s, nil))
	}
	t.engine.unwind(used)
}

// Enter returns a frame for a call of c by the function of the caller's frame. Words of parameters,
// results and variables that contain pointers are zero; other words may hold values of an earlier
// call.
func (c *Code) Enter(caller Frame, at *Site) Frame {
	h := HeaderOf(caller)
	t := h.Thread
	e := &t.cache[c.Slot%cacheSize]
	f := e.free
	if e.code != c || f == nil {
		f = c.newFrame(t, e)
	} else {
		e.free = HeaderOf(f).next
	}
	n := HeaderOf(f)
	n.caller, n.site, n.depth, n.entered = caller, at, h.depth+1, false
	// The stack is checked only at some levels, because the check costs a call. The limit is low
	// enough for the levels in between.
	if n.depth&depthMask == 0 {
		t.checkStack(caller, at)
	}
	if t.m.Stop.Load() != 0 {
		t.m.Poll(f, nil)
	}
	return f
}

// newFrame is the slow path of Enter: it takes frames from the pool of the function, or allocates
// one.
//
// A frame that is taken from the pool keeps its Code and gets another thread. The pool is a
// sync.Pool, so that the collector can free frames of functions that are no longer called.
func (c *Code) newFrame(t *Thread, e *cached) Frame {
	if e.code != c {
		if e.code != nil && e.free != nil {
			e.code.spare.Put(e.free)
		}
		e.code, e.free = c, nil
		if list, ok := c.spare.Get().(Frame); ok && list != nil {
			e.free = HeaderOf(list).next
			for f := list; f != nil; f = HeaderOf(f).next {
				HeaderOf(f).Thread = t
			}
			return list
		}
	}
	return c.allocate(t)
}

// Begin returns a frame for statements of a cell, which run once. The cache of the thread would
// keep their code alive, and all variables to which that refers.
func (c *Code) Begin(t *Thread) Frame {
	f := c.allocate(t)
	HeaderOf(f).caller = t.Base()
	if t.m.Stop.Load() != 0 {
		t.m.Poll(f, nil)
	}
	return f
}

func (c *Code) allocate(t *Thread) Frame {
	f := Malloc(c.Size, c.FrameType, true)
	h := HeaderOf(f)
	h.Thread, h.Code = t, c
	return f
}

// Leave releases the frame of a call that has returned. It is not called for a call that panics,
// because the frame may still be observed. Pointers are cleared at once, so that a free frame does
// not keep objects alive.
func (c *Code) Leave(f Frame) {
	for _, offset := range c.clear {
		*At[unsafe.Pointer](f, offset) = nil
	}
	h := HeaderOf(f)
	e := &h.Thread.cache[c.Slot%cacheSize]
	if e.code == c {
		h.next = e.free
		e.free = f
	}
}

// A Layout assigns offsets in a frame.
type Layout struct {
	Size  uintptr
	Words map[uintptr]bool
}

// NewLayout returns the layout of a frame that has only a header.
func NewLayout() *Layout {
	l := &Layout{Size: headerSize, Words: map[uintptr]bool{}}
	return l
}

// Add returns the offset of a new slot for a value of type t.
func (l *Layout) Add(t *Type) uintptr {
	align := max(t.align, 1)
	l.Size = (l.Size + align - 1) &^ (align - 1)
	offset := l.Size
	l.Size += t.Size
	pointerWords(l.Words, t.Type, offset)
	return offset
}

// Finish sets the fields of c that depend on the layout.
func (l *Layout) Finish(c *Code) {
	const word = unsafe.Sizeof(uintptr(0))
	c.Size = (l.Size + word) &^ (word - 1) // at least one byte more than needed, so that pointers to the end of a variable stay inside
	for w := range l.Words {
		c.clear = append(c.clear, w*word)
	}
	if c.Fn != nil && len(c.Fn.Captures) > 0 {
		c.clear = append(c.clear, EnvOffset)
	}
	words := l.Words
	for _, offset := range headerPointers {
		words[offset/word] = true
	}
	c.FrameType = realtype.FrameType(c.Size, words)
}

// Releaser returns a step that clears the pointers in the part of a frame that begins at an offset,
// or nil if there are none. What inlined functions refer to must not live until the caller returns.
//
// The offsets are sorted, since the order of a map differs from run to run and stores in ascending
// order are friendlier to caches.
func (l *Layout) Releaser(from uintptr) func(Frame) {
	const word = unsafe.Sizeof(uintptr(0))
	var offsets []uintptr
	for w := range l.Words {
		if w*word >= from {
			offsets = append(offsets, w*word)
		}
	}
	slices.Sort(offsets)
	switch len(offsets) {
	case 0:
		return nil
	case 1:
		at := offsets[0]
		return func(f Frame) { *At[unsafe.Pointer](f, at) = nil }
	}
	return func(f Frame) {
		for _, at := range offsets {
			*At[unsafe.Pointer](f, at) = nil
		}
	}
}

// headerPointers are the offsets of the words of a header that contain pointers.
var headerPointers = []uintptr{
	unsafe.Offsetof(Header{}.Thread), unsafe.Offsetof(Header{}.Code), unsafe.Offsetof(Header{}.caller),
	unsafe.Offsetof(Header{}.site), EnvOffset, unsafe.Offsetof(Header{}.next), unsafe.Offsetof(Header{}.Deferred),
}

// threads maps goroutines to their threads. A goroutine whose entry is taken by another one is in
// crowded.
var (
	threads [256]atomic.Pointer[Thread]
	crowded struct {
		some atomic.Int64 // entries
		sync.Map
	}
)

// threadPool keeps threads with their caches of frames for other goroutines.
var threadPool = sync.Pool{New: func() any { return new(Thread) }}

// Acquire returns a thread for the calling goroutine.
func (m *Machine) Acquire() *Thread {
	t := threadPool.Get().(*Thread)
	g := goroutine()
	t.m = m
	t.g.Store(g)
	if !threads[threadSlot(g)].CompareAndSwap(nil, t) {
		crowded.Store(g, t)
		crowded.some.Add(1)
	}
	m.Host.Follow(t)
	return t
}

// Release ends the use of the thread by its goroutine.
func (t *Thread) Release() {
	t.m.Host.Follow(nil)
	if g := t.g.Load(); !threads[threadSlot(g)].CompareAndSwap(t, nil) {
		crowded.some.Add(-1)
		crowded.Delete(g)
	}
	t.back()
	t.texts.forget()
	t.g.Store(0)
	t.frame, t.site, t.pending, t.m, t.overflows, t.escaped, t.Created = nil, nil, nil, nil, 0, escapedPanic{}, nil
	threadPool.Put(t)
}

// threadSlot returns the index of a goroutine in threads. Descriptors are a few hundred bytes
// large, so their low address bits do not distinguish them.
func threadSlot(g uintptr) uintptr { return (g >> 7) % uintptr(len(threads)) }

// Current returns the thread of the calling goroutine, or nil. It may read the field g of a thread
// that another goroutine acquires or releases at the same time. The value read then differs from
// the calling goroutine, which is all that matters.
//
//go:norace
func Current() *Thread {
	g := goroutine()
	if t := threads[threadSlot(g)].Load(); t != nil && t.g.Load() == g {
		return t
	}
	if crowded.some.Load() != 0 {
		if t, ok := crowded.Load(g); ok {
			return t.(*Thread)
		}
	}
	return nil
}

// A Signature is the part of a frame's layout that follows from the types of a function.
type Signature struct {
	Params, Results []Slot
	Size            uintptr
	Words           map[uintptr]bool
	entry           atomic.Pointer[entryLayout] // the result of layout
}
