package kernel

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// releasePages takes the pages of the program's file out of the resident memory. The start of a
// kernel reads most of its tables once. The pages stay in the page cache of the system, and those
// that are used again come back; without reading ahead, no others come with them.
func releasePages() {
	executable, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var mode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); n != 3 || !strings.HasSuffix(strings.TrimSpace(line), executable) {
			continue
		}
		// Pages that can be written may differ from the file.
		if mode != "r--p" && mode != "r-xp" {
			continue
		}
		for _, advice := range []uintptr{unix.MADV_RANDOM, unix.MADV_DONTNEED} {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, advice) // only the memory is larger without it
		}
	}
}
