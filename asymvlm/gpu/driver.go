//go:build gpu && linux

package gpu

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/internal/cuda"
)

func init() {
	// A process has one context on a GPU, so it opens the GPU once.
	device.OfferCUDA(sync.OnceValues(func() (device.Device, error) {
		driver, err := open()
		if err != nil {
			return nil, err
		}
		return cuda.New(driver)
	}))
}

// A card is the first GPU of the machine. One goroutine, locked to its thread, makes all calls,
// because a context belongs to a thread.
type card struct {
	work  chan func()
	ended chan struct{} // closed when the GPU is released
	close func() error  // releases the GPU once

	name      string
	device    cu.Device
	context   cu.CUContext
	stream    cu.Stream
	module    cu.Module
	functions map[string]function
	buffers   map[cu.DevicePtr]bool // not yet freed
	blas      *blas                 // nil if the built-in matmul kernel is used
	graphs    *graphs
	ends      [2]cu.Event // of the last two replayed recordings
	replays   int
	lost      error // the first error other than too little memory
}

// A function is a kernel and the largest number of threads in one of its blocks.
type function struct {
	cu.Function
	threads int
}

// errClosed is returned after the GPU was released.
var errClosed = errors.New("the GPU was released")

var _ cuda.Driver = (*card)(nil)

// open opens the first GPU.
func open() (*card, error) {
	c := &card{work: make(chan func()), ended: make(chan struct{}), functions: map[string]function{}, buffers: map[cu.DevicePtr]bool{}}
	c.close = sync.OnceValue(c.giveBack)
	// The goroutine owns the GPU's thread and ends when the GPU is released.
	go func() {
		runtime.LockOSThread()
		for {
			select {
			case do := <-c.work:
				do()
			case <-c.ended:
				return
			}
		}
	}()
	if err := c.do(c.start); err != nil {
		_ = c.Close() // release partial state; the first error is more informative
		return nil, err
	}
	return c, nil
}

// do runs a function on the GPU's thread. After a failure of the GPU it only returns the error.
func (c *card) do(work func() error) error {
	return c.ask(func() error {
		err := c.lost
		if err == nil {
			err = sentence(work())
		}
		if err != nil && !errors.Is(err, device.ErrMemory) {
			c.lost = err
		}
		return err
	})
}

// ask runs a function on the GPU's thread.
func (c *card) ask(work func() error) error {
	done := make(chan error)
	select {
	case c.work <- func() { done <- work() }:
		return <-done
	case <-c.ended:
		return errClosed
	}
}

// start creates a context on the first GPU and opens the libraries.
func (c *card) start() error {
	count, err := cu.NumDevices()
	if err != nil {
		return err
	}
	if count == 0 {
		return cu.NoDevice
	}
	first, err := cu.GetDevice(0)
	if err != nil {
		return err
	}
	if c.name, err = describe(first); err != nil {
		return err
	}
	// Use the primary context, in which the runtime's libraries, including cuBLAS, work.
	if c.context, err = first.RetainPrimaryCtx(); err != nil {
		return err
	}
	c.device = first
	if err = cu.SetCurrentContext(c.context); err != nil {
		return err
	}
	if c.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return err
	}
	for i := range c.ends {
		if c.ends[i], err = cu.MakeEvent(cu.DisableTiming); err != nil {
			return err
		}
	}
	if c.graphs, err = openGraphs(); err != nil {
		return err
	}
	products, err := c.openProducts()
	c.name += ", " + products
	return err
}

// leastCapability is the compute capability of Turing, for which the kernels are compiled.
const leastCapability = 75

// describe returns the name of a GPU with its compute capability and memory, or an error if it is
// too old.
func describe(d cu.Device) (string, error) {
	name, err := d.Name()
	if err != nil {
		return "", err
	}
	major, err := d.Attribute(cu.ComputeCapabilityMajor)
	if err != nil {
		return "", err
	}
	minor, err := d.Attribute(cu.ComputeCapabilityMinor)
	if err != nil {
		return "", err
	}
	memory, err := d.TotalMem()
	if err != nil {
		return "", err
	}
	if 10*major+minor < leastCapability {
		return "", messagef("the GPU %s has compute capability %d.%d, and the kernels need %d.%d", name, major, minor,
			leastCapability/10, leastCapability%10)
	}
	return fmt.Sprintf("%s, compute capability %d.%d, %.0f GiB", name, major, minor, float64(memory)/(1<<30)), nil
}

