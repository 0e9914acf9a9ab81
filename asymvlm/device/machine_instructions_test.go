package device

import (
	"fmt"
	"math"
)

func f32(bits uint32) float32   { return math.Float32frombits(bits) }
func bits(value float32) uint32 { return math.Float32bits(value) }

// fusedOnce is a·b + c with one rounding: the float64 sum is rounded to odd, so a second rounding
// is exact.
func fusedOnce(a, b, c float32) float32 {
	product, addend := float64(a)*float64(b), float64(c) // the product is exact
	sum := product + addend
	back := sum - product
	lost := (product - (sum - back)) + (addend - back)
	if lost != 0 && !math.IsNaN(lost) && !math.IsInf(sum, 0) && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Inf(int(math.Copysign(1, lost))))
	}
	return float32(sum)
}

// roundedTwice is a·b + c with the product rounded first, as in the WebAssembly module.
func roundedTwice(a, b, c float32) float32 { return float32(a*b) + c }

// multiplyAdd is the meaning of fused instructions.
var multiplyAdd = fusedOnce

// Lane-by-lane instructions. The operands are those of the line, from the left.
var (
	ofOne = map[string]func(a uint32) uint32{
		"VROUNDPS":   func(a uint32) uint32 { return bits(float32(math.RoundToEven(float64(f32(a))))) },
		"VCVTPS2DQ":  func(a uint32) uint32 { return toInteger(f32(a)) },
		"VCVTTPS2DQ": func(a uint32) uint32 { return toInteger(float32(math.Trunc(float64(f32(a))))) },
		"VCVTDQ2PS":  func(a uint32) uint32 { return bits(float32(int32(a))) },
		"VSQRTPS":    func(a uint32) uint32 { return bits(float32(math.Sqrt(float64(f32(a))))) },
	}
	ofTwo = map[string]func(a, b uint32) uint32{
		"VADDPS": func(a, b uint32) uint32 { return bits(f32(b) + f32(a)) }, "VSUBPS": func(a, b uint32) uint32 { return bits(f32(b) - f32(a)) },
		"VMULPS": func(a, b uint32) uint32 { return bits(f32(b) * f32(a)) }, "VDIVPS": func(a, b uint32) uint32 { return bits(f32(b) / f32(a)) },
		// The result is the first operand if one is NaN or both are 0.
		"VMAXPS": func(a, b uint32) uint32 { return either(f32(b) > f32(a), b, a) },
		"VMINPS": func(a, b uint32) uint32 { return either(f32(b) < f32(a), b, a) },
		"VANDPS": func(a, b uint32) uint32 { return a & b }, "VORPS": func(a, b uint32) uint32 { return a | b },
		"VXORPS": func(a, b uint32) uint32 { return a ^ b }, "VANDNPS": func(a, b uint32) uint32 { return a &^ b },
		"VPADDD": func(a, b uint32) uint32 { return b + a }, "VPSUBD": func(a, b uint32) uint32 { return b - a },
	}
	ofThree = map[string]func(a, b, c uint32) uint32{ // c is also the destination
		"VFMADD231PS":  func(a, b, c uint32) uint32 { return bits(multiplyAdd(f32(b), f32(a), f32(c))) },
		"VFMADD213PS":  func(a, b, c uint32) uint32 { return bits(multiplyAdd(f32(b), f32(c), f32(a))) },
		"VFMADD132PS":  func(a, b, c uint32) uint32 { return bits(multiplyAdd(f32(c), f32(a), f32(b))) },
		"VFMSUB213PS":  func(a, b, c uint32) uint32 { return bits(multiplyAdd(f32(b), f32(c), -f32(a))) },
		"VFNMADD231PS": func(a, b, c uint32) uint32 { return bits(multiplyAdd(-f32(b), f32(a), f32(c))) },
	}
	// Predicates of VCMPPS, comparing its third operand with its second.
	predicates = map[uint64]func(x, y float32) bool{
		0x01: func(x, y float32) bool { return x < y }, 0x02: func(x, y float32) bool { return x <= y },
		0x04: func(x, y float32) bool { return x != y }, 0x05: func(x, y float32) bool { return !(x < y) },
		0x06: func(x, y float32) bool { return !(x <= y) }, 0x0e: func(x, y float32) bool { return x > y },
	}
)

func either(first bool, a, b uint32) uint32 {
	if first {
		return a
	}
	return b
}

// toInteger rounds to an integer; values out of range become the smallest integer.
func toInteger(x float32) uint32 {
	rounded := math.RoundToEven(float64(x))
	if !(rounded >= math.MinInt32 && rounded <= math.MaxInt32) {
		return 1 << 31
	}
	return uint32(int32(rounded))
}

