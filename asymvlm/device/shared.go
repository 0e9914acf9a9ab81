package device

import "sync"

// shared is the device of the whole program.
var shared = sync.OnceValue(func() *CPU { return NewCPU(0) })

// Shared returns a device with all cores that the whole program shares. It is started at the first call and must not
// be closed.
func Shared() *CPU { return shared() }
