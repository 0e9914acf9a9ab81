package machine

import (
	"reflect"
	"unsafe"
)

// Typed entries for the callbacks of the standard library that have more than two parameters or
// more than one result. The receiver of a method counts as a parameter: the Less method of a
// sort.Interface is a func(unsafe.Pointer, int, int) bool.

// callbacks maps the classes of parameters and results, as callbackKey writes them, to the
// functions that make func values.
var callbacks = map[string]func(*Closure) unsafe.Pointer{}

// callbackKey returns the key of a function type in callbacks.
func callbackKey(t reflect.Type) string {
	key := make([]byte, 0, 16)
	for i := range t.NumIn() {
		key = append(key, byte(classOfKind[t.In(i).Kind()]))
	}
	key = append(key, byte(noResult))
	for i := range t.NumOut() {
		key = append(key, byte(classOfKind[t.Out(i).Kind()]))
	}
	return string(key)
}

// callback adds the entry for functions of the type F. Interfaces are written as any, and all that
// consists of one pointer as unsafe.Pointer.
func callback[F any](enter func(*Closure) unsafe.Pointer) {
	callbacks[callbackKey(reflect.TypeFor[F]())] = enter
}

// pointer abbreviates the list below.
type pointer = unsafe.Pointer

func init() {
	// Methods of interfaces, with the receiver.
	callback[func(pointer, int, int) bool](enter3r[pointer, int, int, bool])            // sort.Interface
	callback[func(pointer, int, int)](enter3[pointer, int, int])                        // sort.Interface
	callback[func(pointer, any, pointer)](enter3[pointer, Iface, pointer])              // http.Handler
	callback[func(pointer, any, int32)](enter3[pointer, Iface, int32])                  // fmt.Formatter
	callback[func(pointer, any, int32) any](enter3r[pointer, Iface, int32, Iface])      // fmt.Scanner
	callback[func(pointer, any, any) any](enter3r[pointer, Iface, Iface, Iface])        // encoding/xml
	callback[func(pointer, []byte) (int, any)](enter2r2[pointer, Slice, int, Iface])    // io.Reader, io.Writer
	callback[func(pointer, string) (int, any)](enter2r2[pointer, string, int, Iface])   // io.StringWriter
	callback[func(pointer, any) (int64, any)](enter2r2[pointer, Iface, int64, Iface])   // io.WriterTo
	callback[func(pointer, string) (any, any)](enter2r2[pointer, string, Iface, Iface]) // fs.FS
	callback[func(pointer, int) (any, any)](enter2r2[pointer, int, Iface, Iface])
	callback[func(pointer, int) ([]any, any)](enter2r2[pointer, int, Slice, Iface])                                       // fs.ReadDirFile
	callback[func(pointer, pointer) (pointer, any)](enter2r2[pointer, pointer, pointer, Iface])                           // http.RoundTripper
	callback[func(pointer, []byte, int64) (int, any)](enter3r2[pointer, Slice, int64, int, Iface])                        // io.ReaderAt
	callback[func(pointer, int64, int) (int64, any)](enter3r2[pointer, int64, int, int64, Iface])                         // io.Seeker
	callback[func(pointer, []byte, []byte, bool) (int, int, any)](enter4r3[pointer, Slice, Slice, bool, int, int, Iface]) // transform.Transformer
	callback[func(pointer) (uint8, any)](enter1r2[pointer, uint8, Iface])                                                 // io.ByteReader
	callback[func(pointer, uint8) any](enter2r[pointer, uint8, Iface])                                                    // io.ByteWriter
	callback[func(pointer) (int32, int, any)](enter1r3[pointer, int32, int, Iface])                                       // io.RuneReader
	callback[func(pointer) ([]byte, any)](enter1r2[pointer, Slice, Iface])                                                // json.Marshaler
	callback[func(pointer) (any, any)](enter1r2[pointer, Iface, Iface])                                                   // driver.Valuer
	callback[func(pointer) (pointer, any)](enter1r2[pointer, pointer, Iface])
	callback[func(pointer, []byte) []byte](enter2r[pointer, Slice, Slice]) // hash.Hash
	callback[func(pointer) uint32](enter1r[pointer, uint32])               // hash.Hash32
	callback[func(pointer) uint64](enter1r[pointer, uint64])               // hash.Hash64, rand.Source
	callback[func(pointer) int64](enter1r[pointer, int64])                 // rand.Source
	callback[func(pointer, int64)](enter2[pointer, int64])
	callback[func(pointer, uint64)](enter2[pointer, uint64])
	callback[func(pointer) (uint32, uint32, uint32, uint32)](enter1r4[pointer, uint32, uint32, uint32, uint32]) // color.Color
	callback[func(pointer, int, int) any](enter3r[pointer, int, int, Iface])                                    // image.Image
	callback[func(pointer, int, int, any)](enter4[pointer, int, int, Iface])                                    // draw.Image
	callback[func(pointer, int, int) float64](enter3r[pointer, int, int, float64])                              // mat.Matrix
	callback[func(pointer) (int, int)](enter1r2[pointer, int, int])                                             // mat.Matrix
	callback[func(pointer, int) (float64, float64)](enter2r2[pointer, int, float64, float64])                   // plotter.XYer
	callback[func(pointer, []byte) ([]byte, any)](enter2r2[pointer, Slice, Slice, Iface])                       // encoding.TextAppender
	callback[func(pointer, any, int, []any)](enter4[pointer, Iface, int, Slice])

	// Functions.
	callback[func(int32) int32](enter1r[int32, int32])                                        // strings.Map
	callback[func([]byte, bool) (int, []byte, any)](enter2r3[Slice, bool, int, Slice, Iface]) // bufio.SplitFunc
	callback[func(string, any, any) any](enter3r[string, Iface, Iface, Iface])                // fs.WalkDirFunc
	callback[func(any, any) any](enter2r[Iface, Iface, Iface])
	callback[func(pointer, any) (any, any)](enter2r2[pointer, Iface, Iface, Iface])
	callback[func(any) (any, any)](enter1r2[Iface, Iface, Iface])
	callback[func(string) (any, any)](enter1r2[string, Iface, Iface])
	callback[func(string) (string, bool)](enter1r2[string, string, bool])
	callback[func(string) (string, any)](enter1r2[string, string, Iface])
	callback[func(any, any, any)](enter3[Iface, Iface, Iface])
	callback[func(any, any, any) (any, any)](enter3r2[Iface, Iface, Iface, Iface, Iface])         // dial functions
	callback[func(any, string, string) (any, any)](enter3r2[Iface, string, string, Iface, Iface]) // http.Transport.DialContext
	callback[func(float64, float64, float64) float64](enter3r[float64, float64, float64, float64])
	callback[func(float64, []float64, []float64)](enter3[float64, Slice, Slice])
	callback[func([]float64, []float64, []float64)](enter3[Slice, Slice, Slice])
	callback[func(int, int, float64) float64](enter3r[int, int, float64, float64]) // mat.Dense.Apply
	callback[func([]float64) []float64](enter1r[Slice, Slice])
}

