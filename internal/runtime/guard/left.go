package guard

import (
	"runtime"
	"sync"
)

// mostSpare bounds the number of processors added for abandoned calls.
const mostSpare = 16

// spare compensates for abandoned calls that keep computing in compiled code. Such calls cannot be
// stopped, and each occupies one of Go's processors until its time slice of 10 ms ends. With as
// many of them as processors, everything else, including the next interrupt, would wait for several
// time slices. GOMAXPROCS is therefore raised by one for each, and the operating system shares the
// cores among the threads, favoring those that have just woken up.
//
// The threads keep their ordinary priority: the collector stops the world, and would wait for the
// slowest of them.
//
// It is a variable of the process, as GOMAXPROCS is.
var spare struct {
	mu          sync.Mutex // guards the following fields
	left, added int
}

// leave accounts for an abandoned call of the cell. It returns when the call has ended.
func (c *Cell) leave() {
	if c.waits() {
		return // a waiting goroutine occupies no processor
	}
	spareProcessors(1)
	<-c.finished
	spareProcessors(-1)
}

// spareProcessors changes the number of abandoned calls. It adjusts GOMAXPROCS by the difference,
// so that a value that a cell has set in the meantime is preserved.
func spareProcessors(more int) {
	spare.mu.Lock()
	defer spare.mu.Unlock()
	spare.left += more
	want := min(spare.left, mostSpare)
	if want != spare.added {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)+want-spare.added))
		spare.added = want
	}
}