// handle returns the stream as a C pointer.
func (c *card) handle() uintptr { return uintptr(unsafe.Pointer(c.stream.C())) }

// Name describes the GPU, its compute capability, its memory and the precision of matrix products.
func (c *card) Name() string { return c.name }

// Load loads a module of kernels, which are looked up by name on first use.
func (c *card) Load(ptx string) error {
	return c.do(func() (err error) {
		c.module, err = cu.LoadData(ptx)
		return err
	})
}

// function looks up a kernel. Querying its limits makes the driver load it now, not while a step is
// recorded.
func (c *card) function(name string) (f function, err error) {
	f, known := c.functions[name]
	if known {
		return f, nil
	}
	if f.Function, err = c.module.Function(name); err == nil {
		f.threads, err = f.Attribute(cu.FnMaxThreadsPerBlock)
	}
	if err != nil {
		return f, fmt.Errorf("kernel %s: %w", name, err)
	}
	c.functions[name] = f
	return f, nil
}

// Launch enqueues a kernel.
func (c *card) Launch(l cuda.Launch) error { return c.do(func() error { return c.launch(l) }) }

func (c *card) launch(l cuda.Launch) error {
	f, err := c.function(l.Kernel)
	if err != nil {
		return err
	}
	if threads := l.Block.X * l.Block.Y; threads > f.threads {
		return fmt.Errorf("kernel %s: blocks of %d threads, but this GPU allows %d", l.Kernel, threads, f.threads)
	}
	arguments := make([]unsafe.Pointer, len(l.Arguments))
	for i := range l.Arguments {
		arguments[i] = unsafe.Pointer(&l.Arguments[i])
	}
	if err = f.Launch(l.Grid.X, l.Grid.Y, 1, l.Block.X, l.Block.Y, 1, 0, c.stream, arguments); err != nil {
		return fmt.Errorf("kernel %s: %w", l.Kernel, err)
	}
	return nil
}

// Multiply enqueues a matrix product by cuBLAS, or by the built-in kernel if there is no cuBLAS.
func (c *card) Multiply(p cuda.Product) error { return c.do(func() error { return c.multiply(p) }) }

func (c *card) multiply(p cuda.Product) error {
	if max(p.Rows, p.Inner, p.Columns) > math.MaxInt32 { // the limit of both implementations
		return messagef("a product of %d×%d×%d has more than %d rows or columns; choose the device %s", p.Rows, p.Inner, p.Columns, math.MaxInt32, device.NameCPU)
	}
	if c.blas == nil {
		return c.launch(p.Launch())
	}
	return c.blas.multiply(p.ColumnMajor())
}

// Allocate allocates memory on the GPU.
func (c *card) Allocate(bytes int) (address cuda.Address, err error) {
	err = c.do(func() error {
		pointer, err := c.allocate(bytes)
		address = cuda.Address(pointer)
		return err
	})
	return address, err
}

func (c *card) allocate(bytes int) (cu.DevicePtr, error) {
	pointer, err := cu.MemAlloc(int64(bytes))
	if errors.Is(err, cu.OutOfMemory) {
		free, _, failed := cu.MemInfo()
		if failed != nil {
			return 0, failed
		}
		return 0, &cuda.MemoryError{Wanted: bytes, Free: int(free)}
	}
	if err == nil {
		c.buffers[pointer] = true
	}
	return pointer, err
}

// Free frees memory.
func (c *card) Free(a cuda.Address) error {
	return c.do(func() error { return c.free(cu.DevicePtr(a)) })
}

func (c *card) free(a cu.DevicePtr) error {
	delete(c.buffers, a)
	return cu.MemFree(a)
}

// Write copies numbers to the GPU.
func (c *card) Write(to cuda.Address, values []float32) error {
	return c.copyTo(to, unsafe.Pointer(unsafe.SliceData(values)), len(values))
}

// WriteWords copies words to the GPU.
func (c *card) WriteWords(to cuda.Address, words []uint32) error {
	return c.copyTo(to, unsafe.Pointer(unsafe.SliceData(words)), len(words))
}

