package usage

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// machine is a folder in the format of /proc, with a clock set by the test.
type machine struct {
	t     *testing.T
	meter *Meter
	time  time.Time
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, time: time.Unix(1000, 0)}
	m.meter = &Meter{proc: t.TempDir(), now: func() time.Time { return m.time }}
	return m
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.meter.proc, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) process(id, parent int, user, system uint64) {
	m.write(fmt.Sprintf("%d/stat", id), fmt.Sprintf("%d (odd ) name) S %d 1 1 0 -1 4194560 9 9 0 0 %d %d 0 0 20 0 1 0 1 1 1", id, parent, user, system))
}

func near(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-9 }

func TestPercentagesAreThoseSinceTheReadBefore(t *testing.T) {
	m := newMachine(t)
	self := os.Getpid()
	m.write("stat", "cpu  100 0 100 800 0 0 0 0 50 0\ncpu0 1 1 1 1\n")
	m.process(self, 1, 1000, 500)
	m.process(self+1, self, 10, 0)
	m.process(self+2, self+1, 70, 0)
	m.process(self+3, 1, 90, 0) // of another process
	first, err := m.meter.Read()
	if err != nil || !near(first.KernelCPU, 0) || first.HostCPUPercent != nil {
		t.Errorf("the first: %v %v, %v", first.KernelCPU, first.HostCPUPercent, err)
	}
	m.time = m.time.Add(2 * time.Second)
	m.write("stat", "cpu  160 0 140 900 0 0 0 0 90 0\n")
	m.process(self, 1, 1080, 520)
	m.process(self+1, self, 110, 0)
	m.process(self+3, 1, 500, 0)
	os.Remove(filepath.Join(m.meter.proc, fmt.Sprint(self+2), "stat"))
	second, err := m.meter.Read()
	if err != nil || !near(second.KernelCPU, 100) || !near(second.HostCPUPercent, 50) {
		t.Errorf("the second: %v %v, %v; want 100 and 50", *second.KernelCPU, second.HostCPUPercent, err)
	}
}

func TestMemoryIsTheShareOfAllProcesses(t *testing.T) {
	m := newMachine(t)
	self := os.Getpid()
	m.process(self, 1, 0, 0)
	m.process(self+1, self, 0, 0)
	m.write(fmt.Sprintf("%d/smaps_rollup", self), "00400000-7fff [rollup]\nRss:  9000 kB\nPss:  4000 kB\nPss_Dirty: 1 kB\n")
	m.write(fmt.Sprintf("%d/statm", self+1), "900 3 2 1 0 1 0")
	m.write("meminfo", "MemTotal:       8000 kB\nMemFree:  1000 kB\nMemAvailable: 2000 kB\nOdd line\nCached: 10 kB\nSReclaimable: 5 kB\nActive: 7 kB\nInactive: 6 kB\nBuffers: 4 kB\nShmem: 3 kB\nSlab: 2 kB\n")
	got, err := m.meter.Read()
	if want := uint64(4000<<10 + 3*os.Getpagesize()); err != nil || got.KernelMemory != want {
		t.Errorf("%d bytes, %v, want %d", got.KernelMemory, err, want)
	}
	host := got.HostVirtualMemory
	if host == nil || host.Total != 8000<<10 || host.Available != 2000<<10 || host.Used != 6000<<10 || host.Percent != 75 || host.Free != 1000<<10 ||
		host.Cached != 15<<10 || host.Active != 7<<10 || host.Inactive != 6<<10 || host.Buffers != 4<<10 || host.Shared != 3<<10 || host.Slab != 2<<10 {
		t.Errorf("the machine has %+v", host)
	}
}

func TestWhatIsNotToldIsLeftOut(t *testing.T) {
	m := newMachine(t)
	m.meter.proc += "/none"
	got, err := m.meter.Read()
	if err != nil || got.KernelCPU != nil || got.KernelMemory != 0 || got.HostCPUPercent != nil || got.HostVirtualMemory != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if got.PID != os.Getpid() || got.CPUCount != runtime.NumCPU() || got.Hostname == "" {
		t.Errorf("got %+v", got)
	}
	if v := virtualMemory("MemFree: 1 kB"); v != nil {
		t.Errorf("read %+v from too little", v)
	}
}

func TestThisMachineIsMeasured(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	got, err := New().Read()
	if err != nil || got.KernelCPU == nil || got.KernelMemory < 1<<20 || got.HostVirtualMemory == nil || got.HostVirtualMemory.Total < got.KernelMemory {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzFiles(f *testing.F) {
	f.Add("1 (a) S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0")
	f.Add("cpu  1 2 3 4 5 6 7 8 9 10")
	f.Add("MemTotal: 2 kB\nMemAvailable: 1 kB")
	f.Fuzz(func(t *testing.T, text string) {
		readStat(text)
		if h := readHostTime(text); h.busy > h.all && h.all > 1<<60 {
			t.Skip() // sums beyond what clocks count
		}
		if v := virtualMemory(text); v != nil && v.Available > v.Total {
			t.Errorf("read %+v", v)
		}
	})
}
