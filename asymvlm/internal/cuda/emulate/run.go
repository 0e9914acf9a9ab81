package emulate

import (
	"fmt"
	"math"

	"gosphere/asymvlm/internal/cuda"
)

const (
	warp         = 32
	freeThreads  = 256        // per block, for any register allocation of a driver's compiler: at most 255 registers per thread, of 65,536
	mostShared   = 48 << 10   // bytes of shared memory that a kernel can declare per block
	mostBlocksY  = 1<<16 - 1  // of a grid along y
	instructions = 50_000_000 // per thread; more count as an infinite loop
)

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
	k.assigned.Do(k.assign)
	b := newBlock(k, m, threads)
	for i, p := range k.parameters {
		value := l.Arguments[i]
		if p.bytes == 4 {
			value = low(value)
		}
		b.set(p.register, value)
	}
	for lane := range threads {
		for i, value := range [...]int{lane % l.Block.X, lane / l.Block.X} {
			if slot := k.special[i]; slot >= 0 {
				b.column(slot, lane, lane+1)[0] = uint64(value)
			}
		}
	}
	m.clock.start = m.clock.now + 1
	for y := range l.Grid.Y {
		for x := range l.Grid.X {
			m.clock.now++
			m.clock.block = m.clock.now
			k.place(b, l, x, y)
			if err := k.block(b); err != nil {
				return fmt.Errorf("emulate: kernel %s, block %d,%d: %w", k.name, x, y, err)
			}
		}
	}
	return nil
}

// specials are the registers that hold the indices of a thread.
var specials = [...]string{"%tid.x", "%tid.y", "%ctaid.x", "%ctaid.y", "%ntid.x", "%ntid.y", "%nctaid.x", "%nctaid.y"}

// place prepares the registers of a block: those of its indices and sizes, and those that a thread
// may read before it writes them, which are 0.
func (k *kernel) place(b *block, l cuda.Launch, x, y int) {
	for _, slot := range k.cleared {
		b.set(slot, 0)
	}
	for i, value := range [len(specials)]int{2: x, y, l.Block.X, l.Block.Y, l.Grid.X, l.Grid.Y} {
		if slot := k.special[i]; slot >= 0 && i >= 2 {
			b.set(slot, uint64(value))
		}
	}
}

// block runs the threads of a block to completion.
func (k *kernel) block(b *block) error {
	b.groups = append(b.groups[:0], group{spans: append(b.spans(), span{0, b.threads})})
	for {
		if err := k.advance(b); err != nil {
			return err
		}
		if released, err := k.release(b); err != nil || !released {
			return err
		}
		b.regroup()
	}
}

// release resumes waiting threads: first warps whose threads are all at one exchange, then, if no
// thread can run, the block at a barrier.
func (k *kernel) release(b *block) (released bool, err error) {
	waiting := 0
	for from := 0; from < b.threads; from += warp {
		to, first := min(from+warp, b.threads), b.next[from]
		exchanging, together := 0, 0
		for lane := from; lane < to; lane++ {
			switch b.states[lane] {
			case exchange:
				exchanging++
				if b.next[lane] == first {
					together++
				}
			case barrier:
				waiting++
			}
		}
		if exchanging == 0 {
			continue
		}
		if together < warp {
			return false, fmt.Errorf("an exchange of a whole warp is reached by %d of its threads", exchanging)
		}
		if err := b.exchange(&k.code[first-1].operand, from); err != nil {
			return false, err
		}
		for lane := from; lane < to; lane++ {
			b.states[lane] = plain
		}
		released = true
	}
	if released || waiting == 0 {
		return released, nil
	}
	// GPUs may count threads that have ended, or let others wait elsewhere; PTX guarantees neither.
	for lane := range b.threads {
		if waiting < b.threads || b.next[lane] != b.next[0] {
			return false, fmt.Errorf("a barrier is reached by %d of %d threads, or not by all at one place", waiting, b.threads)
		}
		b.states[lane] = plain
	}
	b.memory.clock.now++
	return true, nil
}

// exchange sets a register of every thread of a warp to the value of the thread at a distance.
func (b *block) exchange(o *[5]int, from int) error {
	to := from + warp
	into, source, distance := b.column(o[0], from, to), b.column(o[1], from, to), b.column(o[2], from, to)
	clamp, mask := b.column(o[3], from, to), b.column(o[4], from, to)
	var values [warp]uint64
	for i := range values {
		if low(clamp[i]) != warp-1 || low(mask[i]) != math.MaxUint32 {
			return fmt.Errorf("an exchange of part of a warp: such are not known")
		}
		values[i] = source[i]
	}
	for i := range values {
		into[i] = values[distance[i]%warp^uint64(i)]
	}
	return nil
}

// together resumes a block whose threads are all at one barrier or exchange.
func (b *block) together(i *instruction) error {
	if i.kind == barrier {
		b.memory.clock.now++
		return nil
	}
	for from := 0; from < b.threads; from += warp {
		if err := b.exchange(&i.operand, from); err != nil {
			return err
		}
	}
	return nil
}
