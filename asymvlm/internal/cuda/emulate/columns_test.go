package emulate

import (
	"math"
	"testing"

	"gosphere/asymvlm/internal/cuda"
)

// The loops of frequent operations have the results of the functions of one thread.
func TestColumnsMeanWhatOneThreadDoes(t *testing.T) {
	var values []uint64
	for _, value := range []float64{0, math.Copysign(0, -1), 1, -1, 1.5, 0x1p-130, 0x1p-149, 3e38, -3e38, 1e300, 5e-324, 0x1p31, -0x1p31, 1 + 0x1p-23,
		math.Pi, math.Inf(1), math.Inf(-1), math.NaN()} {
		values = append(values, math.Float64bits(value), uint64(math.Float32bits(float32(value))))
	}
	values = append(values, 2, 7, 31, 32, 63, 64, 1<<31, 1<<32-1, 1<<32, 1<<63+5, math.MaxUint64)
	var a, b, c []uint64
	for i := range values {
		for j := range values {
			for k := range values {
				a, b, c = append(a, values[i]), append(b, values[j]), append(c, values[k])
			}
		}
	}
	compare := func(name string, got []uint64, want func(i int) uint64) {
		for i := range got {
			if got[i] != want(i) {
				t.Fatalf("%s of %#x, %#x and %#x: %#x, want %#x", name, a[i], b[i], c[i], got[i], want(i))
			}
		}
	}
	got := make([]uint64, len(a))
	for name, f := range frequentOne {
		f(got, a)
		compare(name, got, func(i int) uint64 { return ofOne[name](a[i]) })
	}
	for name, f := range frequentTwo {
		f(got, a, b)
		compare(name, got, func(i int) uint64 { return ofTwo[name](a[i], b[i]) })
	}
	for name, f := range frequentThree {
		f(got, a, b, c)
		compare(name, got, func(i int) uint64 { return ofThree[name](a[i], b[i], c[i]) })
	}
}

// Threads that a branch divides meet again, each with its own registers, even if its turns differ.
func TestThreadsThatDivideMeetAgain(t *testing.T) {
	const body = `mov.u32 %r2, %tid.x;
	mov.u32 %r4, 0;
	and.b32 %r5, %r2, 5;
$TURN:
	setp.ge.s32 %p1, %r4, %r5;
	@%p1 bra $END;
	add.s32 %r4, %r4, 1;
	and.b32 %r6, %r4, 1;
	setp.eq.s32 %p2, %r6, 0;
	@%p2 bra $EVEN;
	add.s32 %r7, %r7, 100;
	bra.uni $TURN;
$EVEN:
	add.s32 %r7, %r7, 1;
	bra.uni $TURN;
$END:
	shfl.sync.bfly.b32 %r8|%p3, %r7, 1, 31, -1;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd3, %rd1, %rd3;
	@!%p1 st.global.u32 [%rd3], %r7;
	@%p1 st.global.u32 [%rd3], %r8;`
	got, err := run(t, body, 64, make([]uint32, 64), 0)
	for i, value := range got {
		turns := uint32(i^1) & 5
		if want := (turns+1)/2*100 + turns/2; err != nil || value != want {
			t.Fatalf("thread %d: %d, want %d (error %v)", i, value, want, err)
		}
	}
}

// A register that a thread reads before it writes it is 0 in every block, whatever a thread of a
// former block has left in its column.
func TestUnwrittenRegistersAreZeroInEveryBlock(t *testing.T) {
	d := New()
	if err := d.Load(program(`mov.u32 %r2, %ctaid.x;
	setp.eq.s32 %p1, %r2, 0;
	@%p1 mov.u32 %r3, 77;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd3, %rd1, %rd3;
	st.global.u32 [%rd3], %r3;`)); err != nil {
		t.Fatal(err)
	}
	a, _ := d.Allocate(8)
	l := cuda.Launch{Kernel: "try", Grid: cuda.Size{X: 2, Y: 1}, Block: cuda.Size{X: 1, Y: 1}, Arguments: []uint64{uint64(a), 0, 0}}
	words := make([]uint32, 2)
	for range 2 {
		if err := d.Launch(l); err != nil {
			t.Fatal(err)
		}
		if err := d.ReadWords(words, a); err != nil || words[0] != 77 || words[1] != 0 {
			t.Errorf("%v (error %v), want [77 0]", words, err)
		}
	}
}

func TestConstantsCannotBeWritten(t *testing.T) {
	for _, body := range []string{"mov.u32 5, %r1;", "mov.u32 %tid.x, %r1;", "mov.u32 common, %r1;", "ld.global.u32 try_param_2, [%rd1];", "mov.b64 {%r2, 3}, %rd1;"} {
		if _, err := run(t, body, 1, []uint32{1}, 0); err == nil {
			t.Errorf("%s is no error", body)
		}
	}
}
