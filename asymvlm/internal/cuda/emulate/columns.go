package emulate

import (
	"math"
	"strings"
)

// An operation runs for many threads at once: its operands are columns, which hold one register of
// each of them. The operations that kernels do most often have loops of their own here; the others
// call the function of one thread for each. Tests compare the two.
type (
	ofColumn   func(d, a []uint64)
	ofColumns2 func(d, a, b []uint64)
	ofColumns3 func(d, a, b, c []uint64)
)

var frequentOne = map[string]ofColumn{
	"mov.u32": lows, "mov.b32": lows, "mov.f32": lows, "mov.u64": sames, "mov.f64": sames, "mov.b64": sames,
	"cvta.to.global.u64": sames,
	"cvt.s64.s32": func(d, a []uint64) {
		for i, a := range a[:len(d)] {
			d[i] = uint64(int64(int32(a)))
		}
	},
	"neg.f32": func(d, a []uint64) {
		for i, a := range a[:len(d)] {
			d[i] = bits32(-f32(a))
		}
	},
}

func lows(d, a []uint64) {
	for i, a := range a[:len(d)] {
		d[i] = low(a)
	}
}

func sames(d, a []uint64) { copy(d, a) }

var frequentTwo = map[string]ofColumns2{
	"add.f32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits32(f32(a[i]) + f32(b[i]))
		}
	},
	"sub.f32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits32(f32(a[i]) - f32(b[i]))
		}
	},
	"mul.f32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits32(f32(a[i]) * f32(b[i]))
		}
	},
	"add.f64": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits64(f64(a[i]) + f64(b[i]))
		}
	},
	"mul.f64": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = bits64(f64(a[i]) * f64(b[i]))
		}
	},
	"add.s32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = low(a[i] + b[i])
		}
	},
	"sub.s32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = low(a[i] - b[i])
		}
	},
	"mul.lo.s32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = low(a[i] * b[i])
		}
	},
	"add.s64": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	"shl.b64": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = a[i] << uint32(b[i])
		}
	},
	"mul.wide.s32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
		}
	},
	"and.b32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = low(a[i] & b[i])
		}
	},
	"xor.b32": func(d, a, b []uint64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = low(a[i] ^ b[i])
		}
	},
}

var frequentThree = map[string]ofColumns3{
	"fma.rn.f32": func(d, a, b, c []uint64) {
		a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
		for i := range d {
			d[i] = bits32(float32(math.FMA(float64(f32(a[i])), float64(f32(b[i])), float64(f32(c[i])))))
		}
	},
	"fma.rn.f64": func(d, a, b, c []uint64) {
		a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
		for i := range d {
			d[i] = bits64(math.FMA(f64(a[i]), f64(b[i]), f64(c[i])))
		}
	},
}

// each1, each2 and each3 call the function of one thread for each.
func each1(f func(a uint64) uint64) ofColumn {
	return func(d, a []uint64) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func each2(f func(a, b uint64) uint64) ofColumns2 {
	return func(d, a, b []uint64) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func each3(f func(a, b, c uint64) uint64) ofColumns3 {
	return func(d, a, b, c []uint64) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}

// operationOf returns the effect of an operation with a number of operands, the destination among
// them, or nil if it is not known.
func operationOf(name string, operands int) effect {
	switch operands {
	case 2:
		if f := frequentOne[name]; f != nil {
			return one(f)
		}
		if f := ofOne[name]; f != nil {
			return one(each1(f))
		}
	case 3:
		if f := frequentTwo[name]; f != nil {
			return two(f)
		}
		if f := ofTwo[name]; f != nil {
			return two(each2(f))
		}
		if f := comparison(name); f != nil {
			return two(f)
		}
	case 4:
		if f := frequentThree[name]; f != nil {
			return three(f)
		}
		if f := ofThree[name]; f != nil {
			return three(each3(f))
		}
	}
	return nil
}

func one(f ofColumn) effect {
	return func(b *block, o *[5]int, from, to int) { f(b.column(o[0], from, to), b.column(o[1], from, to)) }
}

func two(f ofColumns2) effect {
	return func(b *block, o *[5]int, from, to int) {
		f(b.column(o[0], from, to), b.column(o[1], from, to), b.column(o[2], from, to))
	}
}

func three(f ofColumns3) effect {
	return func(b *block, o *[5]int, from, to int) {
		f(b.column(o[0], from, to), b.column(o[1], from, to), b.column(o[2], from, to), b.column(o[3], from, to))
	}
}

// A relation is the result of a comparison, 0 or 1, if the first operand is smaller, equal or
// larger, and if one of them is NaN.
type relation struct{ less, equal, more, unordered uint64 }

var relations = map[string]relation{
	"lt": {less: 1}, "le": {less: 1, equal: 1}, "gt": {more: 1}, "ge": {more: 1, equal: 1}, "eq": {equal: 1}, "ne": {less: 1, more: 1},
}

// comparisons maps each type to a comparison of columns.
var comparisons = map[string]func(r relation) ofColumns2{
	"s32": integers[int32],
	"u32": integers[uint32],
	"b32": integers[uint32], // these are equal or not, and have no order
	"s64": integers[int64],
	"u64": integers[uint64],
	"f32": func(r relation) ofColumns2 {
		return func(d, a, b []uint64) {
			for i := range d {
				d[i] = compared(r, f32(a[i]), f32(b[i]))
			}
		}
	},
	"f64": func(r relation) ofColumns2 {
		return func(d, a, b []uint64) {
			for i := range d {
				d[i] = compared(r, f64(a[i]), f64(b[i]))
			}
		}
	},
}

func integers[N int32 | uint32 | int64 | uint64](r relation) ofColumns2 {
	return func(d, a, b []uint64) {
		for i := range d {
			d[i] = compared(r, N(a[i]), N(b[i]))
		}
	}
}

func compared[N int32 | uint32 | int64 | uint64 | float32 | float64](r relation, a, b N) uint64 {
	switch {
	case a < b:
		return r.less
	case a > b:
		return r.more
	case a == b:
		return r.equal
	}
	return r.unordered
}

// comparison returns the meaning of setp.relation.type, or nil if it is not known. A floating-point
// relation that ends with u also holds if one operand is NaN.
func comparison(operation string) ofColumns2 {
	parts := strings.Split(operation, ".")
	if len(parts) != 3 || parts[0] != "setp" {
		return nil
	}
	of, known := comparisons[parts[2]]
	name, unordered := parts[1], false
	if strings.HasPrefix(parts[2], "f") && len(name) == 3 {
		name, unordered = strings.CutSuffix(name, "u")
	}
	r, related := relations[name]
	if !known || !related || parts[2] == "b32" && name != "eq" && name != "ne" {
		return nil
	}
	if unordered {
		r.unordered = 1
	}
	return of(r)
}
