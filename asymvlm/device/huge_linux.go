package device

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page on amd64 and arm64.
const hugePage = 2 << 20

// onHugePages asks the system to keep the interior of a long slice on huge pages. A matrix product
// reads megabytes, and with pages of 4 KiB address translation limits its speed. A refusal has no
// other effect. The request is made before the memory is first used.
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
