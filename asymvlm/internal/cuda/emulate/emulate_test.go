package emulate

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

// program wraps instructions in a kernel whose arguments are two addresses and a number, in %rd1,
// %rd2 and %r1.
func program(body string) string {
	return `
.version 7.8
.target sm_75
.address_size 64
.visible .entry try(
	.param .u64 try_param_0,
	.param .u64 try_param_1,
	.param .u32 try_param_2
)
{
	.reg .b32 	%r<9>;
	.shared .align 4 .b8 common[8];
	ld.param.u64 	%rd1, [try_param_0];
	ld.param.u64 	%rd2, [try_param_1];
	ld.param.u32 	%r1, [try_param_2];
` + body + "\n\tret;\n\n}\n"
}

// run runs instructions in one block and returns the words of the first buffer.
func run(t *testing.T, body string, threads int, words []uint32, number uint64) ([]uint32, error) {
	t.Helper()
	d := New()
	if err := d.Load(program(body)); err != nil {
		return nil, err
	}
	first, _ := d.Allocate(4 * len(words))
	second, _ := d.Allocate(4)
	if err := d.WriteWords(first, words); err != nil {
		t.Fatal(err)
	}
	err := d.Launch(cuda.Launch{Kernel: "try", Grid: cuda.Size{X: 1, Y: 1}, Block: cuda.Size{X: threads, Y: 1},
		Arguments: []uint64{uint64(first), uint64(second), number}})
	got := make([]uint32, len(words))
	return got, errors.Join(err, d.ReadWords(got, first))
}

