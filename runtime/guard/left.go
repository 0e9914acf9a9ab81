package guard

import (
	"runtime"
	"sync"
)

// mostSpare bounds the processors that are added for calls that were left behind.
const mostSpare = 16

// spare makes up for calls that were left behind and go on computing in compiled code. Nothing
// can stop those, and each keeps one of Go's processors busy until its time slice of 10 ms ends:
// with as many of them as there are processors everything else, the next interrupt included,
// would wait for several such slices. So each gets a processor of its own, and the system
// shares the cores out among the threads, in which those that woke up come soon.
//
// Their threads keep the system's ordinary priority: the collector stops the world, and would wait
// for the slowest of them.
//
// It belongs to the process, as the processors do.
var spare struct {
	mu          sync.Mutex // guards what follows
	left, added int
}

// leave is for a cell whose goroutine was left behind. It returns when that has ended.
func (c *Cell) leave() {
	if c.waits() {
		return // it needs no processor
	}
	spareProcessors(1)
	<-c.finished
	spareProcessors(-1)
}

// spareProcessors notes more or fewer calls that were left behind. What a cell sets with
// runtime.GOMAXPROCS meanwhile is changed by the difference alone.
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
