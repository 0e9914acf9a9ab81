//go:build unix

package embedding

import (
	"fmt"
	"math"
	"syscall"

	"gosphere/internal/userfile"
)

// mappedFrom is the smallest size in bytes of a file that is mapped into memory instead of being
// read.
const mappedFrom = 16 << 20

// readFile returns the content of a file. A large file is mapped: its pages are read on first
// access, belong to the system's page cache, and can be evicted at any time, so that training works
// with data sets larger than memory. Writes to the bytes stay private to the process. The mapping
// lasts until the program ends; it takes address space, not memory. The file must not be truncated
// meanwhile. Replacing it atomically, as this package does, is safe.
func readFile(path string) ([]byte, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size < mappedFrom || !info.Mode().IsRegular() {
		return userfile.ReadFile(path, math.MaxInt64)
	}
	if int64(int(size)) != size {
		return nil, fmt.Errorf("%s has %d bytes, more than this machine has addresses for", path, size)
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return userfile.ReadFile(path, math.MaxInt64) // some file systems do not support mappings
	}
	return data, nil
}
