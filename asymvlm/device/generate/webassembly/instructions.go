package main

import "strconv"

// Instructions that do the same in every lane. The operands are pushed in the order of the line.
var (
	ofOne = map[string][]uint32{
		"VROUNDPS": {f32x4Nearest}, "VCVTPS2DQ": {f32x4Nearest, i32x4TruncSat}, "VCVTTPS2DQ": {i32x4TruncSat},
		"VCVTDQ2PS": {f32x4ConvertSign}, "VSQRTPS": {f32x4Sqrt},
	}
	// If reversed is set, the operands are pushed in the reverse order of the line: the first operand
	// is subtracted from the second.
	ofTwo = map[string]struct {
		op       uint32
		reversed bool
	}{
		"VADDPS": {f32x4Add, true}, "VSUBPS": {f32x4Sub, true}, "VMULPS": {f32x4Mul, true}, "VDIVPS": {f32x4Div, true},
		// Both return their first operand, here the first of the line, if one is NaN or both are 0.
		"VMAXPS": {f32x4Pmax, false}, "VMINPS": {f32x4Pmin, false},
		"VANDPS": {v128And, false}, "VORPS": {v128Or, false}, "VXORPS": {v128Xor, false}, "VANDNPS": {v128Andnot, false},
		"VPADDD": {i32x4Add, true}, "VPSUBD": {i32x4Sub, true}, "VADDPD": {f64x2Add, true},
	}
	shifts = map[string]uint32{
		"VPSLLD": i32x4Shl, "VPSRLD": i32x4ShrU, "VPSRAD": i32x4ShrS, "VPSLLQ": i64x2Shl, "VPSRLQ": i64x2ShrU,
	}
	// The predicates of VCMPPS, whose third operand is compared with the second.
	predicates = map[string][]uint32{
		"$0x01": {f32x4Lt}, "$0x02": {f32x4Le}, "$0x04": {f32x4Ne}, "$0x05": {f32x4Lt, v128Not}, "$0x06": {f32x4Le, v128Not}, "$0x0e": {f32x4Gt},
	}
	// Fused multiply-adds. product has the indices of the two factors in the line, other that of the
	// addend, and op adds it or subtracts it. The last operand of the line is also the destination.
	fused = map[string]struct {
		product  [2]int
		other    int
		op       uint32
		negative bool // the product is subtracted from the other
	}{
		"VFMADD231PS": {[2]int{1, 0}, 2, f32x4Add, false}, "VFMADD213PS": {[2]int{1, 2}, 0, f32x4Add, false},
		"VFMADD132PS": {[2]int{2, 0}, 1, f32x4Add, false}, "VFMSUB213PS": {[2]int{1, 2}, 0, f32x4Sub, false},
		"VFNMADD231PS": {[2]int{1, 0}, 2, f32x4Sub, true},
	}
	// Lanes of the second operand, from 0, and of the first, from 4.
	unpacked = map[string][]byte{
		"VUNPCKLPS": {0, 4, 1, 5}, "VUNPCKHPS": {2, 6, 3, 7}, "VUNPCKLPD": {0, 1, 4, 5}, "VUNPCKHPD": {2, 3, 6, 7},
	}
)

func isVector(operand string) bool {
	return len(operand) > 1 && (operand[0] == 'X' || operand[0] == 'Y') && operand[1] <= '9'
}

// halvesOf returns the variables of a vector register.
func (t *translator) halvesOf(operand string) [2]variable {
	name := "Y" + operand[1:]
	v, ok := t.vectors[name]
	if !ok {
		v = [2]variable{t.vector(), t.vector()}
		t.vectors[name] = v
	}
	return v
}

