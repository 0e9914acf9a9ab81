package machine

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unsafe"
)

// ThreadOf returns the thread of the goroutine that has a number in traces, or nil.
func ThreadOf(number uint64) *Thread {
	offset := numberOffset()
	if offset == 0 {
		return nil
	}
	has := func(t *Thread) bool {
		if t == nil {
			return false
		}
		// Descriptors of goroutines are never released.
		g := t.g.Load()
		return g != 0 && numberAt(g, offset) == number
	}
	for i := range threads {
		if t := threads[i].Load(); has(t) {
			return t
		}
	}
	var found *Thread
	crowded.Range(func(_, t any) bool {
		if has(t.(*Thread)) {
			found = t.(*Thread)
		}
		return found == nil
	})
	return found
}

// numberAt returns a word of the descriptor of a goroutine.
func numberAt(g, offset uintptr) uint64 {
	g += offset
	return **(**uint64)(unsafe.Pointer(&g))
}

// numberOffset returns the offset of the number in the descriptor of a goroutine, or 0 if it cannot
// be found. It is the only word that has the number on several goroutines.
var numberOffset = sync.OnceValue(func() uintptr {
	const searched = 400 // less than the size of a descriptor
	var found []uintptr
	for offset := unsafe.Sizeof(uintptr(0)); offset < searched; offset += 8 {
		found = append(found, offset)
	}
	for range 4 {
		done := make(chan bool)
		go func() {
			defer close(done)
			var text [64]byte
			words := bytes.Fields(text[:runtime.Stack(text[:], false)])
			number, err := strconv.ParseUint(string(words[1]), 10, 64)
			found = slices.DeleteFunc(found, func(offset uintptr) bool {
				return err != nil || numberAt(goroutine(), offset) != number
			})
		}()
		<-done
	}
	if len(found) != 1 {
		return 0
	}
	return found[0]
})
