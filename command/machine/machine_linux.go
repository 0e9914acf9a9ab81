package machine

import (
	"os"
	"strconv"
	"strings"
)

// processorName returns what the kernel calls the processor, "" where it does not say (on most ARM machines).
func processorName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	name, _ := field(string(text), "model name")
	return name
}

// memory returns the sizes of the main memory in bytes, 0 when unknown. In a container the limit of its control
// group counts, for a process that exceeds it is killed.
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

// kibibytes reads a line such as "MemTotal:  16318412 kB" and returns bytes.
func kibibytes(text, key string) uint64 {
	value, _ := field(text, key)
	count, err := strconv.ParseUint(strings.TrimSuffix(value, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return count << 10
}

// number reads a file that holds one number; "max" stands for no limit and is 0 here.
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
