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

// meaning sets the effect and the registers of an instruction. Operands become register indices
// when the module is parsed, so that running an instruction looks up no names.
func (k *kernel) meaning(i *instruction, operation string, operands []string) error {
	if strings.HasPrefix(operation, "ld.") || strings.HasPrefix(operation, "st.") {
		return k.access(i, operation, operands)
	}
	i.writes = 1
	if operation == "mov.b64" && len(operands) == 2 && (strings.HasPrefix(operands[0], "{") || strings.HasPrefix(operands[1], "{")) {
		return k.halves(i, operands)
	}
	if len(operands) > 4 {
		return fmt.Errorf("%s has %d operands", operation, len(operands))
	}
	if err := k.operands(i.operand[:], operands...); err != nil {
		return err
	}
	if i.run = operationOf(operation, len(operands)); i.run == nil {
		return fmt.Errorf("instruction %s with %d operands is not known", operation, len(operands))
	}
	return nil
}

// halves sets the effect of a move between an 8-byte register and two 4-byte registers.
func (k *kernel) halves(i *instruction, operands []string) error {
	pair := func(text string) (first, second string) {
		first, second, _ = strings.Cut(strings.Trim(text, "{}"), ",")
		return strings.TrimSpace(first), strings.TrimSpace(second)
	}
	if strings.HasPrefix(operands[0], "{") {
		first, second := pair(operands[0])
		i.writes = 2
		i.run = func(b *block, o *[5]int, from, to int) {
			lower, upper := b.column(o[0], from, to), b.column(o[1], from, to)
			for lane, value := range b.column(o[2], from, to) {
				lower[lane], upper[lane] = low(value), value>>32
			}
		}
		return k.operands(i.operand[:], first, second, operands[1])
	}
	first, second := pair(operands[1])
	i.run = func(b *block, o *[5]int, from, to int) {
		into, lower, upper := b.column(o[0], from, to), b.column(o[1], from, to), b.column(o[2], from, to)
		for lane := range into {
			into[lane] = low(lower[lane]) | upper[lane]<<32
		}
	}
	return k.operands(i.operand[:], operands[0], first, second)
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
