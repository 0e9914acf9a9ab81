package embedding

import (
	"encoding/binary"
	"unsafe"
)

// sharedFloat32s returns the numbers of an F32 array without copying them, and reports whether that
// is possible: this machine must be little-endian and the data aligned. The bytes of a large file
// are mapped, so no bytes are copied.
func sharedFloat32s(data []byte) ([]float32, bool) {
	if len(data) == 0 || !storesAsFiles || uintptr(unsafe.Pointer(&data[0]))%4 != 0 {
		return nil, false
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), len(data)/4), true
}

var storesAsFiles = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
