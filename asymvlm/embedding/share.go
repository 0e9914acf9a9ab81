package embedding

import (
	"encoding/binary"
	"unsafe"
)

// sharedFloat32s returns the numbers of an F32 array in its own memory, where this machine stores numbers as files do and
// they begin at an address that it can read them from. The bytes of a large file are mapped, so nothing is copied.
func sharedFloat32s(data []byte) ([]float32, bool) {
	if len(data) == 0 || !storesAsFiles || uintptr(unsafe.Pointer(&data[0]))%4 != 0 {
		return nil, false
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), len(data)/4), true
}

var storesAsFiles = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
