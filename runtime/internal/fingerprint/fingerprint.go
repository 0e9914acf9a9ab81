// Package fingerprint computes a number from a value, so that two states of a variable can be
// compared without a copy of it.
//
// A fingerprint covers numbers, strings, arrays, slices, maps, structs with their unexported
// fields, and what pointers and interface values refer to. It is bounded: at most MaxItems elements
// and fields and MaxDepth levels are read, where 256 bytes of a string or of a slice of numbers
// count as one. Either bound, 4,096 fields or a slice of 131,072 float64, takes about a tenth of a
// millisecond. A Print of a larger value, and one of a value that contains functions, channels or
// unsafe pointers, is not Exact.
//
// Pointers count by what they refer to. So two variables may have the same fingerprint, one with
// memory of its own and one with shared memory.
package fingerprint

import (
	"hash/maphash"
	"math"
	"math/bits"
	"reflect"
	"unsafe"
)

// The bounds of a fingerprint.
const (
	MaxItems = 1 << 12 // elements and fields
	MaxDepth = 24      // pointers, slices, maps, structs and interface values within each other
)

// perItem is the number of bytes that count as one item in strings and slices of numbers.
const perItem = 256

// A Print is the fingerprint of a value.
type Print struct {
	Hash uint64
	// Exact reports whether the whole value is covered: values with equal exact prints are equal,
	// except for a chance of about 2⁻⁶⁰. Values with different prints differ in any case.
	Exact bool
}

// Differs reports whether two values differ for certain.
func (p Print) Differs(q Print) bool { return p.Hash != q.Hash }

// Equal reports whether two values are equal for certain.
func (p Print) Equal(q Print) bool { return p.Exact && q.Exact && p.Hash == q.Hash }

var seed = maphash.MakeSeed()

// A Reader computes fingerprints. Its bound applies to all of them together.
type Reader struct {
	items int
	exact bool
	hash  uint64
	open  []uintptr // pointers that are being followed
}

// Of returns the fingerprint of a value. Nothing may change the value meanwhile. A value that
// cannot be read has no exact one.
func (r *Reader) Of(v reflect.Value) (p Print) {
	r.exact, r.hash, r.open = true, 0x9e3779b97f4a7c15, r.open[:0]
	defer func() {
		if recover() != nil {
			p = Print{}
		}
	}()
	if v.IsValid() {
		r.add(maphash.String(seed, v.Type().String()))
	}
	r.value(v, 0)
	return Print{r.hash, r.exact}
}

// A Part is the fingerprint of a field of a struct.
type Part struct {
	Fields string // indices of fields, each as a byte plus one: the field, and a field of it
	Print
}

// maxParts is the number of fields of the largest struct whose fields have fingerprints of their
// own, together with the fields of structs in them.
const maxParts = 64

// Parts returns the fingerprint of a value, and those of the fields of a struct and of what a
// pointer to a struct refers to, to a depth of two. The fingerprint of the value is another one
// than that of Of.
func (r *Reader) Parts(v reflect.Value) (whole Print, parts []Part) {
	s := v
	if s.IsValid() && s.Kind() == reflect.Pointer && !s.IsNil() {
		s = s.Elem()
	}
	if !s.IsValid() || s.Kind() != reflect.Struct || s.NumField() < 2 || s.NumField() > maxParts {
		return r.Of(v), nil
	}
	r.exact, r.hash, r.open = true, 0x9e3779b97f4a7c15, r.open[:0]
	defer func() {
		if recover() != nil {
			whole, parts = Print{}, nil
		}
	}()
	name := maphash.String(seed, v.Type().String())
	if s != v {
		r.open = append(r.open, v.Pointer())
	}
	parts = make([]Part, 0, s.NumField())
	inside := r.fields(s, "", &parts)
	r.hash = name
	r.add(inside.Hash)
	return Print{r.hash, inside.Exact}, parts
}

// fields returns the fingerprint of a struct and adds those of its fields.
func (r *Reader) fields(s reflect.Value, path string, parts *[]Part) Print {
	whole := Print{0x9e3779b97f4a7c15, true}
	for i := range s.NumField() {
		f, at := s.Field(i), path+string([]byte{byte(i + 1)})
		var p Print
		if f.Kind() == reflect.Struct && path == "" && len(*parts)+f.NumField() <= maxParts {
			p = r.fields(f, at, parts)
		} else {
			r.hash, r.exact = 0x9e3779b97f4a7c15, true
			r.value(f, 1)
			p = Print{r.hash, r.exact}
		}
		*parts = append(*parts, Part{at, p})
		r.hash = whole.Hash
		r.add(p.Hash)
		whole = Print{r.hash, whole.Exact && p.Exact}
	}
	return whole
}