// do executes one instruction.
func (m *machine) do(operation string, list []string, a assembly) {
	switch {
	case operation == "VZEROUPPER":
		for _, v := range m.vectors {
			clear(v[4:])
		}
	case operation[0] == 'V':
		m.doVector(operation, list, a)
	case operation == "MOVSS" && isVector(list[1]):
		m.set(list[1], [8]uint32{uint32(m.number(list[0]))}, 1)
	case operation == "MOVSS" || operation == "MOVSD":
		v := m.vector(list[0])
		value := uint64(v[0])
		if operation == "MOVSD" {
			value |= uint64(v[1]) << 32
		}
		m.results[frame.FindStringSubmatch(list[1])[1]] = value
	default:
		m.doGeneral(operation, list)
	}
}

// doGeneral executes an instruction on general registers.
func (m *machine) doGeneral(operation string, list []string) {
	last := list[len(list)-1]
	put := func(value uint64) { m.registers[last], m.zero = value, value == 0 }
	switch operation {
	case "MOVQ":
		if found := frame.FindStringSubmatch(last); found != nil {
			m.results[found[1]] = m.general(list[0])
			return
		}
		m.registers[last] = m.number(list[0])
	case "LEAQ":
		address, _ := m.address(list[0])
		m.registers[last] = address
	case "ADDQ":
		put(m.general(last) + m.number(list[0]))
	case "SUBQ":
		put(m.general(last) - m.number(list[0]))
	case "DECQ":
		put(m.general(last) - 1)
	case "SHRQ":
		put(m.general(last) >> m.number(list[0]))
	case "SHLQ":
		put(m.general(last) << m.number(list[0]))
	case "TESTQ", "TESTL":
		m.zero = m.general(list[0])&m.general(list[1]) == 0
	default:
		panic(slip("is not known"))
	}
}

// doVector executes an instruction on vector registers.
func (m *machine) doVector(operation string, list []string, a assembly) {
	last, count := list[len(list)-1], 8
	if last[0] == 'X' || operation == "VMOVUPS" && list[0][0] == 'X' {
		count = 4
	}
	of := func(i int) [8]uint32 { return m.lanes(list[i], count, a) }
	var dst [8]uint32
	one, known := ofOne[operation]
	if known {
		if operation == "VROUNDPS" {
			if list[0] != "$0x00" {
				panic(slip("rounds another way"))
			}
			list = list[1:]
		}
		for i, x := range of(0) {
			dst[i] = one(x)
		}
		m.set(last, dst, count)
		return
	}
	if two := ofTwo[operation]; two != nil {
		if (operation == "VXORPS") && list[0] == list[1] { // sets to 0 for any previous value
			m.set(last, dst, count)
			return
		}
		x, y := of(0), of(1)
		for i := range count {
			dst[i] = two(x[i], y[i])
		}
		m.set(last, dst, count)
		return
	}
	if three := ofThree[operation]; three != nil {
		x, y, z := of(0), of(1), of(2)
		for i := range count {
			dst[i] = three(x[i], y[i], z[i])
		}
		m.set(last, dst, count)
		return
	}
	m.doMoving(operation, list, a)
}

// doMoving executes the instructions that are not lane by lane.
func (m *machine) doMoving(operation string, list []string, a assembly) {
	last := list[len(list)-1]
	var dst [8]uint32
	switch operation {
	case "VMOVUPS":
		count := 8
		if last[0] == 'X' || list[0][0] == 'X' {
			count = 4
		}
		m.set(last, m.lanes(list[0], count, a), count)
	case "VBROADCASTSS":
		x := m.lanes(list[0], 1, a)
		for i := range dst {
			dst[i] = x[0]
		}
		m.set(last, dst, 8)
	case "VCMPPS":
		holds := predicates[m.number(list[0])]
		if holds == nil {
			panic(slip("compares another way"))
		}
		x, y := m.lanes(list[2], 8, a), m.lanes(list[1], 8, a)
		for i := range dst {
			dst[i] = either(holds(f32(x[i]), f32(y[i])), math.MaxUint32, 0)
		}
		m.set(last, dst, 8)
	case "VBLENDVPS":
		mask, x, y := m.lanes(list[0], 8, a), m.lanes(list[1], 8, a), m.lanes(list[2], 8, a)
		for i := range dst {
			dst[i] = either(mask[i]>>31 == 1, x[i], y[i])
		}
		m.set(last, dst, 8)
	case "VPSLLD", "VPSRLD", "VPSRAD":
		x, by := m.lanes(list[1], 8, a), m.number(list[0])
		for i := range dst {
			switch operation {
			case "VPSLLD":
				dst[i] = x[i] << by
			case "VPSRLD":
				dst[i] = x[i] >> by
			default:
				dst[i] = uint32(int32(x[i]) >> by)
			}
		}
		m.set(last, dst, 8)
	case "VMOVMSKPS":
		value := uint64(0)
		for i, x := range m.lanes(list[0], 8, a) {
			value |= uint64(x>>31) << i
		}
		m.registers[last] = value
	case "VEXTRACTF128":
		x := m.lanes(list[1], 8, a)
		copy(dst[:], x[4*m.number(list[0]):])
		m.set(last, dst, 4)
	case "VPERMILPS":
		x, order := m.lanes(list[1], 4, a), m.number(list[0])
		for i := range 4 {
			dst[i] = x[order>>(2*i)&3]
		}
		m.set(last, dst, 4)
	default:
		m.doPairs(operation, list, a)
	}
}

