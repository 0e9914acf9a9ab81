//go:build amd64 || arm64

package hostcall

import "unsafe"

// entryCode is the address of the entry. The assembly sets it, because there the name of a function
// denotes its first instruction, while in Go it denotes a wrapper.
var entryCode uintptr

// enteredCode and enteredFloatsCode are the addresses of entered and enteredFloats, for the entry.
// Assembly cannot name a Go function with its arguments in registers.
var enteredCode, enteredFloatsCode = func() (plain, floats uintptr) {
	f, g := entered, enteredFloats
	return **(**uintptr)(unsafe.Pointer(&f)), **(**uintptr)(unsafe.Pointer(&g))
}()

// entry is the code of func values. It is never called under this name.
func entry()

// Assembly uses these.
var _, _, _ = entry, enteredCode, enteredFloatsCode

// The frame of the entry has space for words and for entered to save its first argument.
const _ = -(entryFrame - unsafe.Sizeof(words{}) - wordSize) // overflows unless it is 0

// handle calls the handler with a Call in the frame of the caller. The compiler cannot know that
// the handler does not keep the Call, and would move it to the heap otherwise. The collector finds
// the pointers of the Call through c, like those of other variables whose address is taken.
//
// No call must stand between the two statements: the stack may move in a call, and hidden is no
// pointer to the collector. A check of the pointer, which race builds insert, would be such a call.
//
//go:norace
//go:nocheckptr
func handle(f *Func, c *Call) {
	closure := f.Closure
	hidden := uintptr(unsafe.Pointer(c))
	handler(closure, *(**Call)(unsafe.Pointer(&hidden)))
}

// word returns the content of an integer register at the end of the call.
func (c *Call) word(i int) uintptr { return c.ints[i] | uintptr(c.pointers[i]) }
