package emulate

import "fmt"

// Blocks and threads run one after another here and at once on a card, so a program must not depend on who comes first. Of every
// word of memory it is therefore known when it was written and read: accesses of two threads, one of them a write, need a barrier
// of their block between them, and those of two blocks another start. Exchanges of a warp order no memory.

// A time is a stretch between the barriers of one block. Stretches of all blocks of all starts are counted one after another, so a
// time tells the block, too.
type time uint32

// never is the time of a word that nobody wrote or read, byHost that of writes from outside of kernels.
const (
	never time = iota
	byHost
)

// A clock tells now, and when the start and the block began that run.
type clock struct{ start, block, now time }

// many stands for more than one thread.
const many = 1<<16 - 1

// A mark is who wrote and who read a word last, and when it was read first since somebody wrote it.
type mark struct {
	written, firstRead, lastRead time
	writer, reader               uint16
}

// touch notes an access of a thread, and panics with a fault where a card may do it before or after that of another one.
func (m *mark) touch(c *clock, self uint16, write bool) {
	does, wrote, read := "reads", "writes", "reads"
	if write {
		does = "writes"
	}
	switch {
	case m.written == never && !write:
		panic(fault{"it reads what nobody wrote"})
	case m.written >= c.start && m.written < c.block:
		panic(fault{fmt.Sprintf("it %s what another block of the same start %s", does, wrote)})
	case m.written == c.now && m.writer != self:
		panic(fault{fmt.Sprintf("it %s what thread %d %s, without a barrier between", does, m.writer, wrote)})
	case write && m.firstRead >= c.start && m.firstRead < c.block:
		panic(fault{fmt.Sprintf("it %s what another block of the same start %s", does, read)})
	case write && m.lastRead == c.now && m.reader != self:
		panic(fault{fmt.Sprintf("it %s what %s, without a barrier between", does, threads(m.reader))})
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

// threads names who reads.
func threads(reader uint16) string {
	if reader == many {
		return "several threads read"
	}
	return fmt.Sprintf("thread %d reads", reader)
}
