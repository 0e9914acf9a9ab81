package embedding

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// valid returns one small file of each format and its reader.
func valid(t testing.TB) map[string]struct {
	data []byte
	read func(data []byte) ([]*Array, error)
} {
	one := npyBytes("<f4", "False", "(2, 3)", littleEndian(t, []float32{1, 2, 3, 4, 5, 6}))
	all := func(arrays map[string]*Array, err error) (list []*Array, _ error) {
		for _, array := range arrays {
			list = append(list, array)
		}
		return list, err
	}
	header := `{"a":{"dtype":"F32","shape":[3],"data_offsets":[8,20]},"b":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"__metadata__":{"k":"v"}}`
	return map[string]struct {
		data []byte
		read func(data []byte) ([]*Array, error)
	}{
		"npy": {one, func(data []byte) ([]*Array, error) {
			array, err := decodeNPY(data)
			return []*Array{array}, err
		}},
		"npz":            {npzBytes(t, zip.Store, "a.npy", one, "b.npy", one), func(data []byte) ([]*Array, error) { return all(decodeNPZ(data)) }},
		"compressed npz": {npzBytes(t, zip.Deflate, "a.npy", one), func(data []byte) ([]*Array, error) { return all(decodeNPZ(data)) }},
		"safetensors": {safetensorsBytes(header, make([]byte, 20)), func(data []byte) ([]*Array, error) {
			file, err := decodeSafetensors(data)
			if err != nil {
				return nil, err
			}
			return all(file.Arrays, nil)
		}},
	}
}

