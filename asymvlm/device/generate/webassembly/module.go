package main

// This file encodes a module (WebAssembly Core Specification 2.0, chapter 5), as far as the
// functions of package device need it: each function takes the address of its arguments and returns
// nothing.

// Types of values.
const (
	typeI32  = 0x7f
	typeV128 = 0x7b
)

// Instructions of control and of 32-bit integers.
const (
	opBlock  = 0x02
	opLoop   = 0x03
	opIf     = 0x04
	opEnd    = 0x0b
	opBranch = 0x0d // if the value is not 0
	opGet    = 0x20
	opSet    = 0x21
	opLoad   = 0x28
	opStore  = 0x36
	opConst  = 0x41
	opFloat  = 0x43
	opIsZero = 0x45
	opAdd    = 0x6a
	opSub    = 0x6b
	opMul    = 0x6c
	opAnd    = 0x71
	opOr     = 0x72
	opShl    = 0x74
	opShrU   = 0x76

	noResult     = 0x40 // the type of a block
	vectorPrefix = 0xfd
)

// Instructions on vectors.
const (
	v128Load         = 0
	v128LoadSplat32  = 9
	v128Store        = 11
	v128Const        = 12
	i8x16Shuffle     = 13
	i32x4Splat       = 17
	f32x4Splat       = 19
	f32x4Eq          = 65
	f32x4Ne          = 66
	f32x4Lt          = 67
	f32x4Gt          = 68
	f32x4Le          = 69
	f32x4Ge          = 70
	v128Not          = 77
	v128And          = 78
	v128Andnot       = 79
	v128Or           = 80
	v128Xor          = 81
	v128Bitselect    = 82
	v128StoreLane32  = 90
	v128StoreLane64  = 91
	v128LoadZero32   = 92
	v128LoadZero64   = 93
	f64x2PromoteLow  = 95
	f32x4Nearest     = 106
	i32x4Bitmask     = 164
	i32x4Shl         = 171
	i32x4ShrS        = 172
	i32x4ShrU        = 173
	i32x4Add         = 174
	i32x4Sub         = 177
	i64x2Shl         = 203
	i64x2ShrU        = 205
	i64x2ExtmulLow   = 222 // of unsigned numbers of 32 bits
	f32x4Neg         = 225
	f32x4Sqrt        = 227
	f32x4Add         = 228
	f32x4Sub         = 229
	f32x4Mul         = 230
	f32x4Div         = 231
	f32x4Pmin        = 234
	f32x4Pmax        = 235
	f64x2Add         = 240
	f64x2Mul         = 242
	i32x4TruncSat    = 248 // of signed numbers
	f32x4ConvertSign = 250 // of signed numbers
	f32x4RelaxedMadd = 261 // first·second + third
	f32x4RelaxedNmad = 262 // third − first·second
)

// unsigned appends a number in LEB128.
func unsigned(to []byte, n uint32) []byte {
	for ; n >= 0x80; n >>= 7 {
		to = append(to, byte(n)|0x80)
	}
	return append(to, byte(n))
}

// signed appends a signed number in LEB128.
func signed(to []byte, n int32) []byte {
	for n < -0x40 || n >= 0x40 {
		to = append(to, byte(n)|0x80)
		n >>= 7
	}
	return append(to, byte(n)&0x7f)
}

// name appends a text with its length.
func name(to []byte, text string) []byte { return append(unsigned(to, uint32(len(text))), text...) }

// section appends a section with its length.
func section(to []byte, id byte, content []byte) []byte {
	return append(unsigned(append(to, id), uint32(len(content))), content...)
}

// encode returns a module that exports the bodies under their names. It imports the memory "mem" of
// module "go" and sets no maximum for its size.
func encode(names []string, bodies []*body) []byte {
	count := uint32(len(bodies))
	types := append(unsigned(nil, 1), 0x60, 1, typeI32, 0)
	imports := append(name(name(unsigned(nil, 1), "go"), "mem"), 2, 0, 0)
	functions, exports, code := unsigned(nil, count), unsigned(nil, count), unsigned(nil, count)
	for i, b := range bodies {
		functions = append(functions, 0)
		exports = unsigned(append(name(exports, names[i]), 0), uint32(i))
		content := b.encoded()
		code = append(unsigned(code, uint32(len(content))), content...)
	}
	module := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	module = section(module, 1, types)
	module = section(module, 2, imports)
	module = section(module, 3, functions)
	module = section(module, 7, exports)
	return section(module, 10, code)
}

// A variable is the index of a local variable. The first is the parameter.
type variable uint32

// A body is the code of a function. Integer variables are numbered before vector variables, so the
// code is encoded only when the number of integer variables is known.
type body struct {
	isFused  bool // multiply-adds are fused
	steps    []step
	integers int
	vectors  int
}

// A step is an instruction, with the variable that is its operand if it has one.
type step struct {
	code     []byte
	vector   bool // the variable is a vector
	variable int  // its number among those of its type, or −1
}

func (b *body) integer() variable {
	b.integers++
	return variable(b.integers) // after the parameter, 0
}

// vectorBase is the number of the first vector variable before encoding. It distinguishes vector
// variables from integer variables.
const vectorBase = 1 << 16

func (b *body) vector() variable {
	b.vectors++
	return variable(vectorBase + b.vectors - 1)
}

// raw appends an instruction without a variable.
func (b *body) raw(code ...byte) { b.steps = append(b.steps, step{code: code, variable: -1}) }

func (b *body) local(op byte, v variable) {
	s := step{code: []byte{op}, variable: int(v)}
	if v >= vectorBase {
		s.vector, s.variable = true, int(v-vectorBase)
	}
	b.steps = append(b.steps, s)
}

func (b *body) get(list ...variable) {
	for _, v := range list {
		b.local(opGet, v)
	}
}

func (b *body) set(v variable) { b.local(opSet, v) }

func (b *body) number(n int32) { b.raw(signed([]byte{opConst}, n)...) }

// simd appends an instruction on vectors with the bytes that follow its number.
func (b *body) simd(op uint32, rest ...byte) {
	b.raw(append(unsigned([]byte{vectorPrefix}, op), rest...)...)
}

// memory appends an instruction on vectors that reads or writes memory, aligned to 4 bytes.
func (b *body) memory(op, offset uint32, rest ...byte) {
	b.simd(op, append(unsigned([]byte{2}, offset), rest...)...)
}

// shuffle appends an instruction that selects four of the eight 32-bit lanes of two vectors.
func (b *body) shuffle(lanes ...byte) {
	var places []byte
	for _, lane := range lanes {
		places = append(places, 4*lane, 4*lane+1, 4*lane+2, 4*lane+3)
	}
	b.simd(i8x16Shuffle, places...)
}

// branch jumps out of, or to the beginning of, an enclosing block if the value is not 0.
func (b *body) branch(depth int) { b.raw(unsigned([]byte{opBranch}, uint32(depth))...) }

// encoded returns the variables and the code.
func (b *body) encoded() []byte {
	content := unsigned(nil, 2)
	content = append(unsigned(content, uint32(b.integers)), typeI32)
	content = append(unsigned(content, uint32(b.vectors)), typeV128)
	for _, s := range b.steps {
		content = append(content, s.code...)
		switch {
		case s.vector:
			content = unsigned(content, uint32(1+b.integers+s.variable))
		case s.variable >= 0:
			content = unsigned(content, uint32(s.variable))
		}
	}
	return append(content, opEnd)
}
