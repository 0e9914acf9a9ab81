package limits

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestSizesAreReadInTheFormsThatPeopleWrite(t *testing.T) {
	for text, want := range map[string]int64{
		"2GB": 2 << 30, "512MB": 512 << 20, "1.5 GiB": 3 << 29, "4k": 4 << 10, "1T": 1 << 40, "123": 123, "7 B": 7,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "much", "-1", "GB", "1e99"} {
		if n, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %d", text, n)
		}
	}
}

func TestSizesAreWrittenInTheLargestUnit(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1 << 20: "1 MB", 3 << 29: "1.5 GB", 1 << 40: "1 TB"} {
		if got := SizeText(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}

func TestTheSmallerOfMachineAndControlGroupCounts(t *testing.T) {
	files := func(list map[string]string) func(string) ([]byte, error) {
		return func(name string) ([]byte, error) {
			if text, ok := list[name]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("no such file")
		}
	}
	machine := "MemFree: 5 kB\nMemTotal:       1024 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"machine alone":       {map[string]string{"/proc/meminfo": machine}, 1 << 20},
		"smaller group":       {map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "65536\n"}, 65536},
		"group without limit": {map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "max\n"}, 1 << 20},
		"own group of version 2": {map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/system.slice/hub.service\n",
			"/sys/fs/cgroup/system.slice/hub.service/memory.max": "32768\n"}, 32768},
		"parent of the own group": {map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/user.slice/user-1.slice/x\n",
			"/sys/fs/cgroup/user.slice/user-1.slice/x/memory.max": "max\n", "/sys/fs/cgroup/user.slice/memory.max": "16384\n"}, 16384},
		"own group of version 1": {map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "12:cpu,cpuacct:/a\n4:memory:/slurm/job_7\nbad\n",
			"/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes": "8192\n"}, 8192},
		"group outside of the namespace": {map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/../../other\n",
			"/sys/fs/cgroup/other/memory.max": "65536\n"}, 65536},
		"address space": {map[string]string{"/proc/meminfo": "MemTotal: 8388608 kB\n",
			"/proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \nMax address space         1342177280           1342177280           bytes     \n"}, 1 << 30},
		"address space without limit": {map[string]string{"/proc/meminfo": machine,
			"/proc/self/limits": "Max address space         unlimited            unlimited            bytes     \n"}, 1 << 20},
		"older kind of group": {map[string]string{"/sys/fs/cgroup/memory/memory.limit_in_bytes": "4096"}, 4096},
	} {
		if got := available(files(c.files)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestRequestsAboveTheLimitPanicWithSizeAndLimit(t *testing.T) {
	m := NewMemory()
	m.Set(Used() + 1<<30)
	value := func(n, size int) (value any) {
		defer func() { value = recover() }()
		m.Room(n, size, "makeslice: len out of range")
		return nil
	}
	if v := value(1<<20, 8); v != nil {
		t.Errorf("8 MB: %v", v)
	}
	if v := value(-1, 8); v != nil {
		t.Errorf("what allocates has its own text for negative numbers: %v", v)
	}
	if v := fmt.Sprint(value(1<<30, 8)); !strings.HasPrefix(v, "out of memory: 8 GB wanted, the memory limit is ") {
		t.Errorf("8 GB: %s", v)
	}
	if v := value(1<<60, 8); fmt.Sprint(v) != "runtime error: makeslice: len out of range" {
		t.Errorf("more than the address space: %v", v)
	}
}
