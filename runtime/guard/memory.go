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

// memory is the limit on what the process may use. The system ends a process that takes
// all there is, and with it the session; a cell that comes near ends before that.
type memory struct {
	limit atomic.Int64 // bytes
}

// set sets the limit: that of GOSPHERE_MEMORY_LIMIT, such as 2GB or a number of
// bytes, else four fifths of what the machine or the control group has.
func (m *memory) set() {
	limit := memoryLimit()
	setCollector.Do(func() {
		if os.Getenv("GOMEMLIMIT") == "" {
			// Above this the collector works harder. It must begin before the limit,
			// or garbage would count.
			debug.SetMemoryLimit(limit / 10 * 9)
		}
	})
	m.limit.Store(limit)
}

var setCollector sync.Once

// LimitMemory replaces the limit, a number of bytes. It holds for what cells ask for from
// now on, and for the whole of cells that start later.
func (g *Guard) LimitMemory(bytes int64) { g.memory.limit.Store(bytes) }

// MemoryLimit returns the limit in bytes.
func (g *Guard) MemoryLimit() int64 { return g.memory.limit.Load() }

func memoryLimit() int64 {
	if n, err := ParseSize(os.Getenv("GOSPHERE_MEMORY_LIMIT")); err == nil && n > 0 {
		return n
	}
	return int64(min(available(os.ReadFile), math.MaxInt64) / 5 * 4)
}

// available is the memory of the machine or of the control group, the smaller of the two.
func available(read func(name string) ([]byte, error)) uint64 {
	least := uint64(math.MaxInt64)
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := read(name); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 { // not "max"
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

// ParseSize reads 2GB, 512MB, 1.5 GiB or a number of bytes. Units are powers of 1024.
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

// sizeText writes a number of bytes for people.
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

// HeldMemory is what the process has from the system, with what it could give back.
func HeldMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// UsedMemory is what the process has from the system, without what it has given back.
func UsedMemory() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64() - samples[2].Value.Uint64())
}

// watchPeriod is short enough that a cell which only fills memory, some GB in a second,
// does not get from four fifths to all of it, and long enough to cost nothing.
const watchPeriod = 20 * time.Millisecond

// watchMemory ends the cell when the process uses more than the limit. What earlier cells
// hold is no reason to end a cell that takes nothing itself. The goroutine that watches
// ends when the returned function is called.
func (c *Cell) watchMemory() (stop func()) {
	limit := c.guard.memory.limit.Load()
	ended := make(chan struct{})
	go func() {
		ticks := time.NewTicker(watchPeriod)
		defer ticks.Stop()
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
				// Garbage may count; there is room enough to look once more.
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

// A memoryError is the panic of a request for more memory than the limit leaves.
type memoryError struct{ wanted, limit int64 }

// Error tells size and limit.
func (e memoryError) Error() string {
	return fmt.Sprintf("out of memory: %s wanted, the memory limit is %s", sizeText(e.wanted), sizeText(e.limit))
}

// smallRequest is never looked at more closely: the watcher sees it in time.
const smallRequest = 64 << 20

// LargestRequest is the address space of Go's allocator (runtime.maxAlloc on 64-bit
// systems); above it make panics by itself.
const LargestRequest = 1 << 48

// room lets a number of elements pass that there is memory for. It panics where the
// allocation would end the process, with Go's own text where Go panics. Negative numbers
// pass: what allocates has its own text for them.
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

// Reserve panics if there is no room for a number of bytes.
func (g *Guard) Reserve(bytes int64) {
	if bytes < smallRequest || UsedMemory()+bytes <= g.memory.limit.Load() {
		return
	}
	runtime.GC() // what is garbage by now is no reason to refuse
	if UsedMemory()+bytes > g.memory.limit.Load() {
		panic(memoryError{bytes, g.memory.limit.Load()})
	}
}

// Room returns n if there is memory for n elements of a size, and panics otherwise.
func (g *Guard) Room(n, size int, tooMuch string) int { return g.room(n, size, tooMuch) }
