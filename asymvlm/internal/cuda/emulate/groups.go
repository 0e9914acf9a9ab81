package emulate

import (
	"fmt"
	"math"
	"slices"
)

// A block holds the registers and the state of the threads of one block, and their shared memory.
//
// Threads that are at the same instruction form a group, whose threads all do it before the group
// goes on: reading the instruction costs as much for many threads as for one. The group whose next
// instruction is the first in the text runs until it reaches that of another group, so that groups
// which a branch has divided meet again after it. No result depends on this order, because accesses
// whose order matters are errors.
type block struct {
	memory    *memory
	shared    buffer
	threads   int
	registers []uint64 // those of all threads for the first register, then for the second, and so on
	groups    []group  // that can run, the one whose next instruction is first last
	states    []kind   // of the threads in no group: barrier, exchange or exit; plain if resumed
	next      []int    // the next instructions of these
	at        int      // the instruction that runs

	taken, others []span   // the results of divide
	unused        [][]span // emptied, for other groups
}

// A group is the threads of a block whose next instruction is the same.
type group struct {
	next, steps int
	spans       []span // in ascending order, with gaps between them
}

// A span is the threads from one number to before another.
type span struct{ from, to int }

// newBlock returns a block with the constants of a kernel. It uses the memory of the last block of
// this kernel again. Its shared memory need not be cleared, because the marks are of former blocks.
func newBlock(k *kernel, m *memory, threads int) *block {
	if b := m.blocks[k]; b != nil && b.threads == threads {
		return b
	}
	b := &block{memory: m, shared: newBuffer(k.shared), threads: threads, registers: make([]uint64, k.columns*threads),
		states: make([]kind, threads), next: make([]int, threads)}
	for slot, value := range k.constants {
		b.set(slot, value)
	}
	if m.blocks == nil {
		m.blocks = map[*kernel]*block{}
	}
	m.blocks[k] = b
	return b
}

// column returns one register of the threads of a span.
func (b *block) column(slot, from, to int) []uint64 {
	return b.registers[slot*b.threads+from : slot*b.threads+to]
}

// set sets one register of all threads.
func (b *block) set(slot int, value uint64) {
	column := b.column(slot, 0, b.threads)
	for i := range column {
		column[i] = value
	}
}

// spans returns an empty list.
func (b *block) spans() []span {
	if last := len(b.unused) - 1; last >= 0 {
		spans := b.unused[last]
		b.unused = b.unused[:last]
		return spans[:0]
	}
	return make([]span, 0, 8)
}

// add adds a group to those that can run, or its threads to the group at the same instruction.
func (b *block) add(g group) {
	at := len(b.groups)
	for at > 0 && b.groups[at-1].next < g.next {
		at--
	}
	if at == 0 || b.groups[at-1].next != g.next {
		b.groups = slices.Insert(b.groups, at, g)
		return
	}
	there := &b.groups[at-1]
	both := b.spans()
	for i, j := 0, 0; i < len(g.spans) || j < len(there.spans); {
		var s span
		if j == len(there.spans) || i < len(g.spans) && g.spans[i].from < there.spans[j].from {
			s, i = g.spans[i], i+1
		} else {
			s, j = there.spans[j], j+1
		}
		both = joined(both, s)
	}
	b.unused = append(b.unused, g.spans, there.spans)
	there.spans, there.steps = both, max(there.steps, g.steps)
}

// joined appends a span, or extends the last one by it.
func joined(spans []span, s span) []span {
	if last := len(spans) - 1; last >= 0 && spans[last].to == s.from {
		spans[last].to = s.to
		return spans
	}
	return append(spans, s)
}

// divide sets taken to the threads whose guard matches and others to the rest.
func (b *block) divide(spans []span, i *instruction) {
	b.taken, b.others = b.taken[:0], b.others[:0]
	for _, s := range spans {
		guards := b.column(i.guard, s.from, s.to)
		for from := 0; from < len(guards); {
			match := (guards[from] != 0) != i.unless
			to := from + 1
			for to < len(guards) && (guards[to] != 0) != i.unless == match {
				to++
			}
			if match {
				b.taken = append(b.taken, span{s.from + from, s.from + to})
			} else {
				b.others = append(b.others, span{s.from + from, s.from + to})
			}
			from = to
		}
	}
}

// regroup puts the resumed threads into groups.
func (b *block) regroup() {
	for from := 0; from < b.threads; {
		to := from + 1
		for to < b.threads && b.states[to] == b.states[from] && b.next[to] == b.next[from] {
			to++
		}
		if b.states[from] == plain {
			b.add(group{next: b.next[from], spans: append(b.spans(), span{from, to})})
		}
		from = to
	}
}

// advance runs all groups until their threads wait or end.
func (k *kernel) advance(b *block) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			found, ok := problem.(fault)
			if !ok {
				panic(problem)
			}
			err = fmt.Errorf("thread %d: %s: %s", found.thread, k.code[b.at].text, found.text)
		}
	}()
	for len(b.groups) > 0 {
		last := len(b.groups) - 1
		g := b.groups[last]
		b.groups = b.groups[:last]
		if g.steps > instructions {
			return fmt.Errorf("thread %d: runs for ever", g.spans[0].from)
		}
		if err := k.run(b, g); err != nil {
			return err
		}
	}
	return nil
}

// run runs a group until it reaches another one, waits for other threads or ends.
func (k *kernel) run(b *block, g group) error {
	for g.next < b.other() && g.steps <= instructions {
		if g.next >= len(k.code) {
			b.stop(g, exit)
			return nil
		}
		i := &k.code[g.next]
		b.at = g.next
		g.next++
		g.steps++
		spans := g.spans
		if i.guard >= 0 {
			b.divide(spans, i)
			spans = b.taken
		}
		if len(spans) == 0 {
			continue
		}
		if i.kind == plain {
			for _, s := range spans {
				i.run(b, &i.operand, s.from, s.to)
			}
			continue
		}
		if i.guard >= 0 && len(b.others) > 0 {
			b.add(group{g.next, g.steps, append(b.spans(), b.others...)})
			g.spans = append(g.spans[:0], b.taken...)
		}
		switch whole := g.spans[0] == (span{0, b.threads}); {
		case i.kind == branch:
			g.next = i.target
		case whole && i.kind == barrier, whole && i.kind == exchange && b.threads%warp == 0:
			if err := b.together(i); err != nil {
				return err
			}
		default:
			b.stop(g, i.kind)
			return nil
		}
	}
	b.add(g)
	return nil
}

// other returns the first of the next instructions of the groups that do not run.
func (b *block) other() int {
	if last := len(b.groups) - 1; last >= 0 {
		return b.groups[last].next
	}
	return math.MaxInt
}

// stop sets the state of threads that wait or have ended.
func (b *block) stop(g group, state kind) {
	for _, s := range g.spans {
		for lane := s.from; lane < s.to; lane++ {
			b.states[lane], b.next[lane] = state, g.next
		}
	}
	b.unused = append(b.unused, g.spans)
}
