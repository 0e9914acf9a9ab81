// Package usage measures the resources used by the kernel and the machine for the resource sidebar
// of JupyterLab, which sends a usage_request every few seconds. Times and memory are read from
// Linux's /proc; on other systems they are omitted.
//
// /proc is a file system that the kernel of Linux computes when it is read (proc(5)). A process may
// end between two reads, so every file may be missing; its values then count as absent or zero.
package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"gosphere/kernel/protocol"
)

// ticks is the number of clock ticks per second in /proc on Linux (USER_HZ, proc(5)). It is fixed
// in the interface of the kernel, whatever the rate of its own timer.
const ticks = 100

// A Meter measures resources. Percentages refer to the time since the previous call of Read. The
// first call reports a KernelCPU of 0 and no HostCPUPercent. All clients share one meter, so with
// several sidebars the intervals are shorter.
type Meter struct {
	proc string // path of /proc
	now  func() time.Time

	mu    sync.Mutex // guards the fields below
	at    time.Time  // time of the last Read
	spent map[int]uint64
	host  hostTime
}

// hostTime is the busy time and the total time of all CPUs, in ticks.
type hostTime struct{ busy, all uint64 }

// New returns a meter. The path and the clock are fields for tests, which write files of their own.
func New() *Meter { return &Meter{proc: "/proc", now: time.Now} }

// Read measures the process, its descendants and the machine. It includes the descendants, because
// cells start programs, for instance with %%bash. The percentage of the kernel may exceed 100: it
// counts one CPU, that of the machine all CPUs.
func (m *Meter) Read() (protocol.UsageReply, error) {
	host, err := os.Hostname()
	if err != nil {
		return protocol.UsageReply{}, fmt.Errorf("usage: %w", err)
	}
	reply := protocol.UsageReply{Status: protocol.OK, Hostname: host, PID: os.Getpid(), CPUCount: runtime.NumCPU()}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	spent := map[int]uint64{}
	for _, p := range descendants(m.processes(), os.Getpid()) {
		spent[p.id] = p.ticks
		reply.KernelMemory += m.memory(p.id)
	}
	if len(spent) > 0 {
		var percent float64
		if seconds := now.Sub(m.at).Seconds(); m.spent != nil && seconds > 0 {
			percent = 100 * float64(increase(m.spent, spent)) / ticks / seconds
		}
		reply.KernelCPU = &percent
	}
	// The counters may decrease (proc(5)). No percentage is reported then.
	times := readHostTime(m.text("stat"))
	if all := times.all - m.host.all; m.host.all > 0 && times.all > m.host.all && times.busy >= m.host.busy {
		percent := 100 * float64(times.busy-m.host.busy) / float64(all)
		reply.HostCPUPercent = &percent
	}
	m.at, m.spent, m.host = now, spent, times
	reply.HostVirtualMemory = virtualMemory(m.text("meminfo"))
	return reply, nil
}

