package machine

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"gosphere/runtime/internal/hostcall"
	"gosphere/runtime/internal/ir"
)

// A Closure is a function value of cells. Compiled code sees a func value whose code enters the
// machine. Code of cells finds the Closure in the func value and calls the function directly.
//
// The func value of a Closure is an ordinary Go closure, whose first captured word is the *Closure.
// ClosureOf depends on that.
type Closure struct {
	M    *Machine
	Fn   *Function      // of a declared function, which may be redeclared
	Code *Code          // of a function literal
	Env  unsafe.Pointer // captured variables
	Sig  *Signature     // without a bound receiver
	// Bound is the receiver of a method value, which is stored before the arguments.
	Bound *BoundReceiver
	made  reflect.Type // type of the func value if package reflect has made it; otherwise nil
}

// A BoundReceiver is the receiver of a method value.
type BoundReceiver struct {
	Type *Type
	At   unsafe.Pointer
}

// target returns the code to run. For a declared function it is the current version.
func (cl *Closure) target() *Code {
	if cl.Fn != nil {
		return cl.Fn.Code.Load()
	}
	return cl.Code
}

// Func returns the function that a call of the closure runs.
func (cl *Closure) Func() *ir.Func { return cl.target().Fn }

// Enter returns a frame for a call of the closure, without its arguments, and the code to run.
func (cl *Closure) Enter(caller Frame, s *Site) (Frame, *Code) {
	code := cl.target()
	n := code.Enter(caller, s)
	HeaderOf(n).Env = cl.Env
	if cl.Bound != nil {
		cl.bind(n)
	}
	return n, code
}

// bind stores the receiver of a method value in the frame of a call.
func (cl *Closure) bind(n Frame) {
	b := cl.Bound
	b.Type.Mover()(unsafe.Add(n, HeaderOf(n).Code.Params[0].Offset), b.At)
}

// NewFuncCell returns a pointer to memory that holds a function. The word in the cell is the
// pointer to the closure, as hostcall.Signature.Call expects it.
func NewFuncCell(v reflect.Value) unsafe.Pointer {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.UnsafePointer()
}

// GoFunc returns the func value of a closure.
func (cl *Closure) GoFunc(t reflect.Type) unsafe.Pointer { return ShapeOf(t).GoFunc(cl) }

// begin enters the machine from compiled code.
//
// The goroutine may be one that compiled code has started and that has no thread yet, such as a
// handler of net/http. On a goroutine that has one, begin does what Attach and Code.Enter do,
// without their calls: sort.Slice spends most of its time here.
func (cl *Closure) begin() (n Frame, t *Thread, before State) {
	g := goroutine()
	t = threads[threadSlot(g)].Load()
	if t == nil || t.g.Load() != g {
		return cl.attach()
	}
	before.frame, before.site = t.frame, t.site
	if t.outside() {
		before.outside = true
		t.moves.in()
	}
	code := cl.target()
	e := &t.cache[code.Slot%cacheSize]
	n = e.free
	if e.code != code || n == nil {
		n = code.newFrame(t, e)
	} else {
		e.free = HeaderOf(n).next
	}
	caller := t.caller()
	h := HeaderOf(n)
	h.caller, h.site, h.Env, h.depth, h.entered = caller, t.site, cl.Env, HeaderOf(caller).depth+1, true
	if h.depth&depthMask == 0 {
		t.checkStack(caller, t.site)
	}
	if t.m.Stop.Load() != 0 {
		t.m.Poll(n, nil)
	}
	if cl.Bound != nil || t.adopting != nil {
		before.adopted = cl.prepare(n, t)
	}
	return n, t, before
}

// attach is begin on a goroutine whose thread has to be searched for or acquired.
//
//go:noinline
func (cl *Closure) attach() (n Frame, t *Thread, before State) {
	t, before = cl.M.Attach()
	n = cl.target().Enter(t.caller(), t.site)
	h := HeaderOf(n)
	h.Env, h.entered = cl.Env, true
	before.adopted = cl.prepare(n, t)
	return n, t, before
}