func TestFilesThatAreCutAnywhereAreRefused(t *testing.T) {
	for name, file := range valid(t) {
		if _, err := file.read(file.data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for length := range file.data {
			if _, err := file.read(file.data[:length]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are accepted", name, length, len(file.data))
			} else if !strings.HasPrefix(err.Error(), "embedding: ") {
				t.Errorf("%s: error %q does not name the package", name, err)
			}
		}
	}
}

// TestFilesWithAnyByteChangedAreReadOrRefused checks that no reader panics, and that accepted
// content is consistent. A .npz file has checksums, so no change inside an array is accepted.
func TestFilesWithAnyByteChangedAreReadOrRefused(t *testing.T) {
	for name, file := range valid(t) {
		for place := range file.data {
			for _, change := range []byte{1, 0x20, 0x80, 0xff} {
				damaged := slices.Clone(file.data)
				damaged[place] ^= change
				arrays, err := file.read(damaged)
				if err != nil {
					continue
				}
				for _, array := range arrays {
					if err := array.Check(); err != nil {
						t.Errorf("%s, byte %d xor %#x: %v", name, place, change, err)
					}
				}
			}
		}
	}
	archive := valid(t)["npz"]
	numbers := bytes.Index(archive.data, littleEndian(t, []float32{1, 2, 3}))
	for place := numbers; place < numbers+24; place++ {
		damaged := slices.Clone(archive.data)
		damaged[place] ^= 4
		if _, err := archive.read(damaged); err == nil {
			t.Errorf("npz: a change at byte %d of an array is not seen", place-numbers)
		}
	}
}

func TestEveryHalfIsItsValue(t *testing.T) {
	for bits := range 1 << 16 {
		half := uint16(bits)
		sign := 1.0
		if half>>15 == 1 {
			sign = -1
		}
		exponent, fraction := int(half>>10&0x1f), float64(half&0x3ff)
		want := sign * math.Ldexp(1+fraction/1024, exponent-15)
		switch {
		case exponent == 0:
			want = sign * math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		got := float64(halfToFloat(half))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(want) {
			t.Fatalf("%#04x gives %g, want %g", half, got, want)
		}
	}
}

// TestEveryTypeGoesThroughBothFormats writes random bytes as values of each type and reads them
// back.
func TestEveryTypeGoesThroughBothFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	file := &Safetensors{Arrays: map[string]*Array{}}
	for stored, size := range typeSizes {
		for _, shape := range [][]int{{}, {1}, {2, 3}, {3, 1, 2}, {0}, {4, 0, 2}} {
			count, err := elements(shape, 100)
			if err != nil {
				t.Fatal(err)
			}
			array := &Array{Type: stored, Shape: shape, Data: make([]byte, count*size)}
			for i := range array.Data {
				array.Data[i] = byte(r.Uint32())
			}
			file.Arrays[fmt.Sprint(stored, shape)] = array
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "all.safetensors")
	if err := WriteSafetensors(path, file); err != nil {
		t.Fatal(err)
	}
	got, err := ReadArrays(path)
	if err != nil || len(got) != len(file.Arrays) {
		t.Fatalf("%d arrays, want %d (error %v)", len(got), len(file.Arrays), err)
	}
	same := func(where string, got, want *Array) {
		t.Helper()
		if got == nil || got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: %+v came back as %+v", where, want, got)
		}
	}
	for name, array := range file.Arrays {
		same("safetensors", got[name], array)
		if array.Type == "BF16" || len(array.Shape) != 2 { // NumPy has no bfloat16, and a few writes are enough
			continue
		}
		path := filepath.Join(dir, "a.npy")
		if err := WriteNPY(path, array); err != nil {
			t.Fatal(err)
		}
		one, err := ReadArrays(path)
		if err != nil {
			t.Fatal(err)
		}
		same("npy", one["a"], array)
	}
}

func TestColumnOrderIsTurnedForEveryShape(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {3, 4}, {7, 2}, {0, 3}, {3, 0}} {
		values := make([]float64, shape[0]*shape[1])
		for i := range shape[0] {
			for j := range shape[1] {
				values[j*shape[0]+i] = float64(10*i + j)
			}
		}
		array, err := decodeNPY(npyBytes("<f8", "True", fmt.Sprintf("(%d, %d)", shape[0], shape[1]), littleEndian(t, values)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := array.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range got {
			if want := float64(10*(i/shape[1]) + i%shape[1]); value != want {
				t.Errorf("%v: value %d is %g, want %g", shape, i, value, want)
			}
		}
	}
}

func TestNamesAndMetadataMayBeAnyText(t *testing.T) {
	names := []string{"", " ", "a/b.weight", `quote"and\slash`, "кириллица", "日本", "line\nbreak", "<tag>&", "__metadata"}
	file := &Safetensors{Arrays: map[string]*Array{}, Metadata: map[string]string{}}
	for i, name := range names {
		file.Arrays[name] = Float32Array([]float32{float32(i)})
		file.Metadata[name] = name + "!"
	}
	path := filepath.Join(t.TempDir(), "names.safetensors")
	if err := WriteSafetensors(path, file); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSafetensors(path)
	if err != nil || len(got.Arrays) != len(names) {
		t.Fatalf("%d arrays (error %v)", len(got.Arrays), err)
	}
	for i, name := range names {
		if values, err := got.Arrays[name].Float32s(); err != nil || values[0] != float32(i) || got.Metadata[name] != name+"!" {
			t.Errorf("%q: values %v, metadata %q (error %v)", name, values, got.Metadata[name], err)
		}
	}
}

func TestNamesThatJSONWouldChangeAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.safetensors")
	one := Float32Array([]float32{1})
	for want, file := range map[string]*Safetensors{
		`names.safetensors: the tensor name "a\xff" is not UTF-8`: {Arrays: map[string]*Array{"a\xff": one, "a\xfe": one}},
		`metadata "k" with the value "\xc3" is not UTF-8`:         {Metadata: map[string]string{"k": "\xc3"}},
		`metadata "\x80" with the value "v"`:                      {Metadata: map[string]string{"\x80": "v"}},
	} {
		if len(file.Arrays) == 2 {
			delete(file.Arrays, "a\xfe") // only one, so that the error is the same in every run
		}
		wantError(t, WriteSafetensors(path, file), want)
	}
}

// TestReadersSeeWholeFiles runs writers and readers of one file concurrently: each reader must see
// the content of one writer.
func TestReadersSeeWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shared.npy")
	write := func(value float32) error {
		values := make([]float32, 5000)
		for i := range values {
			values[i] = value
		}
		return WriteNPY(path, Float32Array(values))
	}
	if err := write(0); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for writer := range 3 {
		running.Go(func() {
			for i := range 10 {
				if err := write(float32(10*writer + i)); err != nil {
					t.Error(err)
				}
			}
		})
		running.Go(func() {
			for range 20 {
				array, err := ReadNPY(path)
				if err != nil {
					t.Error(err)
					return
				}
				values, err := array.Float32s()
				if err != nil || slices.Min(values) != slices.Max(values) || len(values) != 5000 {
					t.Errorf("%d values from %g to %g (error %v)", len(values), slices.Min(values), slices.Max(values), err)
				}
			}
		})
	}
	running.Wait()
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("%d files are left, want one", len(entries))
	}
}

func TestHugeClaimsCostNothing(t *testing.T) {
	// The headers claim terabytes; the files have a few bytes.
	for name, data := range map[string][]byte{
		"npy":         npyBytes("<f8", "False", "(1099511627776, 8)", make([]byte, 64)),
		"safetensors": safetensorsBytes(`{"a":{"dtype":"F64","shape":[1099511627776],"data_offsets":[0,8796093022208]}}`, make([]byte, 64)),
		"header":      append(binary.LittleEndian.AppendUint64(nil, 99_999_999), make([]byte, 64)...),
	} {
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := decodeNPY(data); err == nil {
				t.Errorf("%s is accepted as npy", name)
			}
			if _, err := decodeSafetensors(data); err == nil {
				t.Errorf("%s is accepted as safetensors", name)
			}
		})
		if allocated > 1000 {
			t.Errorf("%s: %g allocations", name, allocated)
		}
	}
}