// text returns a file of /proc, or "" if it cannot be read. A process may have ended, and its files
// with it.
func (m *Meter) text(name string) string {
	text, err := os.ReadFile(filepath.Join(m.proc, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// increase returns the sum of the times spent between two tables by the processes in both. Time of
// a process that has ended in between is lost.
func increase(before, after map[int]uint64) (sum uint64) {
	for id, now := range after {
		if then, known := before[id]; known && now > then {
			sum += now - then
		}
	}
	return sum
}

// A process is one row of the process table. The time is the sum of user and system time, in ticks
// since the process began.
type process struct {
	id, parent int
	ticks      uint64 // CPU time spent
}

// processes lists all visible processes. Entries of /proc whose names are not numbers are no
// processes. Processes of other users may be invisible (hidepid in proc(5)).
func (m *Meter) processes() []process {
	folder, err := os.Open(m.proc)
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var list []process
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readStat(m.text(filepath.Join(name, "stat"))); ok {
			p.id = id
			list = append(list, p)
		}
	}
	return list
}

// readStat parses the text of /proc/ID/stat. The name of the program is in parentheses and may
// contain any character; the later fields are counted from its end (proc(5)). For instance "42 (a)
// b) S 1 …" has the name "a) b", the state S and the parent 1. The first field after the name is
// the state, so parent is the field 4 of the manual, and the two times are 14 and 15.
func readStat(text string) (p process, ok bool) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const parent, user, system = 1, 11, 12
	if len(fields) <= system {
		return process{}, false
	}
	var errs [3]error
	var inUser, inSystem uint64
	p.parent, errs[0] = strconv.Atoi(fields[parent])
	inUser, errs[1] = strconv.ParseUint(fields[user], 10, 64)
	inSystem, errs[2] = strconv.ParseUint(fields[system], 10, 64)
	p.ticks = inUser + inSystem
	return p, errs == [3]error{}
}

// descendants returns a process and its descendants. The table is not a snapshot, since processes
// start and end while it is read.
func descendants(all []process, root int) []process {
	children := map[int][]process{}
	var found []process
	for _, p := range all {
		if p.id == root {
			found = append(found, p)
		}
		children[p.parent] = append(children[p.parent], p)
	}
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].id]...)
		delete(children, found[i].id) // guards against an infinite loop, although there are no cycles
	}
	return found
}

// memory returns the memory of a process in bytes: its proportional share of shared memory, or its
// resident memory if the share is not reported. Pss divides each shared page by the number of
// processes that share it, so that the sum over the descendants counts it once. smaps_rollup may be
// unreadable, for instance for a process of another user.
func (m *Meter) memory(id int) uint64 {
	folder := strconv.Itoa(id)
	if size := kilobytes(m.text(filepath.Join(folder, "smaps_rollup")))["Pss"]; size > 0 {
		return size << 10
	}
	fields := strings.Fields(m.text(filepath.Join(folder, "statm")))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// readHostTime parses the text of /proc/stat: the times in user, nice, system, idle, iowait, irq,
// softirq and steal. Idle and waiting for input or output do not count as busy. For instance the
// first line "cpu  100 0 100 800 0 0 0 0 50 0" has 200 busy ticks of 1000.
func readHostTime(text string) (t hostTime) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[0] != "cpu" {
		return hostTime{}
	}
	const idle, waiting, last = 3, 4, 8 // user already includes guest times
	for i, field := range fields[1:] {
		n, err := strconv.ParseUint(field, 10, 64)
		if err != nil || i >= last {
			break
		}
		t.all += n
		if i != idle && i != waiting {
			t.busy += n
		}
	}
	return t
}

// kilobytes parses lines such as "MemFree:  1000 kB". Lines without a number are skipped, and the
// unit is always kB.
func kilobytes(text string) map[string]uint64 {
	sizes := map[string]uint64{}
	for line := range strings.Lines(text) {
		name, rest, found := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if !found || len(fields) == 0 {
			continue
		}
		if n, err := strconv.ParseUint(fields[0], 10, 64); err == nil {
			sizes[name] = n
		}
	}
	return sizes
}

// virtualMemory parses the text of /proc/meminfo. It returns nil if required fields are missing.
// The values of the file are in KiB. Cached includes the reclaimable slab, as in free(1) and
// psutil, which ipykernel uses. Used is the total without what is available. MemAvailable is the
// kernel's own estimate of what can be used without swapping.
func virtualMemory(text string) *protocol.VirtualMemory {
	size := kilobytes(text)
	total, available := size["MemTotal"]<<10, size["MemAvailable"]<<10
	if total == 0 || available > total {
		return nil
	}
	used := total - available
	return &protocol.VirtualMemory{
		Total: total, Available: available, Used: used, Free: size["MemFree"] << 10, Percent: 100 * float64(used) / float64(total),
		Active: size["Active"] << 10, Inactive: size["Inactive"] << 10, Buffers: size["Buffers"] << 10,
		Cached: (size["Cached"] + size["SReclaimable"]) << 10, Shared: size["Shmem"] << 10, Slab: size["Slab"] << 10,
	}
}