func TestInstructionsMeanWhatPTXSays(t *testing.T) {
	f := func(value float32) uint32 { return math.Float32bits(value) }
	nan := f(float32(math.NaN()))
	for _, test := range []struct {
		body string
		in   [2]uint32
		want uint32
	}{
		{"add.s32 %r4, %r2, %r3;", [2]uint32{1 << 31, 1<<31 + 5}, 5},
		{"sub.s32 %r4, %r2, %r3;", [2]uint32{3, 5}, 1<<32 - 2},
		{"mul.lo.s32 %r4, %r2, %r3;", [2]uint32{1 << 20, 1 << 13}, 0},
		{"mul.wide.s32 %rd3, %r2, %r3;\n shr.u64 %rd3, %rd3, 32;\n cvt.u32.u64 %r4, %rd3;", [2]uint32{1<<32 - 1, 2}, 1<<32 - 1},
		{"mul.wide.u32 %rd3, %r2, %r3;\n shr.u64 %rd3, %rd3, 32;\n cvt.u32.u64 %r4, %rd3;", [2]uint32{1<<32 - 1, 2}, 1},
		{"mul.hi.u32 %r4, %r2, %r3;", [2]uint32{1<<32 - 1, 1<<32 - 1}, 1<<32 - 2},
		{"div.s32 %r4, %r2, %r3;", [2]uint32{1<<32 - 7, 2}, 1<<32 - 3},
		{"div.u32 %r4, %r2, %r3;", [2]uint32{1<<32 - 7, 2}, 1<<31 - 4},
		{"div.u32 %r4, %r2, %r3;", [2]uint32{5, 0}, 1<<32 - 1},
		{"rem.u32 %r4, %r2, %r3;", [2]uint32{1<<32 - 7, 10}, 9},
		{"neg.s32 %r4, %r2;", [2]uint32{7}, 1<<32 - 7},
		{"cvt.rn.f32.u32 %r4, %r2;", [2]uint32{1<<32 - 1}, f(0x1p32)},
		{"cvt.rzi.s32.f32 %r4, %r2;", [2]uint32{f(-2.9)}, 1<<32 - 2},
		{"cvt.rzi.s32.f32 %r4, %r2;", [2]uint32{f(3e9)}, 1<<31 - 1},
		{"cvt.rzi.s32.f32 %r4, %r2;", [2]uint32{nan}, 0},
		{"mul.rn.f32 %r4, %r2, %r3;", [2]uint32{f(1 + 0x1p-12), f(1 - 0x1p-12)}, f(1 - 0x1p-24)},
		{"add.rn.f32 %r4, %r2, %r3;", [2]uint32{f(1), f(0x1p-24)}, f(1)},
		{"setp.eq.b32 %p1, %r2, %r3;\n selp.b32 %r4, 1, 0, %p1;", [2]uint32{1 << 31, 1 << 31}, 1},
		{"setp.ne.b32 %p1, %r2, %r3;\n selp.b32 %r4, 1, 0, %p1;", [2]uint32{1 << 31, 1 << 31}, 0},
		{"cvt.f64.f32 %rd3, %r2;\n cvt.rzi.s32.f64 %r4, %rd3;", [2]uint32{f(-2.9)}, 1<<32 - 2},
		{"cvt.f64.f32 %rd3, %r2;\n cvt.rzi.s32.f64 %r4, %rd3;", [2]uint32{f(-1e30)}, 1 << 31},
		{"cvt.f64.f32 %rd3, %r2;\n abs.f64 %rd3, %rd3;\n cvt.rn.f32.f64 %r4, %rd3;", [2]uint32{f(-2.5)}, f(2.5)},
		{"cvt.f64.f32 %rd3, %r2;\n cvt.f64.f32 %rd4, %r3;\n add.rn.f64 %rd3, %rd3, %rd4;\n cvt.rn.f32.f64 %r4, %rd3;", [2]uint32{f(1), f(0x1p-24)}, f(1)},
		{"setp.eq.s32 %p1, %r2, %r2;\n setp.eq.s32 %p2, %r2, %r3;\n xor.pred %p3, %p1, %p2;\n selp.b32 %r4, 1, 0, %p3;", [2]uint32{1, 2}, 1},
		{"mov.pred %p1, 0;\n selp.b32 %r4, 1, 7, %p1;", [2]uint32{}, 7},
		{"shr.s32 %r4, %r2, %r3;", [2]uint32{1 << 31, 31}, 1<<32 - 1},
		{"shr.u32 %r4, %r2, %r3;", [2]uint32{1 << 31, 31}, 1},
		{"shl.b32 %r4, %r2, %r3;", [2]uint32{1, 32}, 0},
		{".shared .align 16 .b8 four[16];\nst.shared.u32 [four], %r2;\nst.shared.u32 [four+4], %r3;\nst.shared.f64 [four+8], 0;\nld.shared.v4.f32 {%r5, %r4, %r6, %r7}, [four];", [2]uint32{1, 2}, 2},
		{"min.s32 %r4, %r2, %r3;", [2]uint32{1<<32 - 1, 7}, 1<<32 - 1},
		{"max.f32 %r4, %r2, %r3;", [2]uint32{nan, f(-2)}, f(-2)},
		{"add.rz.f32 %r4, %r2, %r3;", [2]uint32{f(1), f(-0x1p-40)}, f(1 - 0x1p-24)},
		{"add.rz.f32 %r4, %r2, %r3;", [2]uint32{f(-1), f(-0x1p-24)}, f(-1)},
		{"fma.rm.f32 %r4, %r2, %r3, 0fBF800000;", [2]uint32{f(0x1p-20), f(-0x1p-20)}, f(-1 - 0x1p-23)},
		{"fma.rn.f32 %r4, %r2, %r3, 0fBF800000;", [2]uint32{f(1 + 0x1p-12), f(1 - 0x1p-12)}, f(-0x1p-24)},
		{"cvt.sat.f32.f32 %r4, %r2;", [2]uint32{nan}, 0},
		{"cvt.rn.f32.s32 %r4, %r2;", [2]uint32{1<<32 - 3}, f(-3)},
		{"ex2.approx.f32 %r4, %r2;", [2]uint32{f(-127)}, f(0x1p-127)},
		{"cvt.rni.f32.f32 %r4, %r2;", [2]uint32{f(2.5)}, f(2)},
		{"cvt.rni.f32.f32 %r4, %r2;", [2]uint32{f(-3.5)}, f(-4)},
		{"ex2.approx.ftz.f32 %r4, %r2;", [2]uint32{f(-127)}, 0},
		{"setp.lt.f32 %p1, %r2, %r3;\n selp.b32 %r4, 1, 0, %p1;", [2]uint32{nan, f(1)}, 0},
		{"setp.geu.f32 %p1, %r2, %r3;\n selp.b32 %r4, 1, 0, %p1;", [2]uint32{nan, f(1)}, 1},
		{"setp.ne.s32 %p1, %r2, %r3;\n @!%p1 bra $L;\n mov.u32 %r4, 5;\n$L:", [2]uint32{2, 2}, 9},
		{"mov.b64 %rd3, {%r2, %r3};\n{\n mov.b64 {%temp, %r4}, %rd3;\n}", [2]uint32{2, 3}, 3},
	} {
		body := "ld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd1+4];\nmov.u32 %r4, 9;\n" + test.body + "\nst.global.u32 [%rd1], %r4;"
		got, err := run(t, body, 1, []uint32{test.in[0], test.in[1]}, 0)
		if err != nil || got[0] != test.want {
			t.Errorf("%s of %#x: %#x, want %#x (error %v)", test.body, test.in, got, test.want, err)
		}
	}
}

