package realtype

import (
	"reflect"
	"unsafe"
)

// abiChannel mirrors the beginning of runtime.hchan.
type abiChannel struct {
	count     uint           // elements in the buffer
	size      uint           // room for elements
	buffer    unsafe.Pointer // an array, used as a ring
	elemSize  uint16
	closed    uint32
	timer     unsafe.Pointer
	elem      *abiType
	sendAt    uint
	receiveAt uint
}

// walkChannel looks at the elements in the buffer where they are: what is taken out of a closed
// channel cannot be put back.
func (r *refresher) walkChannel(c reflect.Value) {
	if c.IsNil() || c.Len() == 0 || !r.first(place{address: c.UnsafePointer(), typ: c.Type()}) {
		return
	}
	for _, elem := range buffered(c) {
		r.walk(elem)
	}
}

// buffered returns the elements in the buffer of a channel, addressable, the oldest first.
func buffered(c reflect.Value) []reflect.Value {
	head := (*abiChannel)(c.UnsafePointer())
	var elements []reflect.Value
	for i := range head.count {
		at := unsafe.Add(head.buffer, uintptr((head.receiveAt+i)%head.size)*uintptr(head.elemSize))
		elements = append(elements, reflect.NewAt(c.Type().Elem(), at).Elem())
	}
	return elements
}
