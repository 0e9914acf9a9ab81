package machine

import "unsafe"

// Compiled Go copies s for each s += x, so a loop that builds a string takes quadratic time. A
// thread remembers the strings that it has made by appending, together with unused memory after
// them. If such a string is appended to, the new bytes go after it and nothing is copied.
//
// Strings stay immutable. Every byte after a string is written once, before a string that contains
// it exists: the thread counts the bytes of a memory that strings contain, and only appending to
// the string that ends there may use the next ones. If two variables have the string, the second
// one that is appended to gets a copy. Another goroutine has another thread, which does not know
// the memory.

// An appended is memory that begins with a string.
type appended struct {
	at   *byte
	used int // number of bytes that strings contain
	room int // size of the memory
	made int // number of times that the string has been appended to
	turn int // when the string was last appended to, among the strings of the thread
}

// texts are the strings that a thread has appended to last.
type texts struct {
	list [8]appended
	turn int
}

// Append returns s + x. The memory of the result may have room for the next call.
func Append(f Frame, at *Site, s, x string) string {
	// These are the results of compiled Go, which allocates nothing for them.
	switch {
	case x == "":
		return s
	case s == "":
		return x
	}
	tail, whole := extend(f, at, s, len(x))
	copy(tail, x)
	return whole
}

// AppendAll returns s + x[0] + x[1] + …, as Append does.
func AppendAll(f Frame, at *Site, s string, x []string) string {
	n, last := 0, ""
	for _, text := range x {
		if text != "" {
			n, last = n+len(text), text
		}
	}
	if n == len(last) {
		return Append(f, at, s, last)
	}
	tail, whole := extend(f, at, s, n)
	for _, text := range x {
		tail = tail[copy(tail, text):]
	}
	return whole
}

// extend returns a string that begins with s and has n more bytes, which the caller must write
// before any other code can read the string.
func extend(f Frame, at *Site, s string, n int) (tail []byte, whole string) {
	l := &HeaderOf(f).Thread.texts
	need := len(s) + n
	a := l.find(s)
	switch {
	case a == nil:
		a = l.oldest()
		// A string that is appended to once needs no more memory than in compiled Go.
		*a = appended{at: textMemory(f, at, s, need), room: need}
	case need > a.room:
		room := need
		if a.made > 1 {
			room += roomAfter(need)
		}
		a.at, a.room = textMemory(f, at, s, room), room
	}
	l.turn++
	a.used, a.made, a.turn = need, a.made+1, l.turn
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(a.at), len(s))), n), unsafe.String(a.at, need)
}

// find returns the memory that has unused bytes after s, or nil if there is none.
func (l *texts) find(s string) *appended {
	if s == "" {
		return nil
	}
	p := unsafe.StringData(s)
	for i := range l.list {
		if a := &l.list[i]; a.at == p && a.used == len(s) {
			return a
		}
	}
	return nil
}

// oldest returns the entry whose string has not been appended to for the longest time.
func (l *texts) oldest() *appended {
	found := &l.list[0]
	for i := range l.list {
		if a := &l.list[i]; a.turn < found.turn {
			found = a
		}
	}
	return found
}

// forget releases the memory of all strings.
func (l *texts) forget() {
	if l.turn != 0 {
		*l = texts{}
	}
}

// textMemory returns memory of a size that begins with s.
func textMemory(f Frame, at *Site, s string, size int) *byte {
	Fail(f, at) // there may be no memory
	p := (*byte)(Malloc(uintptr(size), nil, false))
	copy(unsafe.Slice(p, size), s)
	return p
}

// roomAfter returns the number of unused bytes after a string of n bytes that is appended to
// again and again. It is a constant part of n, so that all bytes are copied a constant number of
// times.
func roomAfter(n int) int {
	if n >= largeObject {
		return n / 4
	}
	return n/2 + 16
}