// Read copies numbers from the GPU.
func (c *card) Read(values []float32, from cuda.Address) error {
	return c.copyFrom(unsafe.Pointer(unsafe.SliceData(values)), from, len(values))
}

// ReadWords copies words from the GPU.
func (c *card) ReadWords(words []uint32, from cuda.Address) error {
	return c.copyFrom(unsafe.Pointer(unsafe.SliceData(words)), from, len(words))
}

// copyTo copies in stream order and waits, so that the caller may reuse the memory.
func (c *card) copyTo(to cuda.Address, from unsafe.Pointer, words int) error {
	if words == 0 {
		return nil
	}
	return c.do(func() error { return c.send(cu.DevicePtr(to), from, words) })
}

func (c *card) copyFrom(to unsafe.Pointer, from cuda.Address, words int) error {
	if words == 0 {
		return nil
	}
	return c.do(func() error { return c.fetch(to, cu.DevicePtr(from), words) })
}

// send copies words to the GPU.
func (c *card) send(to cu.DevicePtr, from unsafe.Pointer, words int) error {
	var pinner runtime.Pinner
	pinner.Pin(from) // no effect on a memory-mapped file
	defer pinner.Unpin()
	if err := cu.MemcpyHtoDAsync(to, from, 4*int64(words), c.stream); err != nil {
		return err
	}
	return c.stream.Synchronize()
}

// fetch copies words from the GPU.
func (c *card) fetch(to unsafe.Pointer, from cu.DevicePtr, words int) error {
	var pinner runtime.Pinner
	pinner.Pin(to)
	defer pinner.Unpin()
	if err := cu.MemcpyDtoHAsync(to, from, 4*int64(words), c.stream); err != nil {
		return err
	}
	return c.stream.Synchronize()
}

// Wait waits until all work in the stream is complete.
func (c *card) Wait() error { return c.do(func() error { return c.stream.Synchronize() }) }

// Close releases the GPU, even after a failure. Later calls return an error.
func (c *card) Close() error { return c.close() }

func (c *card) giveBack() error {
	err := c.ask(func() error { return sentence(c.end()) })
	close(c.ended)
	return err
}

// end releases all resources in reverse order and returns the first error. After a loss of the GPU
// every call fails.
func (c *card) end() (first error) {
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	note(c.blas.close())
	for buffer := range c.buffers {
		note(c.free(buffer))
	}
	if c.module != (cu.Module{}) {
		note(c.module.Unload())
	}
	for i := range c.ends {
		if c.ends[i] != (cu.Event{}) {
			note(cu.DestroyEvent(&c.ends[i]))
		}
	}
	if c.stream != (cu.Stream{}) {
		note(c.stream.Destroy())
	}
	if c.context != (cu.CUContext{}) {
		note(c.device.ReleasePrimaryCtx())
	}
	return first
}

// Times returns the mean milliseconds of a recording's kernels over some replays, measured by
// events.
func (c *card) Times(r cuda.Recording, replays int) (milliseconds float64, err error) {
	err = c.do(func() error {
		from, err := cu.MakeEvent(cu.DefaultEvent)
		if err != nil {
			return err
		}
		to, err := cu.MakeEvent(cu.DefaultEvent)
		if err == nil {
			milliseconds, err = c.between(from, to, r.(*graph), replays)
			err = errors.Join(err, cu.DestroyEvent(&to))
		}
		return errors.Join(err, cu.DestroyEvent(&from))
	})
	return milliseconds / math.Max(1, float64(replays)), err
}

// between replays a recording between two events and returns the milliseconds between them. An
// unmeasured replay first uploads the recording to the GPU.
func (c *card) between(from, to cu.Event, r *graph, replays int) (milliseconds float64, err error) {
	if err := c.graphs.launch(r, c.handle()); err != nil {
		return 0, err
	}
	if err := from.Record(c.stream); err != nil {
		return 0, err
	}
	for range replays {
		if err := c.graphs.launch(r, c.handle()); err != nil {
			return 0, err
		}
	}
	if err := to.Record(c.stream); err != nil {
		return 0, err
	}
	if err := to.Synchronize(); err != nil {
		return 0, err
	}
	return from.Elapsed(to)
}
