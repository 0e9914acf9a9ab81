package guard

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// memory is the limit on the memory of the process. The operating system kills a process that
// exhausts the machine, which would end the session. A cell that approaches that point is ended
// instead.
type memory struct {
	limit atomic.Int64 // bytes
}

// set sets the limit to GOSPHERE_MEMORY_LIMIT, which is a number of bytes or a size such as 2GB.
// The default is four fifths of the memory of the machine or the control group.
func (m *memory) set() {
	limit := memoryLimit()
	setCollector.Do(func() {
		if os.Getenv("GOMEMLIMIT") == "" {
			// The collector becomes more aggressive above its own limit. That must happen below the
			// limit of cells, or garbage would count against them.
			debug.SetMemoryLimit(limit / 10 * 9)
		}
	})
	m.limit.Store(limit)
}

var setCollector sync.Once

// LimitMemory replaces the limit, in bytes. It applies immediately to large requests, and to the
// total use of cells that start later.
func (g *Guard) LimitMemory(bytes int64) { g.memory.limit.Store(bytes) }

// MemoryLimit returns the limit in bytes.
func (g *Guard) MemoryLimit() int64 { return g.memory.limit.Load() }

// memoryLimit returns the initial limit in bytes.
func memoryLimit() int64 {
	if n, err := ParseSize(os.Getenv("GOSPHERE_MEMORY_LIMIT")); err == nil && n > 0 {
		return n
	}
	return int64(min(available(os.ReadFile), math.MaxInt64) / 5 * 4)
}

// available returns the memory of the machine or of the control group, whichever is smaller.
func available(read func(name string) ([]byte, error)) uint64 {
	least := uint64(math.MaxInt64)
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := read(name); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 { // it may be "max"
				least = min(least, n)
			}
		}
	}
	text, err := read("/proc/meminfo")
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(text)) {
		var kilobytes uint64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kilobytes); n == 1 {
			least = min(least, kilobytes<<10)
		}
	}
	return least
}

// ParseSize parses 2GB, 512MB, 1.5 GiB or a number of bytes. Units are powers of 1024.
func ParseSize(text string) (int64, error) {
	text = strings.ToUpper(strings.TrimSpace(text))
	factor := 1.0
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I")
	if cut := strings.IndexAny(text, "KMGT"); cut >= 0 && cut == len(text)-1 {
		factor = float64(int64(1) << (10 * (1 + strings.IndexByte("KMGT", text[cut]))))
		text = text[:cut]
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || n < 0 || n*factor >= math.MaxInt64 {
		return 0, fmt.Errorf("guard: %q is no size such as 2GB", text)
	}
	return int64(n * factor), nil
}

// sizeText formats a number of bytes.
func sizeText(n int64) string {
	value, unit := float64(n), "bytes"
	for _, next := range []string{"KB", "MB", "GB", "TB", "PB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + " " + unit
}

// HeldMemory returns the memory obtained from the system and not returned to it, including free
// memory that could be returned.
func HeldMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// UsedMemory returns the memory obtained from the system, excluding free and returned memory.
func UsedMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64() - samples[2].Value.Uint64())
}

// watchPeriod is short enough that a cell that fills memory, at some GB per second, does not get
// from four fifths of the memory to all of it. It is long enough to have negligible cost.
const watchPeriod = 20 * time.Millisecond

// watchMemory ends the cell when the process uses more memory than the limit. Memory held by
// earlier cells does not end a cell that allocates little. Calling stop ends the watching
// goroutine.
func (c *Cell) watchMemory() (stop func()) {
	limit := c.guard.memory.limit.Load()
	ended := make(chan struct{})
	go func() {
		ticks := time.NewTicker(watchPeriod)
		defer ticks.Stop()
		// A cell may always use a twentieth of the limit, even if earlier cells hold more than the
		// limit.
		bound := max(limit, UsedMemory()+limit/20)
		for {
			select {
			case <-ended:
				return
			case <-ticks.C:
			}
			used := UsedMemory()
			if used <= bound {
				continue
			}
			if used < bound+bound/20 {
				// The excess may be garbage, and there is room for a second check.
				runtime.GC()
				if UsedMemory() <= bound {
					continue
				}
			}
			c.exceed(fmt.Sprintf("memory limit of %s reached", sizeText(limit)))
			debug.FreeOSMemory()
			return
		}
	}()
	return func() { close(ended) }
}

// exceed ends the cell because of a limit.
func (c *Cell) exceed(text string) {
	c.exceeded.CompareAndSwap(nil, &text)
	c.Stop()
}

// A memoryError is the panic value for a request that exceeds the remaining memory.
type memoryError struct{ wanted, limit int64 }

// Error returns a text with the requested size and the limit.
func (e memoryError) Error() string {
	return fmt.Sprintf("out of memory: %s wanted, the memory limit is %s", sizeText(e.wanted), sizeText(e.limit))
}

// smallRequest is the size below which requests are not checked individually: the watcher notices
// their sum in time.
const smallRequest = 64 << 20

// LargestRequest is the size of the allocator's address space (runtime.maxAlloc on 64-bit systems).
// Larger requests make the built-in make panic.
const LargestRequest = 1 << 48

// room returns n if there is memory for n elements. It panics if the allocation would end the
// process, with Go's own text tooMuch if Go would panic. A negative n is returned, because the
// allocation reports it.
func (g *Guard) room(n, size int, tooMuch string) int {
	if n <= 0 || size == 0 {
		return n
	}
	if n > LargestRequest/size {
		if tooMuch == "" { // the size of a map is a hint
			return 0
		}
		panic(runtimeError(tooMuch))
	}
	g.Reserve(int64(n) * int64(size))
	return n
}

// Reserve panics if there is no memory for a number of bytes.
func (g *Guard) Reserve(bytes int64) {
	if bytes < smallRequest || UsedMemory()+bytes <= g.memory.limit.Load() {
		return
	}
	runtime.GC() // garbage is no reason to refuse
	if UsedMemory()+bytes > g.memory.limit.Load() {
		panic(memoryError{bytes, g.memory.limit.Load()})
	}
}

// Room returns n if there is memory for n elements of a size, and panics otherwise. The panic has
// the text tooMuch if the request exceeds the address space.
func (g *Guard) Room(n, size int, tooMuch string) int { return g.room(n, size, tooMuch) }
