//go:build unix

package embedding

import (
	"fmt"
	"os"
	"syscall"
)

// mappedFrom is the size in bytes from which a file is mapped into memory instead of being read.
const mappedFrom = 16 << 20

// readFile returns the content of a file. A large one is mapped: its pages are read when they are first looked at, belong
// to the system's cache of files, and can be dropped from memory at any time, so that data sets larger than memory can be
// trained on. What is written to them stays private to the program. A mapping lasts until the program ends; it takes
// addresses, not memory. The file must not be made shorter meanwhile: what replaces files as a whole, as this package
// does, is no danger.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
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
		return os.ReadFile(path)
	}
	if int64(int(size)) != size {
		return nil, fmt.Errorf("%s has %d bytes, more than this machine has addresses for", path, size)
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return os.ReadFile(path) // some file systems have no mappings
	}
	return data, nil
}
