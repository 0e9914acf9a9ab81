//go:build gpu && linux

package card

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"gosphere/asymvlm/cuda"
	"gosphere/asymvlm/device"
)

func init() {
	// A program has one context on a card, and asks once.
	device.OfferCUDA(sync.OnceValues(func() (device.Device, error) {
		driver, err := open()
		if err != nil {
			return nil, err
		}
		return cuda.New(driver)
	}))
}

// A card is the first card of the machine. Everything is done by one goroutine on a thread of its own, since a context
// belongs to a thread.
type card struct {
	work      chan func()
	name      string
	context   cu.CUContext
	stream    cu.Stream
	module    cu.Module
	functions map[string]cu.Function
	blas      *blas
	graphs    *graphs
	workspace cu.DevicePtr // of cuBLAS
	ends      [2]cu.Event  // of the last two recordings that were replayed
	replays   int
	lost      error // the first error that is not of too little memory
}

var _ cuda.Driver = (*card)(nil)

// open starts the first card.
func open() (*card, error) {
	c := &card{work: make(chan func()), functions: map[string]cu.Function{}}
	// Owns the card's thread; ends when Close closes the channel.
	go func() {
		runtime.LockOSThread()
		for do := range c.work {
			do()
		}
	}()
	if err := c.do(c.start); err != nil {
		_ = c.Close() // what was begun is given back; the first error tells more
		return nil, err
	}
	return c, nil
}

// do runs a function on the card's thread. A card that failed is not asked again.
func (c *card) do(work func() error) error {
	done := make(chan error)
	c.work <- func() {
		err := c.lost
		if err == nil {
			err = sentence(work())
		}
		if err != nil && !errors.Is(err, errMemory) {
			c.lost = err
		}
		done <- err
	}
	return <-done
}

// start makes a context on the first card and opens the libraries.
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
	if c.context, err = first.MakeContext(cu.SchedAuto); err != nil {
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
	if c.blas, err = openBLAS(c.handle()); err != nil {
		return err
	}
	if c.workspace, err = cu.MemAlloc(workspaceBytes); err != nil {
		return err
	}
	c.name += ", " + c.blas.precision
	return c.blas.use(c.workspace)
}

// workspaceBytes is what NVIDIA recommends for Hopper. With memory of ours cuBLAS takes none while a step is recorded, and its
// results are the same in every run.
const workspaceBytes = 32 << 20

// leastCapability is that of Turing, which the kernels are compiled for.
const leastCapability = 75

// describe names a card with its capability and memory, and tells one that is too old.
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
		return "", fmt.Errorf("the card %s has compute capability %d.%d, and the kernels need %d.%d", name, major, minor,
			leastCapability/10, leastCapability%10)
	}
	return fmt.Sprintf("%s, compute capability %d.%d, %.0f GiB", name, major, minor, float64(memory)/(1<<30)), nil
}

// handle is the stream as libraries of C know it.
func (c *card) handle() uintptr { return uintptr(unsafe.Pointer(c.stream.C())) }

// Name tells the card, its compute capability, its memory and the precision of products.
func (c *card) Name() string { return c.name }

// Load makes the kernels of a module known by their names when they are first wanted.
func (c *card) Load(ptx string) error {
	return c.do(func() (err error) {
		c.module, err = cu.LoadData(ptx)
		return err
	})
}

// function finds a kernel.
func (c *card) function(name string) (cu.Function, error) {
	f, known := c.functions[name]
	if known {
		return f, nil
	}
	f, err := c.module.Function(name)
	if err == nil {
		c.functions[name] = f
	}
	return f, err
}

// Launch starts a kernel.
func (c *card) Launch(l cuda.Launch) error {
	return c.do(func() error {
		f, err := c.function(l.Kernel)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", l.Kernel, err)
		}
		arguments := make([]unsafe.Pointer, len(l.Arguments))
		for i := range l.Arguments {
			arguments[i] = unsafe.Pointer(&l.Arguments[i])
		}
		return f.Launch(l.Grid.X, l.Grid.Y, 1, l.Block.X, l.Block.Y, 1, 0, c.stream, arguments)
	})
}

