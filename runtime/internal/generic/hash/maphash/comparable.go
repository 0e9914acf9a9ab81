// Package maphash holds the generic functions of the standard package hash/maphash.
package maphash

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"reflect"
)

// Comparable returns the hash of a value. For one seed, equal values have equal hashes. Comparable
// panics if the dynamic type of the value is not comparable.
//
// The hashes differ from those of the compiled function, which reads the memory of the value. Both
// are valid for one process only, so no program can compare them except by calling both.
func Comparable[T comparable](seed maphash.Seed, v T) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	write(&h, reflect.ValueOf(&v).Elem())
	return h.Sum64()
}

// WriteComparable adds the hash of a value to the data hashed by h.
func WriteComparable[T comparable](h *maphash.Hash, x T) {
	write(h, reflect.ValueOf(&x).Elem())
}

// write hashes the kind and the content of a value.
//
// The kind and the lengths of strings are part of the data, so that neighboring fields cannot be
// confused: the structs {"ab", "c"} and {"a", "bc"} have different hashes. For an interface value
// the type is added as well, since values of different types are unequal.
func write(h *maphash.Hash, v reflect.Value) {
	number(h, uint64(v.Kind()))
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			number(h, 1)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number(h, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		number(h, v.Uint())
	case reflect.Float32, reflect.Float64:
		float(h, v.Float())
	case reflect.Complex64, reflect.Complex128:
		float(h, real(v.Complex()))
		float(h, imag(v.Complex()))
	case reflect.String:
		number(h, uint64(v.Len()))
		h.WriteString(v.String())
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		number(h, uint64(v.Pointer()))
	case reflect.Interface:
		if !v.IsNil() {
			h.WriteString(v.Elem().Type().String())
			write(h, v.Elem())
		}
	case reflect.Array:
		for i := 0; i < v.Len(); i++ {
			write(h, v.Index(i))
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			// Blank fields do not take part in comparisons, so equal structs may differ in them.
			if v.Type().Field(i).Name != "_" {
				write(h, v.Field(i))
			}
		}
	default:
		panic(fmt.Sprintf("hash of unhashable type %v", v.Type()))
	}
}

func number(h *maphash.Hash, n uint64) {
	for i := 0; i < 8; i++ {
		h.WriteByte(byte(n))
		n >>= 8
	}
}

// float hashes a number. Both zeros have the same hash because they are equal, and every NaN has a
// different one because it equals nothing.
func float(h *maphash.Hash, f float64) {
	switch {
	case f == 0:
		number(h, 0)
	case f != f:
		number(h, rand.Uint64())
	default:
		number(h, math.Float64bits(f))
	}
}