// push pushes a half of an operand.
func (t *translator) push(operand string, half int) {
	if isVector(operand) {
		t.get(t.halvesOf(operand)[half])
		return
	}
	if found := constant.FindStringSubmatch(operand); found != nil {
		at, _ := strconv.Atoi(found[1])
		if _, ok := t.table[at]; !ok || at%32 != 0 {
			panic(fault("there is no such constant"))
		}
		v, ok := t.constants[at]
		if !ok {
			v = t.vector()
			t.constants[at] = v
		}
		t.get(v)
		return
	}
	t.memory(v128Load, t.address(operand)+16*uint32(half))
}

// each stores both halves of the destination, whose values the code of emit leaves on the stack. A
// destination of 128 bits has only the lower half; the upper half of its register becomes 0.
func (t *translator) each(dst string, emit func(half int)) {
	v := t.halvesOf(dst)
	delete(t.masks, "Y"+dst[1:])
	emit(0)
	t.set(v[0])
	if dst[0] == 'X' {
		t.simd(v128Const, make([]byte, 16)...)
	} else {
		emit(1)
	}
	t.set(v[1])
}

// onVectors translates an instruction on vectors.
func (t *translator) onVectors(l line) {
	list := l.operands
	last := list[len(list)-1]
	if ops, ok := ofOne[l.operation]; ok {
		if l.operation == "VROUNDPS" && list[0] != "$0x00" {
			panic(fault("rounds another way"))
		}
		t.each(last, func(half int) {
			t.push(list[len(list)-2], half)
			for _, op := range ops {
				t.simd(op)
			}
		})
		return
	}
	if two, ok := ofTwo[l.operation]; ok {
		first, second := list[0], list[1]
		if two.reversed {
			first, second = second, first
		}
		t.each(last, func(half int) {
			if l.operation == "VXORPS" && first == second { // 0, whatever the register held
				t.simd(v128Const, make([]byte, 16)...)
				return
			}
			t.push(first, half)
			t.push(second, half)
			t.simd(two.op)
		})
		return
	}
	if f, ok := fused[l.operation]; ok && t.isFused {
		t.each(last, func(half int) {
			t.push(list[f.product[0]], half)
			t.push(list[f.product[1]], half)
			t.push(list[f.other], half)
			switch {
			case f.negative:
				t.simd(f32x4RelaxedNmad)
				return
			case f.op == f32x4Sub:
				t.simd(f32x4Neg)
			}
			t.simd(f32x4RelaxedMadd)
		})
		return
	} else if ok {
		t.each(last, func(half int) {
			if f.negative {
				t.push(list[f.other], half)
			}
			t.push(list[f.product[0]], half)
			t.push(list[f.product[1]], half)
			t.simd(f32x4Mul)
			if !f.negative {
				t.push(list[f.other], half)
			}
			t.simd(f.op)
		})
		return
	}
	if op, ok := shifts[l.operation]; ok {
		t.each(last, func(half int) {
			t.push(list[1], half)
			t.number(immediateOf(list[0]))
			t.simd(op)
		})
		return
	}
	t.onLanes(l, list, last)
}