// param stores the argument with an index in the frame of a call.
func param[A any](n Frame, cl *Closure, i int, a A) { *At[A](n, cl.Sig.Params[i].Offset) = a }

// result returns a result of a call that has ended.
func result[R any](n Frame, cl *Closure, i int) R { return *At[R](n, cl.Sig.Results[i].Offset) }

func enter2[A, B any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		finish(n, t, s)
		done(n, t, s)
	})
}

func enter3[A, B, C any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B, c C) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		param(n, cl, 2, c)
		finish(n, t, s)
		done(n, t, s)
	})
}

func enter4[A, B, C, D any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B, c C, d D) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		param(n, cl, 2, c)
		param(n, cl, 3, d)
		finish(n, t, s)
		done(n, t, s)
	})
}

func enter3r[A, B, C, R any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B, c C) R {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		param(n, cl, 2, c)
		return end[R](n, t, s)
	})
}

func enter1r2[A, R, S any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A) (R, S) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		finish(n, t, s)
		r0, r1 := result[R](n, cl, 0), result[S](n, cl, 1)
		done(n, t, s)
		return r0, r1
	})
}

func enter2r2[A, B, R, S any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B) (R, S) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		finish(n, t, s)
		r0, r1 := result[R](n, cl, 0), result[S](n, cl, 1)
		done(n, t, s)
		return r0, r1
	})
}

func enter3r2[A, B, C, R, S any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B, c C) (R, S) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		param(n, cl, 2, c)
		finish(n, t, s)
		r0, r1 := result[R](n, cl, 0), result[S](n, cl, 1)
		done(n, t, s)
		return r0, r1
	})
}

func enter1r3[A, R, S, T any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A) (R, S, T) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		finish(n, t, s)
		r0, r1, r2 := result[R](n, cl, 0), result[S](n, cl, 1), result[T](n, cl, 2)
		done(n, t, s)
		return r0, r1, r2
	})
}

func enter2r3[A, B, R, S, T any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B) (R, S, T) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		finish(n, t, s)
		r0, r1, r2 := result[R](n, cl, 0), result[S](n, cl, 1), result[T](n, cl, 2)
		done(n, t, s)
		return r0, r1, r2
	})
}

func enter4r3[A, B, C, D, R, S, T any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A, b B, c C, d D) (R, S, T) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		param(n, cl, 1, b)
		param(n, cl, 2, c)
		param(n, cl, 3, d)
		finish(n, t, s)
		r0, r1, r2 := result[R](n, cl, 0), result[S](n, cl, 1), result[T](n, cl, 2)
		done(n, t, s)
		return r0, r1, r2
	})
}

func enter1r4[A, R, S, T, U any](cl *Closure) unsafe.Pointer {
	return valueOf(func(a A) (R, S, T, U) {
		n, t, s := cl.begin()
		param(n, cl, 0, a)
		finish(n, t, s)
		r0, r1, r2, r3 := result[R](n, cl, 0), result[S](n, cl, 1), result[T](n, cl, 2), result[U](n, cl, 3)
		done(n, t, s)
		return r0, r1, r2, r3
	})
}