// prepare stores the receiver of a method value in the frame of a call. It reports whether the call
// is a deferred one, and marks it.
func (cl *Closure) prepare(n Frame, t *Thread) (adopted bool) {
	if cl.Bound != nil {
		cl.bind(n)
	}
	// A deferred method value of package reflect calls the method indirectly; see methodValueCode.
	if t.adopting == nil {
		return false
	}
	HeaderOf(n).Deferred, t.adopting = t.adopting, nil
	return true
}

// finish runs a function entered by begin. The caller reads the results and calls leave.
//
// If the function panics on an existing thread, the thread is corrected where the panic is caught,
// or by In when the compiled code returns that has recovered it. Until then it has the position of
// the panic; see [Escaped].
func finish(n Frame, t *Thread, before State) {
	if before.fresh {
		finishFresh(n, t, before)
		return
	}
	HeaderOf(n).Code.Run(n)
	if before.adopted {
		HeaderOf(n).Deferred = nil
	}
}

// finishFresh is finish for a thread that begin has acquired. The thread is released even if the
// function panics, because a goroutine of compiled code may recover the panic and end.
//
//go:noinline
func finishFresh(n Frame, t *Thread, before State) {
	returned := false
	defer func() {
		if !returned {
			t.unwound(before)
		}
	}()
	HeaderOf(n).Code.Run(n)
	returned = true
	if before.adopted {
		HeaderOf(n).Deferred = nil
	}
}

// ArgumentsAt returns the index of the first argument, which follows the bound receiver if there is
// one.
func (cl *Closure) ArgumentsAt() int {
	if cl.Bound != nil {
		return 1
	}
	return 0
}

// ClosureOf returns the closure of a func value, or nil if the function is compiled. It decides by
// the code address, the first word of a func value.
func ClosureOf(p unsafe.Pointer) *Closure {
	if p == nil {
		return nil
	}
	word := *(*uintptr)(p)
	// makeFuncCode is 0 if the experiment has failed. Such func values are then called through
	// reflect, which is slower and correct.
	if word == makeFuncCode { // reflect's object holds our handler
		p = *At[unsafe.Pointer](p, makeFuncHandler)
		if *(*uintptr)(p) != handlerCode {
			return nil
		}
		return *At[*Closure](p, unsafe.Sizeof(word))
	}
	if !ownCodes.Load().has(word) {
		return nil
	}
	return *At[*Closure](p, unsafe.Sizeof(word))
}

// A codeSet is an immutable set of code addresses: a hash table with open addressing that is at
// most half full. Every call of a func value looks up an address, so the lookup must be fast.
type codeSet struct {
	table []uintptr
	n     int
}

// place returns the entry of an address, or an empty one if the set does not contain it. The loop
// ends, because at least half of the entries are empty. Code addresses are aligned to 16 bytes,
// hence the shift.
func (s *codeSet) place(word uintptr) *uintptr {
	mask := uintptr(len(s.table) - 1)
	for i := word >> 4 & mask; ; i = (i + 1) & mask {
		if p := &s.table[i]; *p == word || *p == 0 {
			return p
		}
	}
}

// has reports whether the set contains an address. 0 is never the address of code, so an empty
// entry does not match.
func (s *codeSet) has(word uintptr) bool { return *s.place(word) == word }

// with returns a set with one additional address.
func (s *codeSet) with(word uintptr) *codeSet {
	larger := &codeSet{make([]uintptr, len(s.table)), s.n + 1}
	if larger.n > len(s.table)/2 {
		larger.table = make([]uintptr, 2*len(s.table))
	}
	for _, w := range s.table {
		if w != 0 {
			*larger.place(w) = w
		}
	}
	*larger.place(word) = word
	return larger
}

// ownCodes holds the code addresses of the func values that this package makes.
var ownCodes atomic.Pointer[codeSet]