// Thread 1 writes and thread 0 reads after a barrier.
func TestThreadsSeeEachOtherBehindABarrier(t *testing.T) {
	const body = `mov.u32 %r2, %tid.x;
	setp.eq.s32 %p1, %r2, 0;
	mov.u32 %r3, common;
	@%%p1 bra $WAIT;
	st.shared.u32 [%%r3], 7;
$WAIT:
	%s
	@!%%p1 bra $END;
	ld.shared.u32 %%r4, [%%r3];
	st.global.u32 [%%rd1], %%r4;
$END:`
	text := strings.ReplaceAll(strings.ReplaceAll(body, "%%", "%"), "%s", "bar.sync 0;")
	if got, err := run(t, text, 2, []uint32{1}, 0); err != nil || got[0] != 7 {
		t.Errorf("with a barrier %d, error %v, want 7", got, err)
	}
}

func TestWarpsExchange(t *testing.T) {
	got, err := run(t, `mov.u32 %r2, %tid.x;
	shfl.sync.bfly.b32 %r3|%p1, %r2, 5, 31, -1;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd3, %rd1, %rd3;
	st.global.u32 [%rd3], %r3;`, 64, make([]uint32, 64), 0)
	for i, value := range got {
		if err != nil || int(value) != i^5 {
			t.Fatalf("thread %d got %d, want %d (error %v)", i, value, i^5, err)
		}
	}
}

func TestWhatAProgramMustNotDoIsTold(t *testing.T) {
	for body, want := range map[string]string{
		"ld.global.u32 %r2, [%rd1+4];": "kernel try, block 0,0: thread 0: ld.global.u32 %r2, [%rd1+4]: no buffer has 4 bytes at place 4 (buffer 1)",
		"st.global.u32 [%rd1+2], 5;":   "is not a multiple of 4",
		"ld.shared.u32 %r2, [%r1+4];":  "shared memory of 12 bytes has no 4 at place 12",
		"$L:\nbra $L;":                 "runs for ever",
		"mov.u32 %r2, %tid.x;\nsetp.eq.s32 %p1, %r2, 0;\n@%p1 bra $E;\nshfl.sync.bfly.b32 %r3|%p2, %r2, 1, 31, -1;\n$E:": "an exchange of a whole warp is reached by 1",
		"bra $NOWHERE;":                               `"bra $NOWHERE" goes nowhere`,
		"sin.approx.f32 %f1, %f2;":                    "line 16 of the module: instruction sin.approx.f32 with 2 operands is not known",
		"shfl.sync.bfly.b32 %r3|%p2, %r2, 1, 15, -1;": "an exchange of a whole warp",
	} {
		if _, err := run(t, body, 2, []uint32{1}, 8); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", body, err, want)
		}
	}
}

func TestMemoryIsCountedAndLimited(t *testing.T) {
	d := New()
	d.Limit = 100
	a, err := d.Allocate(60)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Allocate(60); !errors.Is(err, device.ErrMemory) || !strings.HasSuffix(err.Error(), ": 60 bytes wanted in one piece, 40 bytes free") {
		t.Errorf("error %v, want that of the limit", err)
	}
	if err := d.Free(a); err != nil || d.Used() != 0 {
		t.Errorf("error %v, %d bytes used", err, d.Used())
	}
	if err := fmt.Sprint(d.Free(a), d.ReadWords(make([]uint32, 1), a)); strings.Contains(err, "<nil>") {
		t.Errorf("a buffer that was given back can be used: %s", err)
	}
}

// A recording runs when it is replayed, not before.
func TestRecordingsAreDoneWhenTheyArePlayed(t *testing.T) {
	d := New()
	if err := d.Load(program("ld.global.u32 %r2, [%rd1];\nadd.s32 %r2, %r2, %r1;\nst.global.u32 [%rd1], %r2;")); err != nil {
		t.Fatal(err)
	}
	a, _ := d.Allocate(4)
	word := []uint32{1}
	if err := d.WriteWords(a, word); err != nil {
		t.Fatal(err)
	}
	recorded, err := d.Record([]cuda.Part{{Launch: &cuda.Launch{Kernel: "try", Grid: cuda.Size{X: 1, Y: 1}, Block: cuda.Size{X: 1, Y: 1},
		Arguments: []uint64{uint64(a), 0, 5}}}})
	for want := uint32(1); want <= 11 && err == nil; want += 5 {
		if err = d.ReadWords(word, a); word[0] != want {
			t.Fatalf("%d, want %d", word[0], want)
		}
		err = errors.Join(err, d.Replay(recorded))
	}
	if err != nil || d.Launches["try"] != 3 {
		t.Errorf("error %v, launches %v", err, d.Launches)
	}
}