// Multiply does a product by cuBLAS.
func (c *card) Multiply(p cuda.Product) error {
	return c.do(func() error { return c.blas.multiply(p.ColumnMajor()) })
}

// Allocate takes memory of the card.
func (c *card) Allocate(bytes int) (address cuda.Address, err error) {
	err = c.do(func() error {
		pointer, err := cu.MemAlloc(int64(bytes))
		address = cuda.Address(pointer)
		return err
	})
	return address, err
}

// Free gives memory back.
func (c *card) Free(a cuda.Address) error {
	return c.do(func() error { return cu.MemFree(cu.DevicePtr(a)) })
}

// Write copies numbers to the card.
func (c *card) Write(to cuda.Address, values []float32) error {
	return c.copyTo(to, unsafe.Pointer(unsafe.SliceData(values)), len(values))
}

// WriteWords copies words to the card.
func (c *card) WriteWords(to cuda.Address, words []uint32) error {
	return c.copyTo(to, unsafe.Pointer(unsafe.SliceData(words)), len(words))
}

// Read copies numbers from the card.
func (c *card) Read(values []float32, from cuda.Address) error {
	return c.copyFrom(unsafe.Pointer(unsafe.SliceData(values)), from, len(values))
}

// ReadWords copies words from the card.
func (c *card) ReadWords(words []uint32, from cuda.Address) error {
	return c.copyFrom(unsafe.Pointer(unsafe.SliceData(words)), from, len(words))
}

// copyTo copies in the order of the stream and waits: the memory is the caller's again afterwards.
func (c *card) copyTo(to cuda.Address, from unsafe.Pointer, words int) error {
	if words == 0 {
		return nil
	}
	return c.do(func() error {
		var pinner runtime.Pinner
		pinner.Pin(from)
		defer pinner.Unpin()
		if err := cu.MemcpyHtoDAsync(cu.DevicePtr(to), from, 4*int64(words), c.stream); err != nil {
			return err
		}
		return c.stream.Synchronize()
	})
}

func (c *card) copyFrom(to unsafe.Pointer, from cuda.Address, words int) error {
	if words == 0 {
		return nil
	}
	return c.do(func() error {
		var pinner runtime.Pinner
		pinner.Pin(to)
		defer pinner.Unpin()
		if err := cu.MemcpyDtoHAsync(to, cu.DevicePtr(from), 4*int64(words), c.stream); err != nil {
			return err
		}
		return c.stream.Synchronize()
	})
}

// Wait waits until the stream has done everything.
func (c *card) Wait() error { return c.do(func() error { return c.stream.Synchronize() }) }

// Close gives the card back, also one that failed.
func (c *card) Close() error {
	done := make(chan error)
	c.work <- func() { done <- sentence(c.end()) }
	err := <-done
	close(c.work)
	return err
}

// end gives back what start has begun, in the other order.
func (c *card) end() error {
	err := c.blas.close()
	if c.workspace != 0 {
		err = errors.Join(err, cu.MemFree(c.workspace))
	}
	for i := range c.ends {
		if c.ends[i] != (cu.Event{}) {
			err = errors.Join(err, cu.DestroyEvent(&c.ends[i]))
		}
	}
	if c.stream != (cu.Stream{}) {
		err = errors.Join(err, c.stream.Destroy())
	}
	if c.context != (cu.CUContext{}) {
		err = errors.Join(err, c.context.Destroy())
	}
	return err
}

// Times returns the milliseconds that the kernels of a recording take on average over some replays, by events.
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

// between plays a recording between two events and returns the milliseconds from one to the other.
func (c *card) between(from, to cu.Event, r *graph, replays int) (milliseconds float64, err error) {
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
