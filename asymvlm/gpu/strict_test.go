//go:build gpu && linux

package gpu

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"gorgonia.org/cu"

	"gosphere/asymvlm/internal/cuda"
)

// opened returns a GPU with its kernels, and some buffers of 64×64 numbers. At the end of the test
// it must have made no illegal call.
func opened(t *testing.T, buffers int) (*card, []cuda.Address) {
	t.Helper()
	played.begin(0, 0, gigabyte)
	c, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := c.Load(cuda.Kernels); err != nil {
		t.Fatal(err)
	}
	addresses := make([]cuda.Address, buffers)
	for i := range addresses {
		if addresses[i], err = c.Allocate(4 * 64 * 64); err == nil {
			err = c.Write(addresses[i], slices.Repeat([]float32{float32(i + 1)}, 64*64))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c, addresses
}

// square returns a product of matrices of 64×64.
func square(dst, a, b cuda.Address) cuda.Product {
	return cuda.Product{Dst: dst, A: a, B: b, Rows: 64, Inner: 64, Columns: 64}
}

func TestWithoutCUBLASProductsAreOurOwn(t *testing.T) {
	_, work := problem(t)
	with, without := make([]float32, len(work.Parameters)), make([]float32, len(work.Parameters))
	for library, learned := range map[string][]float32{"": with, none: without} {
		t.Setenv(LibraryVariable, library)
		played.begin(0, 0, gigabyte)
		copy(learned, work.Parameters)
		_, memory := vectors(work)
		if err := whole(work, learned, memory); err != nil {
			t.Fatal(err)
		}
		if asked := slices.ContainsFunc(calls(), func(name string) bool { return strings.HasPrefix(name, "cublas") }); asked != (library == "") {
			t.Errorf("%q: cuBLAS is asked: %t", library, asked)
		}
		legal(t, "a training with the library "+library)
	}
	for i, want := range with {
		if difference := without[i] - want; difference > 1e-6 || difference < -1e-6 || slices.Equal(with, work.Parameters) {
			t.Fatalf("parameter %d is %g without cuBLAS, %g with it", i, without[i], want)
		}
	}
}

func TestWhyCUBLASIsNotUsedIsTold(t *testing.T) {
	const name = "played card, compute capability 9.0, 1 GiB, fp32 by a kernel of our own: "
	for _, test := range []struct{ variable, value, name, err string }{
		{LibraryVariable, none, name + "GOSPHERE_CUBLAS=none", ""},
		{"PLAYED_BLAS", "1", name + "libcublas.so.12 does not start: status 1, not initialized", ""},
		{"PLAYED_BLAS", "99", name + "libcublas.so.12 does not start: status 99, unknown", ""},
		{"PLAYED_BLAS", "3", "", "the GPU has too little free memory"},
		{"PLAYED_WRONG", "1", name + "libcublas.so.12 does not multiply: its results are wrong", ""},
	} {
		t.Setenv(test.variable, test.value)
		played.begin(0, 0, gigabyte)
		c, err := open()
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s=%s: error %v, want %s", test.variable, test.value, err, test.err)
			}
		} else if err != nil || !strings.HasPrefix(c.Name(), test.name) {
			t.Errorf("%s=%s: error %v, or the name is not %s", test.variable, test.value, err, test.name)
		}
		if err == nil {
			if left := played.bytes(); left != 0 {
				t.Errorf("%s=%s: %d bytes are left of the library", test.variable, test.value, left)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		legal(t, test.variable+"="+test.value)
		os.Unsetenv(test.variable)
	}
	t.Setenv(PrecisionVariable, "tf32")
	t.Setenv(LibraryVariable, none)
	if _, err := open(); err == nil || err.Error() != "GOSPHERE_CUDA_PRECISION=tf32 wants cuBLAS, and GOSPHERE_CUBLAS=none; install it, or name the file in GOSPHERE_CUBLAS" {
		t.Errorf("TF32 without cuBLAS: error %v", err)
	}
}

func TestTheVersionOfCUBLASIsReadAsItCountsItself(t *testing.T) {
	for number, want := range map[int32]string{11605: "11.6.5", 12103: "11.11.3", 120405: "12.4.5", 130101: "13.1.1"} {
		if got := versionOf(number); got != want {
			t.Errorf("%d is %s, want %s", number, got, want)
		}
	}
}

// NVIDIA's packages install cuBLAS where the loader does not search: toolkits, and Python wheels.
func TestCUBLASIsLookedForWherePackagesLeaveIt(t *testing.T) {
	root := t.TempDir()
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"} {
		t.Setenv(variable, "")
	}
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("PATH", filepath.Join(root, "system", "bin"))
	t.Setenv("VIRTUAL_ENV", filepath.Join(root, "venv"))
	t.Setenv("CUDA_PATH", filepath.Join(root, "toolkit"))
	newest := []string{ // in the order in which they are tried
		"system/lib/python3.12/site-packages/nvidia/cu13/lib/libcublas.so.13",
		"toolkit/lib64/libcublas.so.12",
		"toolkit/targets/x86_64-linux/lib/libcublas.so.12",
		"venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublas.so.12",
		"wheels/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12", // behind links
		"home/.local/lib/python3.9/site-packages/nvidia/cublas/lib/libcublas.so.11",
	}
	for _, file := range append([]string{"python/bin/python3.12", "venv/lib/python3.11/site-packages/nvidia/cublas/lib/libcublasLt.so.12"}, newest...) {
		path := filepath.Join(root, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range [][2]string{{"../../wheels/bin/python3", "system/bin/python3"}, {filepath.Join(root, "python/bin/python3.12"), "wheels/bin/python3"}} {
		path := filepath.Join(root, link[1])
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(link[0], path)); err != nil {
			t.Fatal(err)
		}
	}
	found := candidates("")
	if !slices.Equal(found[:len(libraries)], libraries) {
		t.Errorf("the loader is not asked first: %v", found)
	}
	var files []string
	for _, path := range found[len(libraries):] {
		if file, inside := strings.CutPrefix(path, root+"/"); inside {
			files = append(files, file)
		}
	}
	if !slices.Equal(files, newest) {
		t.Errorf("found are\n%s\nwant\n%s", strings.Join(files, "\n"), strings.Join(newest, "\n"))
	}
	if named := candidates("/my/libcublas.so"); !slices.Equal(named, []string{"/my/libcublas.so"}) {
		t.Errorf("a named library gives %v", named)
	}
}

// Work enqueued by another goroutine while a step is recorded does not become part of the recording
// and does not break it.
func TestNobodyGetsBetweenThePartsOfARecording(t *testing.T) {
	c, b := opened(t, 6)
	forward, back := square(b[1], b[0], b[0]), square(b[2], b[1], b[0])
	var others sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		others.Go(func() {
			values := make([]float32, 64*64)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := errors.Join(c.Multiply(square(b[5], b[3], b[4])), c.Read(values, b[5]), c.Write(b[4], values), c.Wait()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 {
		recorded, err := c.Record([]cuda.Part{{Product: &forward}, {Product: &back}})
		if err == nil {
			err = errors.Join(c.Replay(recorded), recorded.Release())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	others.Wait()
	all := calls()
	for at, name := range all {
		if name == "cuStreamBeginCapture_v2" && strings.Join(all[at+1:at+4], " ") != "cublasSgemm_v2 cublasSgemm_v2 cuStreamEndCapture" {
			t.Fatalf("a recording of two products has %v", all[at+1:at+4])
		}
	}
	legal(t, "others beside a recording")
}

// Every kernel is loaded before a stream is captured: our kernels by name, those of cuBLAS by a
// product of the same shape and alignment.
func TestWhatARecordingWantsIsLoadedBefore(t *testing.T) {
	for library, want := range map[string]string{
		"": "2 blasSgemm, ModuleGetFunction, FuncGetAttribute, StreamSynchronize, StreamBeginCapture, 3 blasSgemm, LaunchKernel, StreamEndCapture",
		none: "ModuleGetFunction, FuncGetAttribute, ModuleGetFunction, FuncGetAttribute, StreamSynchronize, StreamBeginCapture, 4 LaunchKernel, " +
			"StreamEndCapture",
	} {
		t.Setenv(LibraryVariable, library)
		c, b := opened(t, 2)
		first := cuda.Product{Dst: b[0], A: b[1], B: b[1], Rows: 5, Inner: 6, Columns: 7}
		again, apart := first, first
		again.Dst += 16 * 35
		apart.A += 4
		said := len(calls())
		r, err := c.Record([]cuda.Part{{Product: &first}, {Product: &again}, {Product: &apart},
			{Launch: &cuda.Launch{Kernel: "advance", Grid: cuda.Size{X: 1, Y: 1}, Block: cuda.Size{X: 1, Y: 1}, Arguments: []uint64{uint64(b[0])}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(calls()[said:]); !strings.HasPrefix(got, want) {
			t.Errorf("%q: the driver is asked\n%s, want\n%s", library, got, want)
		}
		if err := errors.Join(r.Release(), c.Close()); err != nil {
			t.Error(err)
		}
		legal(t, "a recording")
	}
}

// A part that fails ends the capture: the stream leaves capture mode and the captured graph is
// destroyed.
func TestAPartThatFailsEndsTheCapture(t *testing.T) {
	c, b := opened(t, 3)
	good := square(b[1], b[0], b[0])
	wrong := cuda.Launch{Kernel: "advance", Grid: cuda.Size{X: 1, Y: 1 << 17}, Block: cuda.Size{X: 1, Y: 1}, Arguments: []uint64{uint64(b[0])}}
	if r, err := c.Record([]cuda.Part{{Product: &good}, {Launch: &wrong}}); err == nil || r != nil || err.Error() != "the GPU failed: kernel advance: InvalidValue" {
		t.Errorf("recording %v, error %v", r, err)
	}
	all := calls()
	if tail := brief(all[max(0, len(all)-5):]); !strings.HasSuffix(tail, "StreamBeginCapture, blasSgemm, LaunchKernel, StreamEndCapture, GraphDestroy") {
		t.Errorf("the driver is asked %s", tail)
	}
	if refused := played.wrongs(); refused != 1 {
		t.Errorf("%d calls are refused, want the launch", refused)
	}
}

// Large files of embeddings are memory-mapped, so their numbers are not in Go's heap.
func TestNumbersOfAMappedFileAreCopied(t *testing.T) {
	mapped, err := syscall.Mmap(-1, 0, 1<<14, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mapped)
	values := unsafe.Slice((*float32)(unsafe.Pointer(&mapped[0])), 64*64)
	for i := range values {
		values[i] = float32(i)
	}
	c, b := opened(t, 1)
	got := make([]float32, 64*64)
	if err := errors.Join(c.Write(b[0], values), c.Read(got, b[0])); err != nil || !slices.Equal(got, values) {
		t.Errorf("error %v, or other numbers", err)
	}
	clear(values)
	if err := c.Read(values, b[0]); err != nil || !slices.Equal(got, values) {
		t.Errorf("error %v, or other numbers", err)
	}
	legal(t, "mapped numbers")
}

// The simulated driver has no cuMemGetAddressRange: calling a missing function must not look like
// success.
func TestAFunctionThatTheDriverLacksIsAnError(t *testing.T) {
	_, b := opened(t, 1)
	if _, _, err := cu.DevicePtr(b[0]).AddressRange(); !errors.Is(err, cu.NotFound) {
		t.Errorf("error %v", err)
	}
}

// Sizes beyond 31 bits would be truncated.
func TestAProductOfTooManyRowsIsRefused(t *testing.T) {
	for _, library := range []string{"", none} {
		t.Setenv(LibraryVariable, library)
		c, b := opened(t, 1)
		said := len(calls())
		err := c.Multiply(cuda.Product{Dst: b[0], A: b[0], B: b[0], Rows: 1<<32 + 1, Inner: 1, Columns: 1})
		if err == nil || err.Error() != "a product of 4294967297×1×1 has more than 2147483647 rows or columns; choose the device cpu" {
			t.Errorf("error %v", err)
		}
		if asked := calls()[said:]; len(asked) != 0 {
			t.Errorf("the driver is asked %s", brief(asked))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestABlockThatIsTooLargeForTheCardsCodeIsTold(t *testing.T) {
	t.Setenv("PLAYED_THREADS", "96")
	c, b := opened(t, 1)
	err := c.Launch(cuda.Launch{Kernel: "gather", Grid: cuda.Size{X: 1, Y: 1}, Block: cuda.Size{X: 128, Y: 1}, Arguments: []uint64{uint64(b[0])}})
	if err == nil || err.Error() != "the GPU failed: kernel gather: blocks of 128 threads, but this GPU allows 96" {
		t.Errorf("error %v", err)
	}
}

func TestACardThatWasGivenBackSaysSo(t *testing.T) {
	c, b := opened(t, 1)
	recorded, err := c.Record(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(recorded.Release(), c.Close()); err != nil {
		t.Fatal(err)
	}
	said := len(calls())
	if _, err := c.Allocate(4); !errors.Is(err, errClosed) {
		t.Errorf("allocate: error %v", err)
	}
	if err := c.Free(b[0]); !errors.Is(err, errClosed) {
		t.Errorf("free: error %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("a second end: %v", err)
	}
	if asked := calls()[said:]; len(asked) != 0 {
		t.Errorf("the driver is asked %s", brief(asked))
	}
	legal(t, "a card that was given back")
}

// Work on the simulated GPU is deferred until a call waits for it, so code that does not wait reads
// old numbers.
func TestThePlayedCardDoesNothingBeforeSomebodyWaits(t *testing.T) {
	c, b := opened(t, 1)
	values := make([]float32, 64*64)
	var pinner runtime.Pinner
	pinner.Pin(&values[0])
	defer pinner.Unpin()
	err := c.do(func() error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&values[0]), cu.DevicePtr(b[0]), int64(4*len(values)), c.stream)
	})
	if err != nil || values[0] != 0 {
		t.Errorf("error %v, the first number is %g before the end", err, values[0])
	}
	if err := c.Wait(); err != nil || values[0] != 1 {
		t.Errorf("error %v, the first number is %g at the end", err, values[0])
	}
}

// The simulated GPU rejects everything that a real one would reject or that would fail there, so
// the other tests show that it does not happen.
func TestThePlayedCardRefusesWhatIsIllegal(t *testing.T) {
	for what, do := range map[string]func(c *card, b []cuda.Address) error{
		"memory while a stream is captured": func(c *card, b []cuda.Address) error {
			return captured(c, func() error { _, err := cu.MemAlloc(4); return err })
		},
		"waiting while a stream is captured": func(c *card, b []cuda.Address) error {
			return captured(c, func() error { return c.stream.Synchronize() })
		},
		"a new kernel while a stream is captured": func(c *card, b []cuda.Address) error {
			return captured(c, func() error { _, err := c.function("adam"); return err })
		},
		"a new product while a stream is captured": func(c *card, b []cuda.Address) error {
			return captured(c, func() error { return c.multiply(square(b[0], b[1], b[1])) })
		},
		"another thread": func(c *card, b []cuda.Address) error { return c.stream.Synchronize() },
		"freeing twice":  func(c *card, b []cuda.Address) error { return errors.Join(c.Free(b[0]), c.Free(b[0])) },
		"writing beyond a buffer": func(c *card, b []cuda.Address) error {
			return c.Write(b[0], make([]float32, 64*64+1))
		},
		"a product beyond a buffer": func(c *card, b []cuda.Address) error {
			return c.Multiply(square(b[0]+4, b[1], b[1]))
		},
		"playing what was released": func(c *card, b []cuda.Address) error {
			p := square(b[0], b[1], b[1])
			r, err := c.Record([]cuda.Part{{Product: &p}})
			return errors.Join(err, r.Release(), c.Replay(r))
		},
		"a product without a workspace": func(c *card, b []cuda.Address) error {
			return c.do(func() error {
				c.blas.setStream(c.blas.handle, c.handle()) // which resets it
				return c.multiply(square(b[0], b[1], b[1]))
			})
		},
	} {
		t.Run(what, func(t *testing.T) {
			c, b := opened(t, 2)
			legal(t, "the beginning")
			if err := do(c, b); err == nil || played.wrongs() == 0 {
				t.Errorf("error %v, %d calls are refused", err, played.wrongs())
			}
		})
	}
}

// captured runs a function on the GPU's thread while its stream is captured.
func captured(c *card, do func() error) error {
	return c.do(func() error {
		if err := c.graphs.check("begin", c.graphs.begin(c.handle(), 2)); err != nil {
			return err
		}
		err := do()
		var graph uintptr
		if ended := c.graphs.end(c.handle(), &graph); ended == 0 {
			return errors.New("the capture went on")
		}
		return err
	})
}
