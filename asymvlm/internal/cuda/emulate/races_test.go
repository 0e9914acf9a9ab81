package emulate

import (
	"strings"
	"testing"

	"gosphere/asymvlm/internal/cuda"
)

// Instructions that distinguish threads: %p1 is thread 0, %p2 block 0, %p3 thread 31, and every
// thread has its own word of the first buffer in %rd3.
const alone = `mov.u32 %r2, %tid.x;
	setp.eq.s32 %p1, %r2, 0;
	setp.eq.s32 %p3, %r2, 31;
	mov.u32 %r3, %ctaid.x;
	setp.eq.s32 %p2, %r3, 0;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd3, %rd1, %rd3;
`

// Concurrent accesses of two threads or two blocks to one word have no defined order on a GPU, so
// they are errors even if the emulator's result is correct.
func TestRacesAreTold(t *testing.T) {
	const ofBlocks, ofThreads = "of the same start", "without a barrier between"
	for _, test := range []struct {
		blocks     int
		body, want string
	}{
		{1, "st.shared.u32 [common], 7;", "it writes what thread 0 writes, " + ofThreads},
		{1, "st.global.u32 [%rd1], 7;", "it writes what thread 0 writes, " + ofThreads},
		{1, "st.global.u32 [%rd3], 7;", ""},
		{1, "st.global.u32 [%rd3], 7;\nld.global.u32 %r4, [%rd1];", "thread 1: ld.global.u32 %r4, [%rd1]: it reads what thread 0 writes, " + ofThreads},
		{1, "st.global.u32 [%rd3], 7;\nbar.sync 0;\nld.global.u32 %r4, [%rd1];", ""},
		{1, "@!%p1 bra $E;\nst.shared.u32 [common], 7;\n$E:\nbar.sync 0;\nld.shared.u32 %r4, [common];\nbar.sync 0;\nst.shared.u32 [common+4], 7;", "it writes what thread 0 writes"},
		{1, "@!%p1 bra $E;\nst.shared.u32 [common], 7;\n$E:\nbar.sync 0;\nld.shared.u32 %r4, [common];\n@!%p3 bra $F;\nst.shared.u32 [common], 8;\n$F:",
			"it writes what several threads read, " + ofThreads},
		{1, "@!%p1 bra $E;\nst.shared.u32 [common], 7;\n$E:\nbar.sync 0;\nld.shared.u32 %r4, [common];\nbar.sync 0;\n@!%p3 bra $F;\nst.shared.u32 [common], 8;\n$F:", ""},
		{1, "@!%p1 bra $E;\nld.global.u32 %r4, [%rd1+4];\n$E:\n@%p1 bra $F;\nst.global.u32 [%rd1+4], 8;\n$F:", "it writes what thread 0 reads, " + ofThreads},
		// A warp exchange synchronizes its threads but does not order memory.
		{1, "st.global.u32 [%rd3], 7;\nshfl.sync.bfly.b32 %r5|%p4, %r2, 1, 31, -1;\nld.global.u32 %r4, [%rd1];", ofThreads},
		{2, "ld.global.u32 %r4, [%rd1];", ""},
		{2, "ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd3], 7;", "block 1,0: thread 0: ld.global.u32 %r4, [%rd3]: it reads what another block " + ofBlocks + " writes"},
		{2, "st.global.u32 [%rd3], 7;", "it writes what another block " + ofBlocks + " writes"},
		{2, "@!%p2 bra $E;\nld.global.u32 %r4, [%rd1];\n$E:\n@%p2 bra $F;\nst.global.u32 [%rd3], 8;\n$F:", "it writes what another block " + ofBlocks + " reads"},
		{2, "@!%p1 bra $E;\nst.shared.u32 [common], 7;\n$E:\nbar.sync 0;\nld.shared.u32 %r4, [common];", ""}, // every block has its own
		// Values written by another launch are visible, uninitialized memory is not.
		{1, "ld.shared.u32 %r4, [common];", "it reads memory that was never written"},
		{1, "ld.global.u32 %r4, [%rd2];", "it reads memory that was never written"},
		{2, "@%p2 bra $E;\nld.shared.u32 %r4, [common];\n$E:\n@!%p2 bra $F;\n@!%p1 bra $F;\nst.shared.u32 [common], 7;\n$F:", "it reads memory that was never written"},
	} {
		d := New()
		if err := d.Load(program(alone + test.body)); err != nil {
			t.Fatal(err)
		}
		first, _ := d.Allocate(4 * 32)
		second, _ := d.Allocate(4)
		if err := d.WriteWords(first, make([]uint32, 32)); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second launch is ordered after the first
			err := d.Launch(cuda.Launch{Kernel: "try", Grid: cuda.Size{X: test.blocks, Y: 1}, Block: cuda.Size{X: 32, Y: 1},
				Arguments: []uint64{uint64(first), uint64(second), 0}})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%d blocks of\n%s: error %v, want %q", test.blocks, test.body, err, test.want)
			}
		}
	}
}

// Some GPUs count exited threads, and threads at another barrier, toward a barrier; PTX does not
// guarantee it.
func TestBarriersAreReachedByAllThreadsAtOnePlace(t *testing.T) {
	for _, body := range []string{"@%p1 ret;\nbar.sync 0;", "@%p1 bra $E;\nbar.sync 0;\nret;\n$E:\nbar.sync 0;"} {
		if _, err := run(t, alone+body, 2, []uint32{1, 2}, 0); err == nil || !strings.Contains(err.Error(), "or not by all at one place") {
			t.Errorf("%s: error %v", body, err)
		}
	}
}
