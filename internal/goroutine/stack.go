package goroutine

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// Waits reports whether a goroutine is waiting, according to the first line of its stack, such as
// "goroutine 7 [chan receive, 2 minutes]:". Waiting for the collector does not count, since it can
// happen to any goroutine.
func Waits(stack string) bool {
	_, state, found := strings.Cut(stack, "[")
	state, _, _ = strings.Cut(state, "]")
	state, _, _ = strings.Cut(state, ",")
	switch state {
	case "running", "runnable", "preempted", "copystack":
		return false
	}
	return found && !strings.HasPrefix(state, "GC ")
}

// Stack returns the stack of a goroutine in the form of runtime.Stack, or "" if the goroutine has
// ended.
func Stack(id uint64) string {
	text := make([]byte, 64<<10)
	for {
		n := runtime.Stack(text, true)
		if n < len(text) || len(text) >= 64<<20 {
			text = text[:n]
			break
		}
		text = make([]byte, 4*len(text))
	}
	head := []byte("goroutine " + strconv.FormatUint(id, 10) + " [")
	at := 0
	if !bytes.HasPrefix(text, head) {
		if at = bytes.Index(text, append([]byte("\n\n"), head...)); at < 0 {
			return ""
		}
		at += 2
	}
	text = text[at:]
	if end := bytes.Index(text, []byte("\n\n")); end >= 0 {
		text = text[:end]
	}
	return string(text)
}

// Number returns the number of the calling goroutine in stacks.
func Number() uint64 {
	var text [64]byte
	_, rest, _ := strings.Cut(string(text[:runtime.Stack(text[:], false)]), " ")
	digits, _, _ := strings.Cut(rest, " ")
	id, _ := strconv.ParseUint(digits, 10, 64) // 0 is never the number of a goroutine
	return id
}
