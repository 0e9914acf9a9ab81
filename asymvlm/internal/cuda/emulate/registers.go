package emulate

import (
	"fmt"
	"slices"
)

// NVRTC writes each value to a register of its own, hundreds per thread, and leaves it to the
// driver to let values share registers. Here they share columns in the same way, so that the
// registers of a block fit the cache of a processor.

// assign gives every register a column: registers of constants, parameters and indices each have
// their own, others share one if their values are not needed at the same time.
func (k *kernel) assign() {
	fixed := k.fixed()
	column := make([]int, len(k.slots))
	for register := range column {
		if fixed[register] {
			column[register] = k.columns
			k.columns++
		}
	}
	ranges, early := k.ranges(fixed)
	slices.SortFunc(ranges, func(a, b lifetime) int { return a.from - b.from })
	var ends []int // of the last range in each shared column
	for _, r := range ranges {
		free := slices.IndexFunc(ends, func(end int) bool { return end < r.from })
		if free < 0 {
			free = len(ends)
			ends = append(ends, 0)
		}
		ends[free] = r.to
		column[r.register] = k.columns + free
	}
	k.columns += len(ends)
	for register := range early {
		k.cleared = append(k.cleared, column[register])
	}
	k.rename(column)
}

// written returns an error for an instruction that writes to a constant, a parameter or an index.
func (k *kernel) written() error {
	fixed := k.fixed()
	for at := range k.code {
		for _, register := range k.code[at].written() {
			if fixed[register] {
				return fmt.Errorf("emulate: kernel %s: %q writes to a constant", k.name, k.code[at].text)
			}
		}
	}
	return nil
}

// fixed returns the registers that no instruction may write.
func (k *kernel) fixed() map[int]bool {
	fixed := map[int]bool{}
	for register := range k.constants {
		fixed[register] = true
	}
	for _, p := range k.parameters {
		fixed[p.register] = true
	}
	for _, register := range k.special {
		fixed[register] = true // −1 is none
	}
	return fixed
}

// rename replaces registers by their columns.
func (k *kernel) rename(column []int) {
	for at := range k.code {
		i := &k.code[at]
		if i.guard >= 0 {
			i.guard = column[i.guard]
		}
		for j, register := range i.operand {
			if register >= 0 {
				i.operand[j] = column[register]
			}
		}
	}
	for i := range k.parameters {
		k.parameters[i].register = column[k.parameters[i].register]
	}
	for i, register := range k.special {
		if register >= 0 {
			k.special[i] = column[register]
		}
	}
	constants := map[int]uint64{}
	for register, value := range k.constants {
		constants[column[register]] = value
	}
	k.constants = constants
}

func (i *instruction) written() []int { return i.operand[:i.writes] }

// read returns the registers that an instruction reads. One with a guard also keeps what it may
// not write.
func (i *instruction) read() []int {
	var read []int
	from := i.writes
	if i.guard >= 0 {
		read, from = append(read, i.guard), 0
	}
	for _, register := range i.operand[from:] {
		if register >= 0 {
			read = append(read, register)
		}
	}
	return read
}

// A lifetime is the part of the code in which the value of a register is needed. Instruction i
// reads at time 2i and writes at time 2i+1.
type lifetime struct{ register, from, to int }

// ranges returns the lifetimes of registers that are not fixed, and those registers that a thread
// may read before it writes them.
func (k *kernel) ranges(fixed map[int]bool) (ranges []lifetime, early map[int]bool) {
	needed := k.needed(fixed)
	at := map[int]int{}
	need := func(register, time int) {
		i, known := at[register]
		if !known {
			i = len(ranges)
			at[register] = i
			ranges = append(ranges, lifetime{register, time, time})
		}
		ranges[i].from, ranges[i].to = min(ranges[i].from, time), max(ranges[i].to, time)
	}
	for _, part := range needed {
		for register := range part.before {
			need(register, 2*part.from)
		}
		for register := range part.after {
			need(register, 2*part.to-1)
		}
		for i := part.from; i < part.to; i++ {
			for _, register := range k.code[i].read() {
				if !fixed[register] {
					need(register, 2*i)
				}
			}
			for _, register := range k.code[i].written() {
				need(register, 2*i+1)
			}
		}
	}
	if len(needed) > 0 {
		early = needed[0].before
	}
	return ranges, early
}

// A part is a sequence of instructions without a jump into or out of it, and the registers whose
// values are needed before and after it.
type part struct {
	from, to      int
	follow        []int // the first instructions of the parts that can follow
	before, after map[int]bool
}

// needed divides the code into parts and finds which registers are needed at their ends: those
// that a following part needs before it. It repeats this until nothing changes.
func (k *kernel) needed(fixed map[int]bool) []part {
	parts := k.parts()
	first := map[int]*part{}
	for i := range parts {
		first[parts[i].from] = &parts[i]
	}
	for changed := true; changed; {
		changed = false
		for i := len(parts) - 1; i >= 0; i-- {
			p := &parts[i]
			for _, next := range p.follow {
				if following := first[next]; following != nil {
					for register := range following.before {
						p.after[register] = true
					}
				}
			}
			before := map[int]bool{}
			for register := range p.after {
				before[register] = true
			}
			for at := p.to - 1; at >= p.from; at-- {
				for _, register := range k.code[at].written() {
					delete(before, register)
				}
				for _, register := range k.code[at].read() {
					if !fixed[register] {
						before[register] = true
					}
				}
			}
			changed = changed || len(before) != len(p.before)
			p.before = before
		}
	}
	return parts
}

// parts divides the code before each target of a branch and after each branch and each end.
func (k *kernel) parts() []part {
	begins := map[int]bool{0: true}
	for at := range k.code {
		switch i := &k.code[at]; i.kind {
		case branch:
			begins[i.target], begins[at+1] = true, true
		case exit:
			begins[at+1] = true
		}
	}
	var parts []part
	for at := range k.code {
		if begins[at] {
			parts = append(parts, part{from: at, before: map[int]bool{}, after: map[int]bool{}})
		}
		p := &parts[len(parts)-1]
		p.to = at + 1
		i := &k.code[at]
		p.follow = p.follow[:0]
		if i.kind == branch {
			p.follow = append(p.follow, i.target)
		}
		if i.guard >= 0 || i.kind != branch && i.kind != exit {
			p.follow = append(p.follow, at+1)
		}
	}
	return parts
}
