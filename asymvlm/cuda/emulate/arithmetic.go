package emulate

import (
	"fmt"
	"math"
	"strings"
)

// ofOne, ofTwo and ofThree are the operations on whole registers, by their PTX name. A register has
// 8 bytes; 4-byte numbers have zeros in the upper half.
//
// Go rounds float32 operations to nearest even, as PTX does where the name has no other mode. A GPU
// may fuse a multiplication and an addition without .rn, whose result then differs in the last bit;
// here they are never fused. The square root of a float32 is rounded correctly although it is
// computed in float64, which has more than twice the digits.
var ofOne = map[string]func(a uint64) uint64{
	"mov.u32": low, "mov.b32": low, "mov.f32": low, "mov.u64": same, "mov.f64": same, "mov.b64": same,
	"cvta.to.global.u64": same, "cvt.u64.u32": low, "cvt.u32.u64": low,
	"cvt.s64.s32":     func(a uint64) uint64 { return uint64(int64(int32(a))) },
	"cvt.rn.f32.s32":  func(a uint64) uint64 { return bits32(float32(int32(a))) },
	"cvt.rn.f32.u32":  func(a uint64) uint64 { return bits32(float32(uint32(a))) },
	"cvt.rzi.s32.f32": func(a uint64) uint64 { return low(uint64(saturated(float64(f32(a))))) },
	"cvt.rzi.s32.f64": func(a uint64) uint64 { return low(uint64(saturated(f64(a)))) },
	"cvt.rn.f64.s32":  func(a uint64) uint64 { return bits64(float64(int32(a))) },
	"cvt.f64.f32":     func(a uint64) uint64 { return bits64(float64(f32(a))) },
	"cvt.rn.f32.f64":  func(a uint64) uint64 { return bits32(float32(f64(a))) },
	"cvt.rni.f32.f32": func(a uint64) uint64 { return bits32(float32(math.RoundToEven(float64(f32(a))))) },
	"cvt.sat.f32.f32": func(a uint64) uint64 {
		value := f32(a)
		if !(value > 0) { // also NaN
			return 0
		}
		return bits32(min(value, 1))
	},
	"neg.s32":     func(a uint64) uint64 { return low(-a) },
	"neg.f32":     func(a uint64) uint64 { return bits32(-f32(a)) },
	"neg.f64":     func(a uint64) uint64 { return bits64(-f64(a)) },
	"abs.f32":     func(a uint64) uint64 { return a &^ (1 << 31) & math.MaxUint32 },
	"abs.f64":     func(a uint64) uint64 { return a &^ (1 << 63) },
	"not.b32":     func(a uint64) uint64 { return low(^a) },
	"mov.pred":    low,
	"not.pred":    func(a uint64) uint64 { return a ^ 1 },
	"sqrt.rn.f32": func(a uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(a))))) },
	"sqrt.rn.f64": func(a uint64) uint64 { return bits64(math.Sqrt(f64(a))) },
	"rcp.rn.f32":  func(a uint64) uint64 { return bits32(1 / f32(a)) },
	"rcp.rn.f64":  func(a uint64) uint64 { return bits64(1 / f64(a)) },
	// The GPU's approximation has about 20 bits; the rest of its result is 0.
	"rcp.approx.ftz.f64": func(a uint64) uint64 { return bits64(1/f64(a)) &^ math.MaxUint32 },
	"ex2.approx.f32":     func(a uint64) uint64 { return bits32(float32(math.Exp2(float64(f32(a))))) },
	"ex2.approx.ftz.f32": func(a uint64) uint64 { return bits32(flushed(float32(math.Exp2(float64(flushed(f32(a))))))) },
}

