package builtin

import (
	"math"
	"reflect"
	"strconv"
)

// printText is the destination of print and println. The session replaces it.
var printText = func(text string) { print(text) }

// PrintTo sets the function that receives the output of print and println.
func PrintTo(write func(text string)) { printText = write }

// Print writes values as print does, or as println does if line is set. It writes them at once, so
// that the output of other goroutines is not between the values or before the end of the line. The
// runtime holds a lock for the same reason.
func Print(args []reflect.Value, line bool) {
	text := ""
	for i, v := range args {
		if i > 0 && line {
			text += " "
		}
		text += printed(v)
	}
	if line {
		text += "\n"
	}
	printText(text)
}

// printed returns the text that print writes for a value. It is that of the runtime, which differs
// from the text of package fmt: a slice of length 1 is printed as [1/4] followed by its address.
//
// The list of kinds is complete for print: the specification requires booleans, numbers and
// strings, and gc accepts pointers, channels, maps, functions, slices and interfaces, but no
// structs and arrays.
func printed(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return printedFloat(v.Float())
	case reflect.Complex64, reflect.Complex128:
		z := v.Complex()
		return "(" + printedFloat(real(z)) + printedFloat(imag(z)) + "i)"
	case reflect.Interface:
		words := *(*[2]uintptr)(v.Addr().UnsafePointer())
		return "(0x" + strconv.FormatUint(uint64(words[0]), 16) + ",0x" + strconv.FormatUint(uint64(words[1]), 16) + ")"
	case reflect.Slice:
		return "[" + strconv.Itoa(v.Len()) + "/" + strconv.Itoa(v.Cap()) + "]0x" + strconv.FormatUint(uint64(v.Pointer()), 16)
	}
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return "0x" + strconv.FormatUint(uint64(v.Pointer()), 16)
}

// printedFloat returns a number in the form that the runtime prints, such as +1.500000e+000.
func printedFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	}
	text := strconv.FormatFloat(v, 'e', 6, 64)
	if v >= 0 && !math.Signbit(v) {
		text = "+" + text
	}
	// The runtime always prints three digits of the exponent.
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '+' || text[i] == '-' {
			for len(text)-i-1 < 3 {
				text = text[:i+1] + "0" + text[i+1:]
			}
			break
		}
	}
	return text
}
