package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// assembled holds the vector functions as the program calls them.
var assembled = map[string]any{
	"sumExpAVX2": sumExpAVX2, "addExpAVX2": addExpAVX2, "expAVX2": expAVX2, "log1pAVX2": log1pAVX2, "largestAVX2": largestAVX2,
	"noneAboveAVX2": noneAboveAVX2, "raiseAVX2": raiseAVX2, "addAVX2": addAVX2, "addRectifiedAVX2": addRectifiedAVX2, "maskAVX2": maskAVX2,
	"dotAVX2": dotAVX2, "combineAVX2": combineAVX2, "updateAVX2": updateAVX2, "adamAVX2": adamAVX2, "contrastAVX2": contrastAVX2,
	"softplusSumAVX2": softplusSumAVX2, "sigmoidPairsAVX2": sigmoidPairsAVX2, "powerLogitsAVX2": powerLogitsAVX2,
	"powerGradientAVX2": powerGradientAVX2, "variancesAVX2": variancesAVX2, "linearAVX2": linearAVX2, "powerAVX2": powerAVX2,
	"softplusAVX2": softplusAVX2, "softplusSlopeAVX2": softplusSlopeAVX2, "headsAVX2": headsAVX2,
	"geluAVX2": geluAVX2, "sigmoidTimesAVX2": sigmoidTimesAVX2,
	"momentsAVX2": momentsAVX2, "scaledMomentsAVX2": scaledMomentsAVX2,
}

// A parameter is an argument or a result of an assembly function, with its offset in the frame.
type parameter struct {
	name, kind string
	offset     int
}

func (p parameter) key() string { return fmt.Sprintf("%s+%d", p.name, p.offset) }

var parameterText = regexp.MustCompile(`(\w+) (\*float32|float32|int)\b`)

// frameOf returns the arguments and results of a function from its declaration.
func frameOf(t *testing.T, name string) (arguments, results []parameter) {
	t.Helper()
	signature := declared(t, "kernels_amd64.go")[name]
	open, end := strings.Index(signature, "("), strings.Index(signature, ")")
	offset := 0
	add := func(name, kind string) parameter {
		size := map[string]int{"*float32": 8, "int": 8, "float64": 8, "float32": 4}[kind]
		offset = (offset + size - 1) / size * size
		p := parameter{name, kind, offset}
		offset += size
		return p
	}
	for _, found := range parameterText.FindAllStringSubmatch(signature[open:end], -1) {
		arguments = append(arguments, add(found[1], found[2]))
	}
	offset = (offset + 7) / 8 * 8
	switch rest := strings.TrimSpace(signature[end+1:]); {
	case strings.HasPrefix(rest, "("):
		for _, found := range parameterText.FindAllStringSubmatch(rest, -1) {
			results = append(results, add(found[1], found[2]))
		}
	case rest != "":
		results = append(results, add("ret", rest))
	}
	return arguments, results
}

// A trial is a call of a function with random numbers.
type trial struct {
	machine   *machine
	arguments []parameter
	results   []parameter
	inputs    map[string][]float32 // the initial values
	buffers   map[string]*buffer
	scalars   map[string]float32
	n         int
}

// try prepares a call. Special values, if any, are spread over the inputs.
func try(t *testing.T, name string, n int, strange []float32) trial {
	t.Helper()
	source := rand.New(rand.NewPCG(uint64(n), 17))
	c := trial{machine: newMachine(name), inputs: map[string][]float32{}, buffers: map[string]*buffer{}, scalars: map[string]float32{}, n: n}
	c.arguments, c.results = frameOf(t, name)
	for i, p := range c.arguments {
		switch p.kind {
		case "int":
			c.machine.arguments[p.key()] = uint64(n)
		case "float32":
			value := float32(0.25 + source.Float64())
			if p.name == "limit" {
				value = 1e30
			}
			c.scalars[p.name] = value
			c.machine.arguments[p.key()] = uint64(bits(value))
		default:
			values := make([]float32, n)
			for k := range values {
				values[k] = float32(source.NormFloat64())
				switch p.name {
				case "cosines":
					values[k] = float32(math.Tanh(float64(values[k])))
				case "second":
					values[k] *= values[k]
				case "limits":
					values[k] += 50
				case "scales", "shapes":
					values[k] = 0.25 + float32(math.Abs(float64(values[k])))
				}
				if len(strange) > 0 && (k+i)%5 == 0 {
					values[k] = strange[(k/5+i)%len(strange)]
				}
			}
			if name == "log1pAVX2" {
				for k := range values {
					values[k] = float32(math.Abs(float64(values[k])))
				}
			}
			c.inputs[p.name] = values
			c.buffers[p.name] = c.machine.give(p.key(), values)
		}
	}
	return c
}

