package device

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page of memory on amd64 and arm64.
const hugePage = 2 << 20

// onHugePages asks the system to keep the inner part of a long slice on large pages: a product walks through megabytes, and
// with pages of 4 KiB the processor waits for their addresses. Where the system refuses, nothing else changes. It is asked
// before the memory is touched.
func onHugePages[E Float | int32](s []E) []E {
	start := unsafe.Pointer(unsafe.SliceData(s))
	bytes := uintptr(len(s)) * unsafe.Sizeof(E(0))
	if bytes < 2*hugePage {
		return s
	}
	skip := -uintptr(start) % hugePage
	whole := (bytes - skip) / hugePage * hugePage
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), syscall.MADV_HUGEPAGE) // advice only
	return s
}