var ofTwo = map[string]func(a, b uint64) uint64{
	"add.s32": func(a, b uint64) uint64 { return low(a + b) }, "add.s64": func(a, b uint64) uint64 { return a + b },
	"sub.s32": func(a, b uint64) uint64 { return low(a - b) }, "sub.s64": func(a, b uint64) uint64 { return a - b },
	"mul.lo.s32": func(a, b uint64) uint64 { return low(a * b) }, "mul.lo.s64": func(a, b uint64) uint64 { return a * b },
	"mul.wide.s32": func(a, b uint64) uint64 { return uint64(int64(int32(a)) * int64(int32(b))) },
	"mul.wide.u32": func(a, b uint64) uint64 { return low(a) * low(b) },
	"mul.hi.u32":   func(a, b uint64) uint64 { return low(a) * low(b) >> 32 },
	"div.s32":      func(a, b uint64) uint64 { return low(uint64(divided(int64(int32(a)), int64(int32(b))))) },
	"div.u32":      func(a, b uint64) uint64 { return low(uint64(divided(int64(low(a)), int64(low(b))))) },
	"rem.u32":      func(a, b uint64) uint64 { return low(a - b*uint64(divided(int64(low(a)), int64(low(b))))) },
	"min.s32":      func(a, b uint64) uint64 { return low(uint64(min(int32(a), int32(b)))) },
	"max.s32":      func(a, b uint64) uint64 { return low(uint64(max(int32(a), int32(b)))) },
	"and.b32":      func(a, b uint64) uint64 { return low(a & b) }, "or.b32": func(a, b uint64) uint64 { return low(a | b) },
	"xor.b32": func(a, b uint64) uint64 { return low(a ^ b) },
	"and.b64": func(a, b uint64) uint64 { return a & b }, "or.b64": func(a, b uint64) uint64 { return a | b },
	"and.pred": func(a, b uint64) uint64 { return a & b }, "or.pred": func(a, b uint64) uint64 { return a | b },
	"xor.pred": func(a, b uint64) uint64 { return a ^ b },
	// Shifts by 32 or 64 and more result in 0, as in Go.
	"shl.b32": func(a, b uint64) uint64 { return uint64(uint32(a) << uint32(b)) },
	"shr.u32": func(a, b uint64) uint64 { return uint64(uint32(a) >> uint32(b)) },
	"shr.s32": func(a, b uint64) uint64 { return low(uint64(int32(a) >> uint32(b))) },
	"shl.b64": func(a, b uint64) uint64 { return a << uint32(b) }, "shr.u64": func(a, b uint64) uint64 { return a >> uint32(b) },
	"add.f32":    func(a, b uint64) uint64 { return bits32(f32(a) + f32(b)) },
	"sub.f32":    func(a, b uint64) uint64 { return bits32(f32(a) - f32(b)) },
	"mul.f32":    func(a, b uint64) uint64 { return bits32(f32(a) * f32(b)) },
	"add.rn.f32": func(a, b uint64) uint64 { return bits32(f32(a) + f32(b)) },
	"mul.rn.f32": func(a, b uint64) uint64 { return bits32(f32(a) * f32(b)) },
	"div.rn.f32": func(a, b uint64) uint64 { return bits32(f32(a) / f32(b)) },
	"add.f64":    func(a, b uint64) uint64 { return bits64(f64(a) + f64(b)) },
	"add.rn.f64": func(a, b uint64) uint64 { return bits64(f64(a) + f64(b)) },
	"sub.f64":    func(a, b uint64) uint64 { return bits64(f64(a) - f64(b)) },
	"mul.f64":    func(a, b uint64) uint64 { return bits64(f64(a) * f64(b)) },
	"div.rn.f64": func(a, b uint64) uint64 { return bits64(f64(a) / f64(b)) },
	"add.rz.f32": func(a, b uint64) uint64 { return bits32(rounded(float64(f32(a))+float64(f32(b)), 0)) },
	"max.f32":    func(a, b uint64) uint64 { return bits32(float32(number(float64(f32(a)), float64(f32(b)), math.Max))) },
	"min.f32":    func(a, b uint64) uint64 { return bits32(float32(number(float64(f32(a)), float64(f32(b)), math.Min))) },
	"max.f64":    func(a, b uint64) uint64 { return bits64(number(f64(a), f64(b), math.Max)) },
}