// onProcessor calls the assembly function with the same numbers and returns the memory that it
// leaves and its results.
func (c trial) onProcessor() (left map[string][]float32, returned []uint64) {
	left = map[string][]float32{}
	var list []reflect.Value
	for _, p := range c.arguments {
		switch p.kind {
		case "int":
			list = append(list, reflect.ValueOf(c.n))
		case "float32":
			list = append(list, reflect.ValueOf(c.scalars[p.name]))
		default:
			left[p.name] = append(slices.Clone(c.inputs[p.name]), 0) // one more element, so that even an empty slice has its own memory
			list = append(list, reflect.ValueOf(&left[p.name][0]))
		}
	}
	for _, result := range reflect.ValueOf(assembled[c.machine.function]).Call(list) {
		switch value := result.Interface().(type) {
		case float32:
			returned = append(returned, uint64(bits(value)))
		case float64:
			returned = append(returned, math.Float64bits(value))
		case int:
			returned = append(returned, uint64(value))
		}
	}
	return left, returned
}

func sameBits(a, b float32) bool { return bits(a) == bits(b) || a != a && b != b }

// All vector functions are tested; a new one must be added to the list.
func TestTheListOfAssembledFunctionsIsComplete(t *testing.T) {
	for name, signature := range declared(t, "kernels_amd64.go") {
		if _, listed := assembled[name]; strings.Contains(signature, "n int") && !listed {
			t.Errorf("%s is not tried", name)
		}
	}
	for name, function := range assembled {
		arguments, results := frameOf(t, name)
		if typ := reflect.TypeOf(function); typ.NumIn() != len(arguments) || typ.NumOut() != len(results) {
			t.Errorf("%s has %d arguments and %d results, found were %d and %d", name, typ.NumIn(), typ.NumOut(), len(arguments), len(results))
		}
	}
}

// A loop processes every vector of its arguments once and nothing else, and none if there are no
// values.
func TestLoopsTouchAllOfTheirArgumentsAndNothingElse(t *testing.T) {
	for name := range assembled {
		for _, n := range []int{0, 8, 16, 24, 72} {
			c := try(t, name, n, nil)
			runOrFail(t, c.machine)
			if want := max(0, n/lanes-1); c.machine.jumps != want {
				t.Errorf("%s of %d values goes back %d times, want %d", name, n, c.machine.jumps, want)
			}
			for argument, b := range c.buffers {
				for i := range b.bytes {
					if b.read[i] != b.read[0] || b.written[i] != b.written[0] || b.read[i]+b.written[i] == 0 {
						t.Errorf("%s of %d values: byte %d of %s is read %d and written %d times, the first %d and %d", name, n, i, argument,
							b.read[i], b.written[i], b.read[0], b.written[0])
						break
					}
				}
			}
			if len(c.machine.results) != len(c.results) {
				t.Errorf("%s of %d values sets %d of %d results", name, n, len(c.machine.results), len(c.results))
			}
		}
	}
}

// A function whose buffer is one value too short accesses memory beyond the end, and the emulator
// detects it.
func TestTheMachineSeesWhatLiesBeyondTheEnd(t *testing.T) {
	for name := range assembled {
		for _, p := range try(t, name, 16, nil).arguments {
			if p.kind != "*float32" {
				continue
			}
			c := try(t, name, 16, nil)
			short := c.buffers[p.name]
			short.bytes = short.bytes[:len(short.bytes)-4]
			a, err := readAssembly()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.machine.run(a); err == nil || !strings.Contains(err.Error(), "of 60 bytes has no 32 at place 32") && !strings.Contains(err.Error(), "of 60 bytes has no 16 at place 48") {
				t.Errorf("%s with one value of %s less: error %v", name, p.name, err)
			}
		}
	}
}

// The CPU and the emulator agree to the bit, including NaN and infinities, so tests with the
// emulator are valid.
func TestTheMachineIsTheProcessor(t *testing.T) {
	unit := detect()
	if !unit.assembled() {
		t.Skip("the processor has no AVX2 with FMA")
	}
	if unit.simd && !unit.fused {
		multiplyAdd = roundedTwice
		defer func() { multiplyAdd = fusedOnce }()
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name := range assembled {
		for _, n := range []int{0, 8, 40, 200} {
			for _, strange := range [][]float32{nil, {nan}, {inf}, {-inf}, {0, float32(math.Copysign(0, -1))}, {1e-42, -1e-42}, {88.8, -88}, {3e38, -3e38}} {
				if len(strange) > 0 && (strange[0] == 1e-42 || strange[0] == 3e38) && n != 40 {
					continue
				}
				c := try(t, name, n, strange)
				runOrFail(t, c.machine)
				left, returned := c.onProcessor()
				for argument, b := range c.buffers {
					for i, got := range b.values() {
						if want := left[argument][i]; !sameBits(got, want) {
							t.Fatalf("%s of %d values with %v: value %d of %s is %g on the machine, %g on the processor", name, n, strange, i, argument, got, want)
						}
					}
				}
				for i, p := range c.results {
					got, want := c.machine.results[p.key()], returned[i]
					same := got == want || p.kind == "float32" && sameBits(f32(uint32(got)), f32(uint32(want))) ||
						p.kind == "float64" && math.IsNaN(math.Float64frombits(got)) && math.IsNaN(math.Float64frombits(want))
					if !same {
						t.Errorf("%s of %d values with %v returns %#x on the machine, %#x on the processor", name, n, strange, got, want)
					}
				}
			}
		}
	}
}
