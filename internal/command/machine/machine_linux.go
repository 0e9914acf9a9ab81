package machine

import (
	"os"
	"strconv"
	"strings"
)

// processorName returns the kernel's name for the CPU, or "" if it has none (on most ARM machines).
func processorName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	name, _ := field(string(text), "model name")
	return name
}

// memory returns the sizes of the main memory in bytes, 0 if unknown. In a container it applies the
// limit of the control group, because a process that exceeds it is killed.
func memory() (total, free uint64) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0
	}
	total, free = kibibytes(string(text), "MemTotal"), kibibytes(string(text), "MemAvailable")
	limit := number("/sys/fs/cgroup/memory.max")
	if limit == 0 || limit >= total {
		return total, free
	}
	used := number("/sys/fs/cgroup/memory.current")
	return limit, min(free, limit-min(used, limit))
}

// kibibytes returns the value in bytes of a line such as "MemTotal:  16318412 kB".
func kibibytes(text, key string) uint64 {
	value, _ := field(text, key)
	count, err := strconv.ParseUint(strings.TrimSuffix(value, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return count << 10
}

// number reads a file that contains one number. It returns 0 for "max", which means no limit.
func number(path string) uint64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	value, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return value
}

// field returns the value of the first line "key : value".
func field(text, key string) (string, bool) {
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}