var ofThree = map[string]func(a, b, c uint64) uint64{
	"mad.lo.s32": func(a, b, c uint64) uint64 { return low(a*b + c) },
	// The product of two float32 is exact in float64, but the sum is rounded twice, to 53 bits and
	// then to 24. The result differs from a single rounding only if the first one ends on a tie.
	"fma.rn.f32": func(a, b, c uint64) uint64 {
		return bits32(float32(math.FMA(float64(f32(a)), float64(f32(b)), float64(f32(c)))))
	},
	"fma.rm.f32": func(a, b, c uint64) uint64 {
		return bits32(rounded(math.FMA(float64(f32(a)), float64(f32(b)), float64(f32(c))), math.Inf(-1)))
	},
	"fma.rn.f64": func(a, b, c uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c))) },
	"selp.f32":   choose, "selp.f64": choose, "selp.b32": choose, "selp.u32": choose, "selp.s32": choose,
	"selp.b64": choose, "selp.u64": choose,
}

func same(a uint64) uint64 { return a }

// low returns the lower half of a register.
func low(a uint64) uint64 { return a & math.MaxUint32 }

// choose returns a if the predicate c is set, and b otherwise.
func choose(a, b, c uint64) uint64 {
	if c != 0 {
		return a
	}
	return b
}

// divided returns a quotient. A division by 0 does not trap on a GPU; its result has all bits set.
func divided(a, b int64) int64 {
	if b == 0 {
		return -1
	}
	return a / b
}

// saturated truncates to an integer and clamps it to 32 bits; NaN becomes 0.
func saturated(a float64) int32 {
	if math.IsNaN(a) {
		return 0
	}
	return int32(max(math.MinInt32, min(math.MaxInt32, math.Trunc(a))))
}

// number returns the larger or smaller of two numbers. If one of them is NaN, it returns the other,
// whereas math.Max and math.Min would return NaN.
func number(a, b float64, of func(a, b float64) float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return of(a, b)
}

// flushed replaces denormal numbers by 0 of the same sign, as instructions with .ftz do.
func flushed(a float32) float32 {
	if math.Abs(float64(a)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(a)))
	}
	return a
}

// rounded rounds to float32 in the direction of another number: 0 for .rz, minus infinity for .rm.
// It starts from the nearest float32 and takes the neighbor if that one lies on the wrong side.
func rounded(value, toward float64) float32 {
	nearest := float32(value)
	over := float64(nearest) - value
	if over != 0 && !math.IsInf(float64(nearest), 0) && math.Signbit(over) != math.Signbit(toward-value) {
		return math.Nextafter32(nearest, float32(toward))
	}
	return nearest
}

// comparisons maps each type to a function that compares two registers. Like cmp.Compare it returns
// −1, 0 or 1; ordered is false if one of them is NaN.
var comparisons = map[string]func(a, b uint64) (order int, ordered bool){
	"s32": func(a, b uint64) (int, bool) { return compare(int32(a), int32(b)), true },
	"u32": func(a, b uint64) (int, bool) { return compare(uint32(a), uint32(b)), true },
	"b32": func(a, b uint64) (int, bool) { return compare(uint32(a), uint32(b)), true }, // these are equal or not, and have no order
	"s64": func(a, b uint64) (int, bool) { return compare(int64(a), int64(b)), true },
	"u64": func(a, b uint64) (int, bool) { return compare(a, b), true },
	"f32": func(a, b uint64) (int, bool) { return compare(f32(a), f32(b)), f32(a) == f32(a) && f32(b) == f32(b) },
	"f64": func(a, b uint64) (int, bool) { return compare(f64(a), f64(b)), f64(a) == f64(a) && f64(b) == f64(b) },
}