func init() {
	ownCodes.Store(&codeSet{table: make([]uintptr, 64)})
	if code := hostcall.EntryCode(); code != 0 {
		ownCode(code)
	}
	hostcall.Handle(enterGeneral)
}

// own adds the code address of a func value to ownCodes. It replaces the set as a whole, so readers
// need no lock; there are only as many additions as there are typed entries.
//
// Each instance of a typed entry has its own code address, which is not known before the first
// value of the instance exists.
func own(p unsafe.Pointer) unsafe.Pointer {
	ownCode(*(*uintptr)(p))
	return p
}

func ownCode(word uintptr) {
	for {
		known := ownCodes.Load()
		if known.has(word) || ownCodes.CompareAndSwap(known, known.with(word)) {
			return
		}
	}
}

// makeFuncCode and makeFuncHandler describe the func values of reflect.MakeFunc: the address of
// their code, and the offset of the function passed to MakeFunc. They are determined by an
// experiment, because the layout is not documented.
var makeFuncCode, makeFuncHandler = describeMakeFunc()

// describeMakeFunc makes a func value and searches its memory for the function passed to MakeFunc.
//
// A layout that the search does not recognize disables only the shortcut of ClosureOf.
func describeMakeFunc() (code, handler uintptr) {
	given := func([]reflect.Value) []reflect.Value { return nil }
	p := reflect.MakeFunc(reflect.TypeFor[func()](), given)
	cell := NewFuncCell(p)
	object := *(*unsafe.Pointer)(cell)
	want := *(*unsafe.Pointer)(unsafe.Pointer(&given))
	for offset := uintptr(8); offset < 64; offset += 8 {
		if *At[unsafe.Pointer](object, offset) == want {
			return *(*uintptr)(object), offset
		}
	}
	return 0, 0
}

// handlerCode is the code address of handlers.
var handlerCode = func() uintptr {
	f := handler(nil)
	return **(**uintptr)(unsafe.Pointer(&f))
}()

// layout returns where the general entry stores the arguments and finds the results of a function
// in its frame. It returns nil if some of them are on the stack of the caller.
func (s *Signature) layout() *hostcall.Layout {
	known := s.entry.Load()
	if known == nil {
		known = &entryLayout{hostcall.NewLayout(places(s.Params), places(s.Results))}
		s.entry.Store(known)
	}
	return known.layout
}

// An entryLayout is a result of [Signature.layout].
type entryLayout struct{ layout *hostcall.Layout }

func places(slots []Slot) []hostcall.Place {
	list := make([]hostcall.Place, len(slots))
	for i, s := range slots {
		list[i] = hostcall.Place{Offset: s.Offset, Type: s.Type.Type}
	}
	return list
}

// enterGeneral is called by the general entry.
func enterGeneral(closure unsafe.Pointer, c *hostcall.Call) {
	n, t, before := (*Closure)(closure).begin()
	c.Arguments(n)
	finish(n, t, before)
	c.Results(n)
	leave(n, t, before)
}

// handler implements func values whose shape has no typed entry. The types of the func value may be
// newer versions of the closure's types, with the same layout.
//
//go:noinline
func handler(cl *Closure) func([]reflect.Value) []reflect.Value {
	return func(arguments []reflect.Value) []reflect.Value {
		n, thread, before := cl.begin()
		for i, a := range arguments {
			from := reflect.New(a.Type())
			from.Elem().Set(a)
			// reflect passes arguments that need not be addressable, hence the copy.
			p := cl.Sig.Params[i]
			p.Type.Mover()(unsafe.Add(n, p.Offset), from.UnsafePointer())
		}
		finish(n, thread, before)
		results := make([]reflect.Value, len(cl.Sig.Results))
		for i, r := range cl.Sig.Results {
			v := reflect.New(cl.made.Out(i))
			r.Type.Mover()(v.UnsafePointer(), unsafe.Add(n, r.Offset))
			results[i] = v.Elem()
		}
		leave(n, thread, before)
		return results
	}
}