// add mixes a word into the hash.
func (r *Reader) add(x uint64) {
	hi, lo := bits.Mul64(r.hash^x, 0xd6e8feb86659fd93)
	r.hash = hi ^ lo ^ bits.RotateLeft64(r.hash, 23)
}

// take counts items and reports whether the bound permits them.
func (r *Reader) take(n int) bool {
	if r.items += n; r.items > MaxItems {
		r.exact = false
		return false
	}
	return true
}

// value mixes a value into the hash.
func (r *Reader) value(v reflect.Value, depth int) {
	if !r.take(1) {
		return
	}
	if depth > MaxDepth {
		r.exact = false
		return
	}
	switch v.Kind() {
	case reflect.Invalid:
		r.add(0)
	case reflect.Bool:
		if v.Bool() {
			r.add(1)
		} else {
			r.add(2)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		r.add(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		r.add(v.Uint())
	case reflect.Float32, reflect.Float64:
		r.add(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		c := v.Complex()
		r.add(math.Float64bits(real(c)))
		r.add(math.Float64bits(imag(c)))
	case reflect.String:
		s := v.String()
		if r.add(uint64(len(s))); r.take(len(s) / perItem) {
			r.add(maphash.String(seed, s))
		}
	case reflect.Slice:
		if v.IsNil() {
			r.add(3)
			return
		}
		r.add(uint64(v.Len()))
		if !r.numbers(v) {
			r.elements(v, depth)
		}
	case reflect.Array:
		r.elements(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			r.value(v.Field(i), depth+1)
		}
	case reflect.Map:
		r.entries(v, depth)
	case reflect.Pointer:
		r.pointer(v, depth)
	case reflect.Interface:
		if v.IsNil() {
			r.add(4)
			return
		}
		r.add(maphash.String(seed, v.Elem().Type().String()))
		r.value(v.Elem(), depth+1)
	case reflect.Func:
		if v.IsNil() {
			r.add(5)
			return
		}
		r.add(6)
		r.exact = false
	default: // channels and unsafe pointers
		if v.IsNil() {
			r.add(7)
			return
		}
		r.add(8)
		r.exact = false
	}
}

// elements mixes the elements of an array or slice into the hash.
func (r *Reader) elements(v reflect.Value, depth int) {
	for i := range v.Len() {
		if r.items >= MaxItems {
			r.exact = false
			return
		}
		r.value(v.Index(i), depth+1)
	}
}

// pointer mixes what a pointer refers to into the hash. In a cycle, the place in the cycle counts.
func (r *Reader) pointer(v reflect.Value, depth int) {
	if v.IsNil() {
		r.add(9)
		return
	}
	at := v.Pointer()
	for i, open := range r.open {
		if open == at {
			r.add(uint64(10 + i))
			return
		}
	}
	r.open = append(r.open, at)
	r.add(10)
	r.value(v.Elem(), depth+1)
	r.open = r.open[:len(r.open)-1]
}

// entries mixes the entries of a map into the hash, in any order.
func (r *Reader) entries(v reflect.Value, depth int) {
	if v.IsNil() {
		r.add(11)
		return
	}
	before, sum := r.hash, uint64(0)
	for i := v.MapRange(); i.Next(); {
		if r.items >= MaxItems {
			r.exact = false
			break
		}
		r.hash = 0x9e3779b97f4a7c15
		r.value(i.Key(), depth+1)
		r.value(i.Value(), depth+1)
		sum += r.hash
	}
	r.hash = before
	r.add(uint64(v.Len()))
	if r.exact || r.items < MaxItems { // the entries that were read differ from one look to the next
		r.add(sum)
	}
}

// numbers mixes the elements of a slice of numbers into the hash as bytes. It reports whether the
// slice is one.
func (r *Reader) numbers(v reflect.Value) bool {
	e := v.Type().Elem()
	if k := e.Kind(); k < reflect.Bool || k > reflect.Complex128 {
		return false
	}
	n := v.Len() * int(e.Size())
	if n == 0 {
		return true
	}
	covered := min(n, max(MaxItems-r.items, 0)*perItem)
	r.add(maphash.Bytes(seed, unsafe.Slice((*byte)(v.UnsafePointer()), covered)))
	r.take(n / perItem)
	return true
}