func compare[N int32 | uint32 | int64 | uint64 | float32 | float64](a, b N) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// relations maps each relation of setp to the results of a comparison for which it holds.
var relations = map[string]func(order int) bool{
	"lt": func(order int) bool { return order < 0 }, "le": func(order int) bool { return order <= 0 },
	"gt": func(order int) bool { return order > 0 }, "ge": func(order int) bool { return order >= 0 },
	"eq": func(order int) bool { return order == 0 }, "ne": func(order int) bool { return order != 0 },
}

// comparison returns the meaning of setp.relation.type. A floating-point relation that ends with u
// also holds if one operand is NaN.
func comparison(operation string) (func(a, b uint64) uint64, bool) {
	parts := strings.Split(operation, ".")
	if len(parts) != 3 || parts[0] != "setp" {
		return nil, false
	}
	of, known := comparisons[parts[2]]
	name, unordered := parts[1], false
	if strings.HasPrefix(parts[2], "f") && len(name) == 3 {
		name, unordered = strings.CutSuffix(name, "u")
	}
	holds := relations[name]
	if !known || holds == nil || parts[2] == "b32" && name != "eq" && name != "ne" {
		return nil, false
	}
	return func(a, b uint64) uint64 {
		order, ordered := of(a, b)
		if ordered && holds(order) || !ordered && unordered {
			return 1
		}
		return 0
	}, true
}

// meaning returns the effect of an instruction on a thread. Operands become register indices when
// the module is parsed, so that running an instruction looks up no names.
func (k *kernel) meaning(operation string, operands []string) (func(t *thread), error) {
	if strings.HasPrefix(operation, "ld.") || strings.HasPrefix(operation, "st.") {
		return k.access(operation, operands)
	}
	if operation == "mov.b64" && len(operands) == 2 && (strings.HasPrefix(operands[0], "{") || strings.HasPrefix(operands[1], "{")) {
		return k.halves(operands)
	}
	var at [4]int
	if len(operands) > len(at) {
		return nil, fmt.Errorf("%s has %d operands", operation, len(operands))
	}
	if err := k.operands(at[:], operands...); err != nil {
		return nil, err
	}
	d, a, b, c := at[0], at[1], at[2], at[3]
	if f, known := ofOne[operation]; known && len(operands) == 2 {
		return func(t *thread) { t.registers[d] = f(t.registers[a]) }, nil
	}
	f, known := ofTwo[operation]
	if !known {
		f, known = comparison(operation)
	}
	if known && len(operands) == 3 {
		return func(t *thread) { t.registers[d] = f(t.registers[a], t.registers[b]) }, nil
	}
	if f, known := ofThree[operation]; known && len(operands) == 4 {
		return func(t *thread) { t.registers[d] = f(t.registers[a], t.registers[b], t.registers[c]) }, nil
	}
	return nil, fmt.Errorf("instruction %s with %d operands is not known", operation, len(operands))
}

// halves returns the effect of a move between an 8-byte register and two 4-byte registers.
func (k *kernel) halves(operands []string) (func(t *thread), error) {
	split := func(text string) ([2]int, error) {
		var slots [2]int
		first, second, _ := strings.Cut(strings.Trim(text, "{}"), ",")
		return slots, k.operands(slots[:], strings.TrimSpace(first), strings.TrimSpace(second))
	}
	if operands[0][0] == '{' {
		to, err := split(operands[0])
		from := k.register(operands[1])
		return func(t *thread) {
			value := t.registers[from]
			t.registers[to[0]], t.registers[to[1]] = low(value), value>>32
		}, err
	}
	from, err := split(operands[1])
	to := k.register(operands[0])
	return func(t *thread) { t.registers[to] = low(t.registers[from[0]]) | t.registers[from[1]]<<32 }, err
}

// width returns the number of bytes of a load or a store, and whether it sign-extends.
func width(operation string) (bytes int, signed bool, err error) {
	switch operation[strings.LastIndexByte(operation, '.')+1:] {
	case "u32", "f32", "b32":
		return 4, false, nil
	case "s32":
		return 4, true, nil
	case "u64", "f64", "b64", "s64":
		return 8, false, nil
	}
	return 0, false, fmt.Errorf("%s is not known", operation)
}
