package graph_test

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/graph"
	"gosphere/runtime/internal/fingerprint"
)

// called are the packages whose functions TestFunctionsLeaveTheirArgumentsAlone calls: they have no
// effect outside of the process.
var called = []string{"bytes", "strings", "strconv", "sort", "errors", "math", "unicode/utf8", "unicode/utf16", "encoding/hex", "hash/crc32", "math/bits",
	"gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/cmplxs", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/integrate", "gonum.org/v1/gonum/dsp/window", "encoding/binary"}

// arbitrary returns a value of a type, and whether it can make one.
func arbitrary(t reflect.Type, r *rand.Rand) (reflect.Value, bool) {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64N(4))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(r.IntN(200)))
	case reflect.Float64, reflect.Float32:
		v.SetFloat(r.Float64())
	case reflect.Complex128:
		v.SetComplex(complex(r.Float64(), r.Float64()))
	case reflect.String:
		v.SetString(string([]byte{byte('a' + r.IntN(3)), byte('0' + r.IntN(9))}))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 4, 8))
		for i := range 4 {
			e, ok := arbitrary(t.Elem(), r)
			if !ok {
				return v, false
			}
			v.Index(i).Set(e)
		}
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return v, false
		}
		v.Set(reflect.ValueOf(&[]int{r.IntN(9), 1}))
	default:
		return v, false
	}
	return v, true
}

// TestFunctionsLeaveTheirArgumentsAlone calls functions with random arguments. Those that are not
// said to change may not differ after the call.
func TestFunctionsLeaveTheirArgumentsAlone(t *testing.T) {
	packages := sessiontest.Packages(t)
	r := rand.New(rand.NewPCG(1, 2))
	tried, changing := 0, 0
	for _, path := range called {
		p, err := packages.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			f, ok := p.Scope().Lookup(name).(*types.Func)
			compiled, found := sessiontest.Preloaded.Symbol(path, name)
			if !ok || !found || !f.Exported() || compiled.Kind() != reflect.Func || strings.HasPrefix(name, "Must") {
				continue
			}
			changes := graph.ChangedBy(f)
			for range 30 {
				arguments, before, possible := call(compiled.Type(), r)
				if !possible {
					break
				}
				func() {
					defer func() { _ = recover() }() // of invalid arguments, such as slices of other lengths
					compiled.Call(arguments)
				}()
				tried++
				for i, a := range arguments {
					if printed(a) == before[i] {
						continue
					}
					changing++
					if !changes(i) {
						t.Fatalf("%s.%s has changed argument %d", path, name, i)
					}
				}
			}
		}
	}
	if tried < 5000 || changing < 500 {
		t.Errorf("%d calls, %d changes of arguments", tried, changing)
	}
	t.Logf("%d calls, %d changes of arguments", tried, changing)
}

// call returns arguments of a function and their fingerprints, and whether it can make them.
func call(t reflect.Type, r *rand.Rand) (arguments []reflect.Value, before []string, possible bool) {
	for i := range t.NumIn() {
		in := t.In(i)
		if t.IsVariadic() && i == t.NumIn()-1 {
			in = in.Elem()
		}
		a, ok := arbitrary(in, r)
		if !ok {
			return nil, nil, false
		}
		arguments, before = append(arguments, a), append(before, printed(a))
	}
	return arguments, before, true
}

func printed(v reflect.Value) string {
	var r fingerprint.Reader
	return fmt.Sprint(r.Of(v))
}
