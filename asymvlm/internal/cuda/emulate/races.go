package emulate

import "fmt"

// Blocks and threads run sequentially here and concurrently on a GPU, so a program must not depend
// on their order. Every word of memory therefore records when it was written and read. Accesses by
// two threads, one of them a write, need a barrier of their block between them, and those by two
// blocks need separate launches. Warp exchanges do not order memory accesses.

// A time is the index of an interval between barriers of one block. Intervals of all blocks of all
// launches are numbered consecutively, so a time also identifies the block.
type time uint32

// never is the time of a word that was not accessed, byHost that of writes from outside kernels.
const (
	never time = iota
	byHost
)

// A clock holds the current time, and the times at which the current launch and block began.
type clock struct{ start, block, now time }

// many represents more than one thread.
const many = 1<<16 - 1

// A mark records the last writer and the last reader of a word, and the first read since it was
// written.
type mark struct {
	written, firstRead, lastRead time
	writer, reader               uint16
}

// touch records an access by a thread, and panics with a fault if a GPU might reorder it with an
// access by another.
func (m *mark) touch(c *clock, self uint16, write bool) {
	does, wrote, read := "reads", "writes", "reads"
	if write {
		does = "writes"
	}
	switch {
	case m.written == never && !write:
		panic(fault{self, "it reads memory that was never written"})
	case m.written >= c.start && m.written < c.block:
		panic(fault{self, fmt.Sprintf("it %s what another block of the same start %s", does, wrote)})
	case m.written == c.now && m.writer != self:
		panic(fault{self, fmt.Sprintf("it %s what thread %d %s, without a barrier between", does, m.writer, wrote)})
	case write && m.firstRead >= c.start && m.firstRead < c.block:
		panic(fault{self, fmt.Sprintf("it %s what another block of the same start %s", does, read)})
	case write && m.lastRead == c.now && m.reader != self:
		panic(fault{self, fmt.Sprintf("it %s what %s, without a barrier between", does, threads(m.reader))})
	case write:
		m.written, m.writer = c.now, self
		return
	}
	if m.firstRead < c.start {
		m.firstRead = c.now
	}
	if m.lastRead == c.now && m.reader != self {
		self = many
	}
	m.lastRead, m.reader = c.now, self
}

// threads describes the reader.
func threads(reader uint16) string {
	if reader == many {
		return "several threads read"
	}
	return fmt.Sprintf("thread %d reads", reader)
}