// doPairs executes the instructions that combine neighbors.
func (m *machine) doPairs(operation string, list []string, a assembly) {
	last := list[len(list)-1]
	count := 8
	if last[0] == 'X' {
		count = 4
	}
	var dst [8]uint32
	double := func(v [8]uint32, i int) float64 { return math.Float64frombits(uint64(v[2*i]) | uint64(v[2*i+1])<<32) }
	put := func(i int, value float64) {
		dst[2*i], dst[2*i+1] = uint32(math.Float64bits(value)), uint32(math.Float64bits(value)>>32)
	}
	switch operation {
	case "VHADDPS":
		x, y := m.lanes(list[0], count, a), m.lanes(list[1], count, a)
		for half := 0; half < count; half += 4 {
			for i := range 2 {
				dst[half+i] = bits(f32(y[half+2*i]) + f32(y[half+2*i+1]))
				dst[half+2+i] = bits(f32(x[half+2*i]) + f32(x[half+2*i+1]))
			}
		}
	case "VCVTPS2PD":
		for i, x := range m.lanes(list[0], 4, a) {
			if i < 4 {
				put(i, float64(f32(x)))
			}
		}
	case "VFMADD231PD", "VADDPD", "VHADDPD":
		x, y, z := m.lanes(list[0], count, a), m.lanes(list[1], count, a), [8]uint32{}
		if operation == "VFMADD231PD" {
			z = m.lanes(last, count, a)
		}
		for i := range count / 2 {
			switch operation {
			case "VFMADD231PD":
				put(i, math.FMA(double(y, i), double(x, i), double(z, i)))
			case "VADDPD":
				put(i, double(y, i)+double(x, i))
			case "VHADDPD": // first operand in the upper half
				from := y
				if i%2 == 1 {
					from = x
				}
				put(i, double(from, i&^1)+double(from, i|1))
			}
		}
	case "VUNPCKLPS", "VUNPCKHPS", "VUNPCKLPD", "VUNPCKHPD":
		x, y := m.lanes(list[0], 8, a), m.lanes(list[1], 8, a)
		high := 0
		if operation[6] == 'H' {
			high = 2
		}
		for half := 0; half < 8; half += 4 {
			lanes := [4]uint32{y[half+high], x[half+high], y[half+high+1], x[half+high+1]}
			if operation[8] == 'D' {
				lanes = [4]uint32{y[half+high], y[half+high+1], x[half+high], x[half+high+1]}
			}
			copy(dst[half:], lanes[:])
		}
	default:
		m.doWords(operation, list, a)
		return
	}
	m.set(last, dst, count)
}

// doWords executes the integer instructions that are not lane by lane.
func (m *machine) doWords(operation string, list []string, a assembly) {
	var dst [8]uint32
	switch operation {
	case "VPSRLQ", "VPSLLQ":
		x, by := m.lanes(list[1], 8, a), m.number(list[0])
		for i := range 4 {
			value := uint64(x[2*i]) | uint64(x[2*i+1])<<32
			if operation == "VPSRLQ" {
				value >>= by
			} else {
				value <<= by
			}
			dst[2*i], dst[2*i+1] = uint32(value), uint32(value>>32)
		}
	case "VPMULUDQ": // of the lower halves
		x, y := m.lanes(list[0], 8, a), m.lanes(list[1], 8, a)
		for i := range 4 {
			product := uint64(x[2*i]) * uint64(y[2*i])
			dst[2*i], dst[2*i+1] = uint32(product), uint32(product>>32)
		}
	case "VPBLENDD":
		which, x, y := m.number(list[0]), m.lanes(list[1], 8, a), m.lanes(list[2], 8, a)
		for i := range dst {
			dst[i] = either(which>>i&1 == 1, x[i], y[i])
		}
	default:
		panic(slip(fmt.Sprintf("%s is not known", operation)))
	}
	m.set(list[len(list)-1], dst, 8)
}
