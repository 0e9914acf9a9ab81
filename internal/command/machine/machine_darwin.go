package machine

import "golang.org/x/sys/unix"

// processorName returns the name of the CPU, or "" if unknown.
func processorName() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}

// memory returns the size of the main memory in bytes, 0 if unknown. Free memory is always 0,
// because macOS reports it only through Mach calls.
func memory() (total, free uint64) {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0, 0
	}
	return total, 0
}
