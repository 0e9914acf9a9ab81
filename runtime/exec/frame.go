package exec

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/ir"
	"gosphere/runtime/realtype"
)

// A frame is the memory of one call: a header, parameters and results, variables, temporaries.
type frame = unsafe.Pointer

// A header is the beginning of every frame.
type header struct {
	thread *Thread
	code   *Code
	caller frame          // nil for the first call of a goroutine
	site   *site          // of the call in the caller; nil if it came from compiled code
	env    unsafe.Pointer // captured variables of a function literal
	next   frame          // in a list of free frames
	// deferred is set while the function runs as a deferred call: of whose calls.
	deferred *defers
	depth    int // calls below this one on the goroutine
}

const (
	headerSize = unsafe.Sizeof(header{})
	envOffset  = unsafe.Offsetof(header{}.env)
)

func headerOf(f frame) *header { return (*header)(f) }

// at returns a pointer to the variable at an offset of a block of memory.
func at[T any](p unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(p, offset)) }

// A Code is a compiled function.
type Code struct {
	fn        *ir.Func
	frameType rtype
	size      uintptr
	clear     []uintptr // offsets of the pointer words behind the header
	slot      uint32    // in the caches of threads
	params    []slot
	results   []slot
	run       func(frame)
	begins    *site
	record    func(frame) unsafe.Pointer // where the host's record of a call is; nil without marks
	spare     sync.Pool                  // of frames that other functions have pushed out of a thread's cache
}

// A slot is a typed place in a frame.
type slot struct {
	offset uintptr
	typ    *typ
}

// A site is a position in a function at which control can leave it.
type site struct {
	fn   *ir.Func
	line int
	file string
	// what names the compiled function that a call calls, or what a statement waits for; "" for
	// other sites.
	what string
	// brief reports whether the compiled function never takes long.
	brief bool
}

// A Thread is what exec keeps for one goroutine that runs code of cells.
type Thread struct {
	m     *Machine
	g     atomic.Uintptr // the goroutine, which others compare with theirs; 0 in the pool
	root  header
	cache [cacheSize]cached
	// frame and site are those of the last operation that has panicked or has called compiled
	// code.
	frame frame
	site  *site
	moves moves
	// adopting are the deferred calls of which the next call from compiled code is one.
	adopting *defers
	// overflows is how often the stack has reached its limit.
	overflows int
	// pending is a panic that deferred calls have not recovered and that goes on.
	pending *panicState
	// index is the last index that int does not hold, for the text of the panic.
	index uint64
}

const cacheSize = 64

// cached is a list of free frames of one function.
type cached struct {
	code *Code
	free frame
}

var slots atomic.Uint32

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
func (t *Thread) checkStack(f frame, s *site) {
	if stackUsed() > stackLimit+uintptr(t.overflows)*moreStack {
		t.overflows++
		t.frame, t.site = f, s
		t.m.host.Overflow(t.m.frames(f, s))
	}
}

// enter returns a frame for a call of c by the function of the caller's frame. Parameters,
// results and variables are zero where they contain pointers.
func (c *Code) enter(caller frame, at *site) frame {
	h := headerOf(caller)
	t := h.thread
	e := &t.cache[c.slot%cacheSize]
	f := e.free
	if e.code != c || f == nil {
		f = c.newFrame(t, e)
	} else {
		e.free = headerOf(f).next
	}
	n := headerOf(f)
	n.caller, n.site, n.depth = caller, at, h.depth+1
	if n.depth&depthMask == 0 {
		t.checkStack(caller, at)
	}
	if t.m.stop.Load() != 0 {
		t.m.poll(f, nil)
	}
	return f
}

// newFrame is the slow path of enter.
func (c *Code) newFrame(t *Thread, e *cached) frame {
	if e.code != c {
		if e.code != nil && e.free != nil {
			e.code.spare.Put(e.free)
		}
		e.code, e.free = c, nil
		if list, ok := c.spare.Get().(frame); ok && list != nil {
			e.free = headerOf(list).next
			for f := list; f != nil; f = headerOf(f).next {
				headerOf(f).thread = t
			}
			return list
		}
	}
	f := mallocgc(c.size, c.frameType, true)
	h := headerOf(f)
	h.thread, h.code = t, c
	return f
}

// leave gives the frame of a call back that has ended. A call that panics does not.
func (c *Code) leave(f frame) {
	for _, offset := range c.clear {
		*at[unsafe.Pointer](f, offset) = nil
	}
	h := headerOf(f)
	e := &h.thread.cache[c.slot%cacheSize]
	h.caller = nil
	if e.code == c {
		h.next = e.free
		e.free = f
	}
}

// layout assigns offsets in a frame.
type layout struct {
	size  uintptr
	words map[uintptr]bool
}

func newLayout() *layout {
	l := &layout{size: headerSize, words: map[uintptr]bool{}}
	return l
}

// add returns the offset of a new slot.
func (l *layout) add(t *typ) uintptr {
	align := max(t.align, 1)
	l.size = (l.size + align - 1) &^ (align - 1)
	offset := l.size
	l.size += t.size
	pointerWords(l.words, t.Type, offset)
	return offset
}

// finish sets what depends on the size of the frame.
func (l *layout) finish(c *Code) {
	const word = unsafe.Sizeof(uintptr(0))
	c.size = (l.size + word) &^ (word - 1) // one byte more than needed: pointers past the end stay inside
	for w := range l.words {
		c.clear = append(c.clear, w*word)
	}
	words := l.words
	for _, offset := range headerPointers {
		words[offset/word] = true
	}
	c.frameType = realtype.FrameType(c.size, words)
}

var headerPointers = []uintptr{
	unsafe.Offsetof(header{}.thread), unsafe.Offsetof(header{}.code), unsafe.Offsetof(header{}.caller),
	unsafe.Offsetof(header{}.site), envOffset, unsafe.Offsetof(header{}.next), unsafe.Offsetof(header{}.deferred),
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

// acquire makes a thread for the calling goroutine.
func (m *Machine) acquire() *Thread {
	t := threadPool.Get().(*Thread)
	g := goroutine()
	t.m = m
	t.g.Store(g)
	if !threads[threadSlot(g)].CompareAndSwap(nil, t) {
		crowded.Store(g, t)
		crowded.some.Add(1)
	}
	m.host.Follow(t)
	return t
}

// release ends the use of a thread by its goroutine.
func (t *Thread) release() {
	t.m.host.Follow(nil)
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

// current returns the thread of the calling goroutine, or nil. It may read g of a thread that another
// goroutine acquires or releases, and finds another number than its own then.
//
//go:norace
func current() *Thread {
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
