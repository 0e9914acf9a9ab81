package limits

import (
	"fmt"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"gosphere/runtime/internal/guard/panics"
)

// Memory is the limit on the memory of the process. The operating system kills a process that
// exhausts the machine, which would end the session. A cell that approaches that point is ended
// instead.
type Memory struct {
	limit  atomic.Int64 // bytes
	growth atomic.Int64 // if positive, the limit is this much above the use at the begin of a cell
}

// NewMemory returns the limit that GOSPHERE_MEMORY_LIMIT sets, which is a number of bytes or a size
// such as 2GB. The default is four fifths of the memory of the machine, the control group or the
// address space that the process may have.
func NewMemory() *Memory {
	m := new(Memory)
	m.Set(memoryLimit())
	return m
}

// SetCollector sets the limit of the garbage collector of the process. The collector becomes more
// aggressive above its own limit. That must happen below the limit of cells, or garbage would count
// against them. GOMEMLIMIT has precedence.
func SetCollector() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit() / 10 * 9)
	}
}

// Set replaces the limit, in bytes. It applies immediately to large requests, and to the total use
// of cells that start later.
func (m *Memory) Set(bytes int64) { m.limit.Store(bytes) }

// SetGrowth limits the memory by which the process may grow while a cell runs, in bytes. It is for
// sessions in programs that use memory of their own.
func (m *Memory) SetGrowth(bytes int64) { m.growth.Store(bytes) }

// Limit returns the limit in bytes.
func (m *Memory) Limit() int64 { return m.limit.Load() }

// memoryLimit returns the initial limit in bytes.
func memoryLimit() int64 {
	if n, err := ParseSize(os.Getenv("GOSPHERE_MEMORY_LIMIT")); err == nil && n > 0 {
		return n
	}
	return int64(min(available(os.ReadFile), math.MaxInt64) / 5 * 4)
}

// available returns the memory of the machine, the control group with its parents, or the limit on
// the address space of the process (ulimit -v), whichever is smallest.
func available(read func(name string) ([]byte, error)) uint64 {
	least := uint64(math.MaxInt64)
	if runtime.GOOS == "js" {
		least = 4 << 30 // addresses of WebAssembly have 32 bits
	}
	for _, name := range groupFiles(read) {
		if text, err := read(name); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 { // it may be "max"
				least = min(least, n)
			}
		}
	}
	if text, err := read("/proc/self/limits"); err == nil {
		for line := range strings.Lines(string(text)) {
			var soft uint64 // it may be "unlimited"
			if n, _ := fmt.Sscanf(line, "Max address space %d", &soft); n == 1 && soft > reserved {
				least = min(least, soft-reserved)
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

// reserved is the address space that the Go runtime and the program occupy without using memory.
const reserved = 256 << 20

// groupFiles returns the files with the limits of the control groups that the process is in, from
// the root of the hierarchy to its own group: a limit of a parent holds for the group as well. In a
// container with a namespace of its own, the root is the group of the container. systemd, spawners
// of JupyterHub and Slurm put processes in groups below it.
//
// A line of /proc/self/cgroup has the form ID:CONTROLLERS:PATH. Version 2 has one line without
// controllers.
func groupFiles(read func(name string) ([]byte, error)) []string {
	const version2, version1 = "/sys/fs/cgroup", "/sys/fs/cgroup/memory"
	files := []string{version2 + "/memory.max", version1 + "/memory.limit_in_bytes"}
	text, err := read("/proc/self/cgroup")
	if err != nil {
		return files
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mount, file := version2, "memory.max"
		if fields[1] != "" {
			mount, file = version1, "memory.limit_in_bytes"
			if !slices.Contains(strings.Split(fields[1], ","), "memory") {
				continue
			}
		}
		// A path that leads out of the namespace begins with "/..".
		for group := path.Clean("/" + fields[2]); group != "/"; group = path.Dir(group) {
			files = append(files, mount+group+"/"+file)
		}
	}
	return files
}

// Held returns the memory obtained from the system and not returned to it, including free
// memory that could be returned.
func Held() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// Used returns the memory obtained from the system, excluding free and returned memory.
func Used() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64() - samples[2].Value.Uint64())
}

// watchPeriod is short enough that a cell that fills memory, at some GB per second, does not get
// from four fifths of the memory to all of it. It is long enough to have negligible cost.
const watchPeriod = 20 * time.Millisecond

// Watch calls exceeded, once, when the process uses more memory than the limit. Memory that is in
// use already does not count if little is added. Calling stop ends the watching goroutine.
func (m *Memory) Watch(exceeded func(text string)) (stop func()) {
	if growth := m.growth.Load(); growth > 0 {
		m.limit.Store(Used() + growth)
	}
	limit := m.Limit()
	ended := make(chan struct{})
	go func() {
		ticks := time.NewTicker(watchPeriod)
		defer ticks.Stop()
		// A cell may always use a twentieth of the limit, even if earlier cells hold more than the
		// limit.
		bound := max(limit, Used()+limit/20)
		for {
			select {
			case <-ended:
				return
			case <-ticks.C:
			}
			// The metrics are read without stopping the world.
			used := Used()
			if used <= bound {
				continue
			}
			if used < bound+bound/20 {
				// The excess may be garbage, and there is room for a second check.
				runtime.GC()
				if Used() <= bound {
					continue
				}
			}
			exceeded(fmt.Sprintf("memory limit of %s reached", SizeText(limit)))
			debug.FreeOSMemory()
			return
		}
	}()
	return func() { close(ended) }
}

// smallRequest is the size below which requests are not checked individually: the watcher notices
// their sum in time.
const smallRequest = 64 << 20

// LargestRequest is the size of the allocator's address space (runtime.maxAlloc on 64-bit systems).
// Larger requests make the built-in make panic.
const LargestRequest = 1 << 48

// Room returns n if there is memory for n elements of a size. It panics if the allocation would end
// the process, with Go's own text tooMuch if Go would panic. A negative n is returned, because the
// allocation reports it.
func (m *Memory) Room(n, size int, tooMuch string) int {
	if n <= 0 || size == 0 {
		return n
	}
	if n > LargestRequest/size {
		if tooMuch == "" { // the size of a map is a hint
			return 0
		}
		panic(panics.RuntimeError(tooMuch))
	}
	m.Reserve(int64(n) * int64(size))
	return n
}

// Reserve panics if there is no memory for a number of bytes.
func (m *Memory) Reserve(bytes int64) {
	if bytes < smallRequest || Used()+bytes <= m.Limit() {
		return
	}
	runtime.GC() // garbage is no reason to refuse
	if limit := m.Limit(); Used()+bytes > limit {
		panic(panics.Misuse(fmt.Sprintf("out of memory: %s wanted, the memory limit is %s", SizeText(bytes), SizeText(limit))))
	}
}
