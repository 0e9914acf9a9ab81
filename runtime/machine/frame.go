package machine

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/ir"
	"gosphere/runtime/realtype"
)

// A Frame is the memory of one call: a header, parameters and results, variables, temporaries.
type Frame = unsafe.Pointer

// A Header is the beginning of every frame.
type Header struct {
	Thread *Thread
	Code   *Code
	caller Frame          // nil for the first call of a goroutine
	site   *Site          // of the call in the caller; nil if it came from compiled code
	Env    unsafe.Pointer // captured variables of a function literal
	next   Frame          // in a list of free frames
	// deferred is set while the function runs as a deferred call: of whose calls.
	Deferred *Defers
	depth    int // calls below this one on the goroutine
}

const (
	headerSize = unsafe.Sizeof(Header{})
	// EnvOffset is where a frame has the captured variables of a function literal.
	EnvOffset = unsafe.Offsetof(Header{}.Env)
)

// HeaderOf returns the header of a frame.
func HeaderOf(f Frame) *Header { return (*Header)(f) }

// At returns a pointer to the variable at an offset of a block of memory.
func At[T any](p unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(p, offset)) }

// A Code is a compiled function.
type Code struct {
	Fn        *ir.Func
	FrameType RType
	Size      uintptr
	clear     []uintptr // offsets of the pointer words after the header
	Slot      uint32    // in the caches of threads
	Params    []Slot
	Results   []Slot
	Run       func(Frame)
	// value is the form of run that returns the result, a func(frame) T for its class, for a function
	// with one result that is not of classMemory; nil for others.
	Value  unsafe.Pointer
	Begins *Site
	Record func(Frame) unsafe.Pointer // where the host's record of a call is; nil without marks
	spare  sync.Pool                  // of frames that other functions have pushed out of a thread's cache
}

// A Slot is a typed place in a frame.
type Slot struct {
	Offset uintptr
	Type   *Type
}

// A Site is a position in a function at which control can leave it.
type Site struct {
	Fn   *ir.Func
	Line int
	File string
	// what names the compiled function that a call calls, or what a statement waits for; "" for
	// other sites.
	What string
	// brief reports whether the compiled function never takes long.
	Brief bool
}

// A Thread is what exec keeps for one goroutine that runs code of cells.
type Thread struct {
	m     *Machine
	g     atomic.Uintptr // the goroutine, which others compare with theirs; 0 in the pool
	Root  Header
	cache [cacheSize]cached
	// frame and site are those of the last operation that has panicked or has called compiled
	// code.
	frame Frame
	site  *Site
	moves moves
	// adopting are the deferred calls of which the next call from compiled code is one.
	adopting *Defers
	// overflows is how often the stack has reached its limit.
	overflows int
	// pending is a panic that deferred calls have not recovered and that goes on.
	pending *panicState
	// index is the last index that int does not hold, for the text of the panic.
	Index uint64
}

const cacheSize = 256

// cached is a list of free frames of one function.
type cached struct {
	code *Code
	free Frame
}

// Slots counts the functions, each of which has its own slot modulo the size of the caches.
var Slots atomic.Uint32

// maxDepth bounds the stack of Go that nested calls take.
const (
	depthMask  = 127
	stackLimit = 200 << 20
	// moreStack is what deferred calls get when the stack has reached the limit, each time that they
	// reach it again. After mostOverflows times no more of them are made.
	moreStack     = 32 << 20
	mostOverflows = 8
)

// checkStack ends the goroutine if its stack has reached the limit at a site.
func (t *Thread) checkStack(f Frame, s *Site) {
	if stackUsed() > stackLimit+uintptr(t.overflows)*moreStack {
		t.overflows++
		t.frame, t.site = f, s
		t.m.Host.Overflow(t.m.frames(f, s))
	}
}

// Enter returns a frame for a call of c by the function of the caller's frame. Parameters,
// results and variables are zero where they contain pointers.
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
	n.caller, n.site, n.depth = caller, at, h.depth+1
	if n.depth&depthMask == 0 {
		t.checkStack(caller, at)
	}
	if t.m.Stop.Load() != 0 {
		t.m.Poll(f, nil)
	}
	return f
}

// newFrame is the slow path of enter.
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
	f := Malloc(c.Size, c.FrameType, true)
	h := HeaderOf(f)
	h.Thread, h.Code = t, c
	return f
}

// Leave gives the frame of a call back that has ended. A call that panics does not.
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

// Layout assigns offsets in a frame.
type Layout struct {
	Size  uintptr
	Words map[uintptr]bool
}

// NewLayout returns the layout of a frame that has only a header.
func NewLayout() *Layout {
	l := &Layout{Size: headerSize, Words: map[uintptr]bool{}}
	return l
}

// Add returns the offset of a new slot.
func (l *Layout) Add(t *Type) uintptr {
	align := max(t.align, 1)
	l.Size = (l.Size + align - 1) &^ (align - 1)
	offset := l.Size
	l.Size += t.Size
	pointerWords(l.Words, t.Type, offset)
	return offset
}

// Finish sets what depends on the size of the frame.
func (l *Layout) Finish(c *Code) {
	const word = unsafe.Sizeof(uintptr(0))
	c.Size = (l.Size + word) &^ (word - 1) // one byte more than needed: pointers past the end stay inside
	for w := range l.Words {
		c.clear = append(c.clear, w*word)
	}
	words := l.Words
	for _, offset := range headerPointers {
		words[offset/word] = true
	}
	c.FrameType = realtype.FrameType(c.Size, words)
}

var headerPointers = []uintptr{
	unsafe.Offsetof(Header{}.Thread), unsafe.Offsetof(Header{}.Code), unsafe.Offsetof(Header{}.caller),
	unsafe.Offsetof(Header{}.site), EnvOffset, unsafe.Offsetof(Header{}.next), unsafe.Offsetof(Header{}.Deferred),
}

// threads finds the thread of a goroutine that compiled code runs a function of cells on. A thread
// whose place another one has is in crowded.
var (
	threads [256]atomic.Pointer[Thread]
	crowded struct {
		some atomic.Int64 // entries
		sync.Map
	}
)

var threadPool = sync.Pool{New: func() any { return new(Thread) }}

// Acquire makes a thread for the calling goroutine.
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

// Release ends the use of a thread by its goroutine.
func (t *Thread) Release() {
	t.m.Host.Follow(nil)
	if g := t.g.Load(); !threads[threadSlot(g)].CompareAndSwap(t, nil) {
		crowded.some.Add(-1)
		crowded.Delete(g)
	}
	t.back()
	t.g.Store(0)
	t.frame, t.site, t.pending, t.m, t.overflows = nil, nil, nil, nil, 0
	threadPool.Put(t)
}

func threadSlot(g uintptr) uintptr { return (g >> 7) % uintptr(len(threads)) }

// Current returns the thread of the calling goroutine, or nil. It may read g of a thread that another
// goroutine acquires or releases, and finds another number than its own then.
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

// A Signature is what the types of a function say of its frames.
type Signature struct {
	Params, Results []Slot
	Size            uintptr
	Words           map[uintptr]bool
}
