package emulate

import (
	"errors"
	"strings"
	"testing"

	"gosphere/asymvlm/internal/cuda"
)

func TestWhatCannotBeReadIsToldWithItsLine(t *testing.T) {
	for body, want := range map[string]string{
		"add.s32 %r1, %r2":                                   `line 16 of the module: "add.s32 %r1, %r2" is not understood`,
		"add.s32 %r1, %r2;":                                  "instruction add.s32 with 2 operands is not known",
		"add.s32 %r1, %r2, %r3, %r4;":                        "instruction add.s32 with 4 operands is not known",
		"add.s32 a, b, c, d, e;":                             "add.s32 has 5 operands",
		"add.s32 %r1, %r2, house;":                           `operand "house" is not understood`,
		"add.f32 %r1, %r2, 0fXYZ;":                           "invalid syntax",
		"add.s32;":                                           `operand "" is not understood`,
		"setp.lt. %p1, %r1, %r2;":                            "instruction setp.lt. with 3 operands is not known",
		"setp.above.s32 %p1, %r1, %r2;":                      "instruction setp.above.s32 with 3 operands is not known",
		"setp.ltu.s32 %p1, %r1, %r2;":                        "instruction setp.ltu.s32 with 3 operands is not known", // numbers of integers are ordered
		"setp.lt.b32 %p1, %r1, %r2;":                         "instruction setp.lt.b32 with 3 operands is not known",  // bits have no order
		"ld.global.u32 %r1;":                                 "ld.global.u32 has 1 operands",
		"ld.global.u16 %r1, [%rd1];":                         "ld.global.u16 is not known",
		"ld.local.u32 %r1, [%rd1];":                          "memory of this kind is not known",
		"ld. %r1, [%rd1];":                                   "ld. is not known",
		"ld.global.u32 %r1, [%rd1+x];":                       "place [%rd1+x]",
		"st.global.u32 [%rd1], ;":                            `operand "" is not understood`,
		"mov.b64 ;":                                          `operand "" is not understood`,
		"mov.b64 %rd3, {%r1};":                               `operand "" is not understood`,
		"mov.b64 %rd3, {%r1, a b};":                          `operand "a b" is not understood`,
		"shfl.sync.bfly.b32 %r1, %r2;":                       "shfl.sync.bfly.b32 has 2 operands",
		"atom.add.u32 %r1, [%rd1], 1;":                       `operand "[%rd1]" is not understood`,
		"ld.shared.v4.f32 {%r1, %r2, %r3}, [common];":        "ld.shared.v4.f32 {%r1, %r2, %r3}, [common] is not known",
		"ld.global.v4.f32 {%r1, %r2, %r3, %r4}, [%rd1];":     "is not known",
		"ld.shared.v4.f32 {%r1, %r2, %r3, 0x}, [common];":    `operand "0x" is not understood`,
		"ld.shared.v4.f32 {%r1, %r2, %r3, %r4}, [common+x];": "is not known",
		"st.shared.v4.f32 [common], {%r1, %r2, %r3, %r4};":   "is not known",
		"bra ;": "goes nowhere",
	} {
		if _, err := run(t, body, 2, []uint32{1}, 8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", body, err, want)
		}
	}
	for text, want := range map[string]string{
		"add.s32 %r1, %r2, %r3;":                   `line 1 of the module: "add.s32 %r1, %r2, %r3;" outside of a kernel`,
		".version 7.8\n.visible .func f(":          `line 2 of the module: ".visible .func f(" outside of a kernel`,
		".target sm_75\n\n.global .u32 counter;\n": "line 3 of the module",
	} {
		if err := New().Load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestStartsThatNoCardCanDoAreErrors(t *testing.T) {
	one := cuda.Size{X: 1, Y: 1}
	for want, l := range map[string]cuda.Launch{
		`there is no kernel "other"`:               {Kernel: "other", Grid: one, Block: one, Arguments: make([]uint64, 3)},
		"kernel try: 2 arguments, want 3":          {Kernel: "try", Grid: one, Block: one, Arguments: make([]uint64, 2)},
		"can run 0×1 blocks of 1×1 threads":        {Kernel: "try", Grid: cuda.Size{X: 0, Y: 1}, Block: one, Arguments: make([]uint64, 3)},
		"can run 1×0 blocks of 1×1 threads":        {Kernel: "try", Grid: cuda.Size{X: 1, Y: 0}, Block: one, Arguments: make([]uint64, 3)},
		"can run 1×65536 blocks of 1×1 threads":    {Kernel: "try", Grid: cuda.Size{X: 1, Y: 65536}, Block: one, Arguments: make([]uint64, 3)},
		"can run 1×1 blocks of 0×1 threads":        {Kernel: "try", Grid: one, Block: cuda.Size{X: 0, Y: 1}, Arguments: make([]uint64, 3)},
		"can run 1×1 blocks of 1×257 threads":      {Kernel: "try", Grid: one, Block: cuda.Size{X: 1, Y: 257}, Arguments: make([]uint64, 3)},
		"can run 1×1 blocks of 1025×1 threads":     {Kernel: "try", Grid: one, Block: cuda.Size{X: 1025, Y: 1}, Arguments: make([]uint64, 3)},
		"can run 1×1 blocks of 33×32 threads with": {Kernel: "try", Grid: one, Block: cuda.Size{X: 33, Y: 32}, Arguments: make([]uint64, 3)},
	} {
		d := New()
		if err := d.Load(program("")); err != nil {
			t.Fatal(err)
		}
		if err := d.Launch(l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	for threads, wrong := range map[int]bool{32: false, 33: true} { // of a kernel for 32
		d := New()
		err := d.Load(strings.Replace(program(""), ")\n{", ")\n.maxntid 32, 1, 1\n.minnctapersm 8\n{", 1))
		if err == nil {
			err = d.Launch(cuda.Launch{Kernel: "try", Grid: one, Block: cuda.Size{X: threads, Y: 1}, Arguments: make([]uint64, 3)})
		}
		if (err != nil) != wrong {
			t.Errorf("%d threads of a kernel for 32: error %v", threads, err)
		}
	}
	for _, bytes := range []string{"49153", "99999999999999999999999"} {
		d := New()
		err := d.Load(strings.Replace(program(""), "common[8]", "common["+bytes+"]", 1))
		if err == nil {
			err = d.Launch(cuda.Launch{Kernel: "try", Grid: one, Block: one, Arguments: make([]uint64, 3)})
		}
		if err == nil || !strings.Contains(err.Error(), "no card can run") {
			t.Errorf("%s shared bytes: error %v", bytes, err)
		}
	}
}

func TestWrongPlacesOfMemoryAreTold(t *testing.T) {
	for body, want := range map[string]string{
		"mov.u64 %rd3, 0;\nld.global.u32 %r2, [%rd3];":                "no buffer has 4 bytes at place 0 (buffer 0)",
		"ld.global.f64 %fd1, [%rd1];":                                 "no buffer has 8 bytes at place 0 (buffer 1)",
		"ld.global.u32 %r2, [%rd1+-4];":                               "no buffer has 4 bytes",
		"st.global.f64 [%rd1+4], 5;":                                  "is not a multiple of 8",
		"mov.u32 %r2, 12;\nst.shared.u32 [%r2], 1;":                   "shared memory of 12 bytes has no 4 at place 12",
		"st.shared.f64 [common], 5;\nld.shared.f64 %fd1, [common+4];": "is not a multiple of 8",
		"mov.u64 %rd3, -4;\nld.shared.u32 %r2, [%rd3];":               "shared memory of 12 bytes has no 4 at place",
	} {
		if _, err := run(t, body, 1, []uint32{1}, 8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", body, err, want)
		}
	}
}

func TestMemoryThatWasGivenBackCannotBeUsed(t *testing.T) {
	d := New()
	if err := d.Load(program("st.global.u32 [%rd1], 5;")); err != nil {
		t.Fatal(err)
	}
	a, _ := d.Allocate(64)
	launch := func() error {
		return d.Launch(cuda.Launch{Kernel: "try", Grid: cuda.Size{X: 1, Y: 1}, Block: cuda.Size{X: 1, Y: 1}, Arguments: []uint64{uint64(a), 0, 0}})
	}
	if err := launch(); err != nil {
		t.Fatal(err)
	}
	if err := d.Free(a); err != nil {
		t.Fatal(err)
	}
	b, _ := d.Allocate(64) // misaligned
	for what, err := range map[string]error{
		"a kernel": launch(), "a write": d.Write(a, make([]float32, 1)), "a read": d.Read(make([]float32, 1), a),
		"a product": d.Multiply(cuda.Product{Dst: b, A: a, B: b, Rows: 1, Inner: 1, Columns: 1}), "a second return": d.Free(a),
		"a return of nothing": d.Free(0), "a read beyond the end": d.Read(make([]float32, 17), b),
	} {
		if err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}

// Uninitialized memory holds NaN or an index out of range, so that a read of it fails.
func TestFreshMemoryHoldsNothingUseful(t *testing.T) {
	d := New()
	a, _ := d.Allocate(8)
	values, words := make([]float32, 2), make([]uint32, 2)
	if err := errors.Join(d.Read(values, a), d.ReadWords(words, a)); err != nil {
		t.Fatal(err)
	}
	if values[0] == values[0] || int32(words[1]) != -1 {
		t.Errorf("%v and %v", values, words)
	}
}

func TestAnErrorInARecordingEndsItsReplay(t *testing.T) {
	d := New()
	if err := d.Load(program("st.global.u32 [%rd1], 5;")); err != nil {
		t.Fatal(err)
	}
	a, _ := d.Allocate(4)
	launch := func(to cuda.Address) cuda.Part {
		return cuda.Part{Launch: &cuda.Launch{Kernel: "try", Grid: cuda.Size{X: 1, Y: 1}, Block: cuda.Size{X: 1, Y: 1}, Arguments: []uint64{uint64(to), 0, 0}}}
	}
	recorded, err := d.Record([]cuda.Part{launch(a), launch(a + 4), launch(a)})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Replay(recorded); err == nil || d.Launches["try"] != 2 {
		t.Errorf("error %v after %d starts, want one after the second", err, d.Launches["try"])
	}
	if err := launch(a).Put(d); err != nil {
		t.Errorf("the card does nothing any more: %v", err)
	}
}

// No module makes the interpreter panic: it is parsed or rejected, and a parsed module runs or
// fails.
func FuzzModulesAreReadOrRefused(f *testing.F) {
	for line := range strings.Lines(cuda.Kernels) {
		if len(line) < 60 && strings.HasSuffix(line, ";\n") && len(line)%7 == 3 {
			f.Add(strings.TrimSpace(line))
		}
	}
	for _, body := range []string{"", "ret;", "@%p1 ret;", "@!%p1 bra $L;\n$L:", "mov.b64 {%r1, %r2}, %rd1;", "shfl.sync.bfly.b32 %r3|%p1, %r2, -1, 31, -1;",
		"ld.shared.u32 %r1, [common+4];", "bar.sync 0;", ".shared .align 4 .b8 more[16];"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		d := New()
		if d.Load(program(body)) != nil || strings.Contains(body, "bra") {
			return // endless loops are ended, but not immediately
		}
		a, _ := d.Allocate(256)
		_ = d.Launch(cuda.Launch{Kernel: "try", Grid: cuda.Size{X: 2, Y: 1}, Block: cuda.Size{X: 32, Y: 1}, Arguments: []uint64{uint64(a), uint64(a) + 128, 3}})
	})
}
