package emulate

import (
	"fmt"
	"math"

	"gosphere/asymvlm/cuda"
)

const (
	warp         = 32
	freeThreads  = 256        // per block, for any register allocation of a driver's compiler: at most 255 registers per thread, of 65,536
	mostShared   = 48 << 10   // bytes of shared memory that a kernel can declare per block
	mostBlocksY  = 1<<16 - 1  // of a grid along y
	instructions = 50_000_000 // per thread; more count as an infinite loop
)

// A block holds the threads of one block and their shared memory.
type block struct {
	memory  *memory
	shared  buffer
	threads []thread
}

// A thread holds its registers and the index of the next instruction.
type thread struct {
	block     *block
	number    uint16 // within the block
	registers []uint64
	next      int
	state     kind // plain while it can run; otherwise barrier, exchange or exit
}

// launch runs all blocks of a grid, one after another.
func (k *kernel) launch(m *memory, l cuda.Launch) error {
	threads := l.Block.X * l.Block.Y
	switch {
	case len(l.Arguments) != len(k.parameters):
		return fmt.Errorf("emulate: kernel %s: %d arguments, want %d", k.name, len(l.Arguments), len(k.parameters))
	case l.Grid.X < 1 || l.Grid.Y < 1 || l.Grid.Y > mostBlocksY || threads < 1 || threads > k.threads || k.shared > mostShared:
		return fmt.Errorf("emulate: kernel %s: no card can run %d×%d blocks of %d×%d threads with %d bytes; without __launch_bounds__ any can run %d",
			k.name, l.Grid.X, l.Grid.Y, l.Block.X, l.Block.Y, k.shared, freeThreads)
	}
	start := append([]uint64(nil), k.registers...)
	for i, p := range k.parameters {
		start[p.register] = l.Arguments[i]
		if p.bytes == 4 {
			start[p.register] = low(l.Arguments[i])
		}
	}
	b := &block{memory: m, shared: newBuffer(k.shared), threads: make([]thread, threads)}
	m.clock.start = m.clock.now + 1
	for y := range l.Grid.Y {
		for x := range l.Grid.X {
			b.shared.fill()
			m.clock.now++
			m.clock.block = m.clock.now
			for i := range b.threads {
				t := &b.threads[i]
				*t = thread{block: b, number: uint16(i), registers: append(t.registers[:0], start...)}
				k.place(t, [...]int{i % l.Block.X, i / l.Block.X, x, y, l.Block.X, l.Block.Y, l.Grid.X, l.Grid.Y})
			}
			if err := k.block(b); err != nil {
				return fmt.Errorf("emulate: kernel %s, block %d,%d: %w", k.name, x, y, err)
			}
		}
	}
	return nil
}

// specials are the registers that hold the indices of a thread.
var specials = [...]string{"%tid.x", "%tid.y", "%ctaid.x", "%ctaid.y", "%ntid.x", "%ntid.y", "%nctaid.x", "%nctaid.y"}

// place sets the special registers of a thread.
func (k *kernel) place(t *thread, values [len(specials)]int) {
	for i, slot := range k.special {
		if slot >= 0 {
			t.registers[slot] = uint64(values[i])
		}
	}
}

// block runs the threads of a block to completion.
func (k *kernel) block(b *block) error {
	for {
		running := false
		for i := range b.threads {
			t := &b.threads[i]
			if t.state != plain {
				continue
			}
			running = true
			if err := k.thread(t); err != nil {
				return fmt.Errorf("thread %d: %w", i, err)
			}
		}
		released, err := k.release(b)
		if err != nil || !released && !running {
			return err
		}
	}
}

// release resumes waiting threads: first warps whose threads are all at one exchange, then, if no
// thread can run, the block at a barrier.
func (k *kernel) release(b *block) (released bool, err error) {
	waiting := 0
	for from := 0; from < len(b.threads); from += warp {
		lanes := b.threads[from:min(from+warp, len(b.threads))]
		exchanging := 0
		for i := range lanes {
			switch lanes[i].state {
			case exchange:
				exchanging++
			case barrier:
				waiting++
			}
		}
		if exchanging == 0 {
			continue
		}
		if err := k.exchange(lanes, exchanging); err != nil {
			return false, err
		}
		released = true
	}
	if released || waiting == 0 {
		return released, nil
	}
	// GPUs may count threads that have ended, or let others wait elsewhere; PTX guarantees neither.
	for i := range b.threads {
		t := &b.threads[i]
		if waiting < len(b.threads) || t.next != b.threads[0].next {
			return false, fmt.Errorf("a barrier is reached by %d of %d threads, or not by all at one place", waiting, len(b.threads))
		}
		t.state = plain
	}
	b.memory.clock.now++
	return true, nil
}

// exchange sets a register of every thread of a warp to the value of the thread at a distance.
func (k *kernel) exchange(lanes []thread, exchanging int) error {
	first := lanes[0].next
	for i := range lanes {
		if lanes[i].state != exchange || lanes[i].next != first || exchanging != warp {
			return fmt.Errorf("an exchange of a whole warp is reached by %d of its threads", exchanging)
		}
	}
	operand := k.code[first-1].operand
	var values [warp]uint64
	for i := range lanes {
		if r := lanes[i].registers; low(r[operand[3]]) != warp-1 || low(r[operand[4]]) != math.MaxUint32 {
			return fmt.Errorf("an exchange of part of a warp: such are not known")
		}
		values[i] = lanes[i].registers[operand[1]]
	}
	for i := range lanes {
		t := &lanes[i]
		t.registers[operand[0]] = values[i^int(t.registers[operand[2]]%warp)]
		t.state = plain
	}
	return nil
}

// thread runs a thread until it waits or ends.
func (k *kernel) thread(t *thread) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			found, ok := problem.(fault)
			if !ok {
				panic(problem)
			}
			err = fmt.Errorf("%s: %s", k.code[t.next-1].text, found.text)
		}
	}()
	for range instructions {
		if t.next >= len(k.code) {
			t.state = exit
			return nil
		}
		i := &k.code[t.next]
		t.next++
		if i.guard >= 0 && (t.registers[i.guard] != 0) == i.unless {
			continue
		}
		switch i.kind {
		case plain:
			i.run(t)
		case branch:
			t.next = i.target
		default:
			t.state = i.kind
			return nil
		}
	}
	return fmt.Errorf("runs for ever")
}
