package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

const pattern = `DATA constants<>+0(SB)/4, $0x3f800000
DATA constants<>+32(SB)/4, $0x7fffffff

// func addOne(dst *float32, n int) float32
// Requires: AVX
TEXT ·addOne(SB), NOSPLIT, $0-20
	MOVQ dst+0(FP), AX
BODY
	VZEROUPPER
	RET
`

func TestNumbersAreEncodedInSevensOfBits(t *testing.T) {
	for n, want := range map[uint32][]byte{0: {0}, 127: {0x7f}, 128: {0x80, 1}, 624485: {0xe5, 0x8e, 0x26}, math.MaxUint32: {0xff, 0xff, 0xff, 0xff, 0x0f}} {
		if got := unsigned(nil, n); !bytes.Equal(got, want) {
			t.Errorf("%d is % x, want % x", n, got, want)
		}
	}
	for n, want := range map[int32][]byte{0: {0}, 63: {0x3f}, 64: {0xc0, 0}, -1: {0x7f}, -64: {0x40}, -65: {0xbf, 0x7f}, -123456: {0xc0, 0xbb, 0x78},
		math.MinInt32: {0x80, 0x80, 0x80, 0x80, 0x78}} {
		if got := signed(nil, n); !bytes.Equal(got, want) {
			t.Errorf("%d is % x, want % x", n, got, want)
		}
	}
}

func TestSignaturesAreRead(t *testing.T) {
	f, err := readSignature("// func pair(a *float32, n int, x float32) (loss float32, sum float32)")
	if err != nil || f.name != "pair" || len(f.parameters) != 3 || f.parameters[0] != (parameter{"a", "*float32"}) || len(f.results) != 2 {
		t.Errorf("%+v, error %v", f, err)
	}
	want := map[string]uint32{"a+0(FP)": 0, "n+8(FP)": 8, "x+16(FP)": 16, "loss+24(FP)": 24, "sum+28(FP)": 28}
	got := frameOf(f)
	for place, at := range want {
		if got[place] != at || len(got) != len(want) {
			t.Errorf("the frame is %v, want %v", got, want)
		}
	}
	if _, err := readSignature("func f[T any]()"); err == nil {
		t.Error("a generic function has a signature")
	}
}

// The bytes are those of the specification for a function of few instructions.
func TestAFunctionIsTranslated(t *testing.T) {
	functions, table, err := readAssembly(strings.ReplaceAll(pattern, "BODY", "\tVADDPS constants<>+0(SB), Y0, Y1\n"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := translate(functions[0], table, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{
		2, 1, typeI32, 5, typeV128, // AX; the halves of Y1 and Y0, and the constant
		opConst, 0x80, 0x80, 0x80, 0xfc, 0x03, vectorPrefix, 17, opSet, 6,
		opGet, 0, opLoad, 2, 0, opSet, 1,
		opGet, 4, opGet, 6, vectorPrefix, 0xe4, 1, opSet, 2,
		opGet, 5, opGet, 6, vectorPrefix, 0xe4, 1, opSet, 3,
		opEnd,
	}
	if got := b.encoded(); !bytes.Equal(got, want) {
		t.Errorf("the code is\n% x, want\n% x", got, want)
	}
	module := encode([]string{"addOne"}, []*body{b})
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) || !bytes.Contains(module, []byte("\x06addOne\x00\x00")) {
		t.Errorf("the module is % x", module)
	}
}

func TestWhatIsNotKnownIsRefused(t *testing.T) {
	for lines, want := range map[string]string{
		"\tVPADDQ Y0, Y0, Y0":                          "VPADDQ Y0, Y0, Y0: is not known",
		"\tXORQ AX, AX":                                "is not known",
		"\tVMOVUPS constants<>+4(SB), Y0":              "there is no such constant",
		"\tVMOVUPS constants<>+64(SB), Y0":             "there is no such constant",
		"\tVMOVUPS other+0(FP), Y0":                    "other+0(FP) is no place in memory",
		"\tVCMPPS $0x1f, Y0, Y0, Y1":                   "compares another way",
		"\tVROUNDPS $0x01, Y0, Y1":                     "rounds another way",
		"\tTESTQ AX, CX":                               "tests two registers",
		"\tJZ done":                                    "is a jump to nowhere or without a condition",
		"\tTESTQ AX, AX\n\tJNZ nowhere":                "is a jump to nowhere or without a condition",
		"\tRET\n\tVZEROUPPER":                          "returns early",
		"loop:\n\tDECQ AX":                             "a block has no end",
		"one:\ntwo:\n\tDECQ AX\n\tJNZ one\n\tJNZ two":  "blocks overlap",
		"one:\n\tDECQ AX\n\tJNZ one\ndone:\n\tJNZ one": "is a jump to nowhere or without a condition",
	} {
		functions, table, err := readAssembly(strings.ReplaceAll(pattern, "BODY", lines))
		if err != nil {
			t.Fatal(err)
		}
		_, err = translate(functions[0], table, false)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "addOne: ") {
			t.Errorf("%q: error %v, want %s", lines, err, want)
		}
	}
	if _, _, err := generate("nothing", false); err == nil {
		t.Error("a text without functions is an assembly")
	}
}

func TestCallsPassArgumentsAndDropPointers(t *testing.T) {
	_, calls, err := generate(strings.ReplaceAll(pattern, "BODY\n", "")+"\n// func productAVX2(n int)\nTEXT ·productAVX2(SB)\n\tRET\n", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"func addOne(dst *float32, n int) float32 {", "f.dst, f.n = dst, n\n\tcallModule(1)\n\tf.dst = nil\n\treturn f.ret",
		"{\"addOne\", unsafe.Pointer(&frames.addOne)}", "func productAVX2(n int) {\n\tpanic(noAssembly)\n}", "func productSIMD(depth int",
	} {
		if !strings.Contains(calls, want) {
			t.Errorf("without %q:\n%s", want, calls)
		}
	}
}