// onLanes translates instructions that select or combine lanes.
func (t *translator) onLanes(l line, list []string, last string) {
	if lanes, ok := unpacked[l.operation]; ok {
		t.each(last, func(half int) {
			t.push(list[1], half)
			t.push(list[0], half)
			t.shuffle(lanes...)
		})
		return
	}
	switch l.operation {
	case "VCMPPS":
		ops, ok := predicates[list[0]]
		if !ok {
			panic(fault("compares another way"))
		}
		t.each(last, func(half int) {
			t.push(list[2], half)
			t.push(list[1], half)
			for _, op := range ops {
				t.simd(op)
			}
		})
		t.masks["Y"+last[1:]] = true
	case "VBLENDVPS": // the highest bits of the first operand select
		whole := t.masks["Y"+list[0][1:]]
		t.each(last, func(half int) {
			t.push(list[1], half)
			t.push(list[2], half)
			t.push(list[0], half)
			if !whole {
				t.number(31)
				t.simd(i32x4ShrS)
			}
			t.simd(v128Bitselect)
		})
	case "VPBLENDD":
		which := immediateOf(list[0])
		t.each(last, func(half int) {
			var lanes []byte
			for i := range byte(4) {
				if which>>(4*half+int(i))&1 == 0 {
					i += 4
				}
				lanes = append(lanes, i)
			}
			t.push(list[1], half)
			t.push(list[2], half)
			t.shuffle(lanes...)
		})
	case "VPMULUDQ": // of the lower halves of lanes of 64 bits
		t.each(last, func(half int) {
			for _, operand := range list[:2] {
				t.push(operand, half)
				t.push(operand, half)
				t.shuffle(0, 2, 0, 2)
			}
			t.simd(i64x2ExtmulLow)
		})
	case "VFMADD231PD":
		t.each(last, func(half int) {
			t.push(list[1], half)
			t.push(list[0], half)
			t.simd(f64x2Mul)
			t.push(list[2], half)
			t.simd(f64x2Add)
		})
	case "VHADDPS":
		t.neighbors(list, f32x4Add, [2][]byte{{0, 2, 4, 6}, {1, 3, 5, 7}})
	case "VHADDPD":
		t.neighbors(list, f64x2Add, [2][]byte{{0, 1, 4, 5}, {2, 3, 6, 7}})
	default:
		t.moved(l, list, last)
	}
}

// neighbors adds the even and the odd lanes of two operands.
func (t *translator) neighbors(list []string, op uint32, lanes [2][]byte) {
	t.each(list[2], func(half int) {
		for _, some := range lanes {
			t.push(list[1], half)
			t.push(list[0], half)
			t.shuffle(some...)
		}
		t.simd(op)
	})
}

// moved translates moves.
func (t *translator) moved(l line, list []string, last string) {
	first := list[0]
	switch {
	case l.operation == "VMOVUPS" && isVector(last):
		t.each(last, func(half int) { t.push(first, half) })
	case l.operation == "VMOVUPS":
		for half := range 2 {
			if half == 0 || first[0] == 'Y' {
				offset := t.address(last)
				t.push(first, half)
				t.memory(v128Store, offset+16*uint32(half))
			}
		}
	case l.operation == "VBROADCASTSS" && isVector(first):
		t.each(last, func(int) {
			t.push(first, 0)
			t.push(first, 0)
			t.shuffle(0, 0, 0, 0)
		})
	case l.operation == "VEXTRACTF128" && first == "$0x01" && isVector(last):
		t.each(last, func(int) { t.push(list[1], 1) })
	case l.operation == "VEXTRACTF128" && first == "$0x01":
		offset := t.address(last)
		t.push(list[1], 1)
		t.memory(v128Store, offset)
	case l.operation == "VPERMILPS" && last[0] == 'X':
		order := immediateOf(first)
		t.each(last, func(int) {
			t.push(list[1], 0)
			t.push(list[1], 0)
			t.shuffle(byte(order&3), byte(order>>2&3), byte(order>>4&3), byte(order>>6&3))
		})
	case l.operation == "VMOVMSKPS":
		t.push(first, 0)
		t.simd(i32x4Bitmask)
		t.push(first, 1)
		t.simd(i32x4Bitmask)
		t.number(4)
		t.raw(opShl, opOr)
		t.set(t.integerOf(last))
	case l.operation == "VCVTPS2PD" && !isVector(first):
		t.each(last, func(half int) {
			t.memory(v128LoadZero64, t.address(first)+8*uint32(half))
			t.simd(f64x2PromoteLow)
		})
	case l.operation == "MOVSS" && isVector(last):
		t.each(last, func(int) { t.memory(v128LoadZero32, t.address(first)) })
	case l.operation == "MOVSS":
		offset := t.address(last)
		t.push(first, 0)
		t.memory(v128StoreLane32, offset, 0)
	case l.operation == "MOVSD":
		offset := t.address(last)
		t.push(first, 0)
		t.memory(v128StoreLane64, offset, 0)
	default:
		panic(fault("is not known"))
	}
}
