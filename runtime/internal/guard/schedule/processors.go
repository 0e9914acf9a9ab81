package schedule

import (
	"runtime"
	"sync"
)

// maxExtraProcessors bounds the number of processors added for abandoned calls.
const maxExtraProcessors = 16

// abandoned compensates for abandoned calls that keep computing in compiled code. Such calls cannot
// be stopped, and each occupies one of Go's processors until its time slice of 10 ms ends. With as
// many of them as processors, everything else, including the next interrupt, would wait for several
// time slices. GOMAXPROCS is therefore raised by one for each, and the operating system shares the
// cores among the threads, favoring those that have just woken up.
//
// The threads keep their ordinary priority: the collector stops the world, and would wait for the
// slowest of them.
//
// It is a variable of the process, as GOMAXPROCS is.
var abandoned struct {
	mu          sync.Mutex // guards the following fields
	left, added int
	permitted   bool
}

// PermitProcessors permits this package to change GOMAXPROCS, which belongs to the program.
func PermitProcessors() {
	abandoned.mu.Lock()
	defer abandoned.mu.Unlock()
	abandoned.permitted = true
}

// Abandon accounts for an abandoned call in the statements of the cell. It returns when ended is
// closed, which happens when the statements have ended.
func (u *User) Abandon(ended <-chan struct{}) {
	if u.Waits() {
		return // a waiting goroutine occupies no processor
	}
	addProcessors(1)
	<-ended
	addProcessors(-1)
}

// addProcessors changes the number of abandoned calls. It adjusts GOMAXPROCS by the difference,
// so that a value that a cell has set in the meantime is preserved.
func addProcessors(more int) {
	abandoned.mu.Lock()
	defer abandoned.mu.Unlock()
	abandoned.left += more
	want := min(abandoned.left, maxExtraProcessors)
	if abandoned.permitted && want != abandoned.added {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)+want-abandoned.added))
		abandoned.added = want
	}
}
