package embedding

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// npyBytes returns a .npy file of version 1 as NumPy writes it.
func npyBytes(descr, fortran, shape string, body []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return append(append(data, header...), body...)
}

// npzBytes returns a .npz file.
func npzBytes(t testing.TB, method uint16, entries ...any) []byte {
	t.Helper()
	var buffer bytes.Buffer
	archive := zip.NewWriter(&buffer)
	for i := 0; i < len(entries); i += 2 {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: entries[i].(string), Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(entries[i+1].([]byte)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// safetensorsBytes returns a .safetensors file with the given header.
func safetensorsBytes(header string, body []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), body...)
}

func littleEndian(t testing.TB, values any) []byte {
	t.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestNPYReadsEveryNumberType(t *testing.T) {
	want := []float64{1, 2, 3, 100, 0, 5}
	for _, c := range []struct {
		descr  string
		values any
	}{
		{"<f8", []float64{1, 2, 3, 100, 0, 5}}, {"<f4", []float32{1, 2, 3, 100, 0, 5}},
		{"<f2", []uint16{0x3c00, 0x4000, 0x4200, 0x5640, 0, 0x4500}},
		{"<i8", []int64{1, 2, 3, 100, 0, 5}}, {"<u8", []uint64{1, 2, 3, 100, 0, 5}},
		{"<i4", []int32{1, 2, 3, 100, 0, 5}}, {"<u4", []uint32{1, 2, 3, 100, 0, 5}},
		{"<i2", []int16{1, 2, 3, 100, 0, 5}}, {"<u2", []uint16{1, 2, 3, 100, 0, 5}},
		{"|i1", []int8{1, 2, 3, 100, 0, 5}}, {"|u1", []uint8{1, 2, 3, 100, 0, 5}},
	} {
		array, err := decodeNPY(npyBytes(c.descr, "False", "(2, 3)", littleEndian(t, c.values)))
		if err != nil {
			t.Errorf("%s: %v", c.descr, err)
			continue
		}
		got, err := array.Float64s()
		if err != nil || !slices.Equal(got, want) || !slices.Equal(array.Shape, []int{2, 3}) {
			t.Errorf("%s: %v of shape %v, %v", c.descr, got, array.Shape, err)
		}
	}
}

func TestNPYReadsBothByteOrdersAndStorageOrders(t *testing.T) {
	big, err := binary.Append(nil, binary.BigEndian, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"big-endian":       npyBytes(">f4", "False", "(2, 3)", big),
		"column by column": npyBytes("<f4", "True", "(2, 3)", littleEndian(t, []float32{1, 4, 2, 5, 3, 6})),
	} {
		array, err := decodeNPY(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := array.Matrix()
		if err != nil || !slices.Equal(m.Values, []float32{1, 2, 3, 4, 5, 6}) {
			t.Errorf("%s: %v, %v", name, m.Values, err)
		}
	}
	scalar, err := decodeNPY(npyBytes("<i8", "False", "()", littleEndian(t, int64(-7))))
	if err != nil {
		t.Fatal(err)
	}
	if values, err := scalar.Int64s(); err != nil || len(scalar.Shape) != 0 || values[0] != -7 {
		t.Errorf("scalar: %v of shape %v, %v", values, scalar.Shape, err)
	}
}

func TestHalfPrecisionIsExact(t *testing.T) {
	for half, want := range map[uint16]float64{
		0x0000: 0, 0x0001: 0x1p-24, 0x03ff: 1023 * 0x1p-24, 0x0400: 0x1p-14, 0x3555: 0.333251953125, 0x3c00: 1,
		0x7bff: 65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0xc000: -2, 0x8001: -0x1p-24,
	} {
		if got := float64(halfToFloat(half)); got != want {
			t.Errorf("%#04x gives %g, want %g", half, got, want)
		}
	}
	if got := halfToFloat(0x7e00); got == got {
		t.Errorf("0x7e00 gives %g, want NaN", got)
	}
	if got := math.Signbit(float64(halfToFloat(0x8000))); !got {
		t.Error("0x8000 gives 0, want −0")
	}
}

// malformedNPY returns files that must be rejected.
func malformedNPY() map[string][]byte {
	four := make([]byte, 4)
	return map[string][]byte{
		"empty":              {},
		"other magic":        []byte("PK\x03\x04 this is something else entirely"),
		"header cut short":   npyBytes("<f4", "False", "(1,)", four)[:30],
		"no shape":           append([]byte("\x93NUMPY\x01\x00\x10\x00"), "{'descr': '<f4'}"...),
		"no end of line":     append([]byte("\x93NUMPY\x01\x00\x04\x00"), "abcd...."...),
		"huge header":        append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), four...),
		"unknown type":       npyBytes("<c8", "False", "(1,)", four),
		"object":             npyBytes("|O", "False", "(1,)", four),
		"no type":            npyBytes("", "False", "(1,)", four),
		"too few values":     npyBytes("<f4", "False", "(2,)", four),
		"too many values":    npyBytes("<f4", "False", "(1,)", make([]byte, 8)),
		"negative dimension": npyBytes("<f4", "False", "(-1,)", four),
		"overflowing shape":  npyBytes("<f4", "False", "(4294967296, 4294967296, 4294967296)", nil),
		"odd order":          npyBytes("<f4", "Maybe", "(1,)", four),
		"Fortran, 3-D":       npyBytes("<f4", "True", "(1, 1, 1)", four),
	}
}

func TestMalformedNPYIsRefused(t *testing.T) {
	for name, data := range malformedNPY() {
		t.Run(name, func(t *testing.T) {
			_, err := decodeNPY(data)
			wantError(t, err)
		})
	}
	_, err := ReadNPY(filepath.Join(t.TempDir(), "none.npy"))
	wantError(t, err, "none.npy")
}

func TestNPZReadsStoredAndCompressedEntries(t *testing.T) {
	one := npyBytes("<f4", "False", "(2,)", littleEndian(t, []float32{1, 2}))
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		arrays, err := decodeNPZ(npzBytes(t, method, "a.npy", one, "path/b.npy", one))
		if err != nil {
			t.Fatal(err)
		}
		if len(arrays) != 2 || arrays["path/b"] == nil || arrays["a"].Len() != 2 {
			t.Errorf("method %d: arrays %v", method, arrays)
		}
	}
}

func TestMalformedNPZIsRefused(t *testing.T) {
	one := npyBytes("<f4", "False", "(1,)", make([]byte, 4))
	_, err := decodeNPZ([]byte("PK nothing"))
	wantError(t, err)
	_, err = decodeNPZ(npzBytes(t, zip.Store, "readme.txt", one))
	wantError(t, err, `entry "readme.txt" is not an array`)
	_, err = decodeNPZ(npzBytes(t, zip.Store, "a.npy", one, "a.npy", one))
	wantError(t, err, `two arrays named "a"`)
	_, err = decodeNPZ(npzBytes(t, zip.Store, "a.npy", one[:len(one)-1]))
	wantError(t, err, `array "a"`)
	damaged := npzBytes(t, zip.Store, "a.npy", one)
	damaged[bytes.Index(damaged, one)+len(one)-1] ^= 1
	_, err = decodeNPZ(damaged)
	wantError(t, err, "checksum")
}

func TestSafetensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	file := &Safetensors{
		Arrays: map[string]*Array{
			"weight": Float32Array([]float32{1, -2, 3.5, 0, 5, 6}, 2, 3),
			"bias":   Float64Array([]float64{0.1, math.Pi}),
			"count":  Int64Array([]int64{-1, 1 << 60}),
			"bytes":  {Type: "I8", Shape: []int{3}, Data: []byte{1, 255, 128}},
			"scalar": {Type: "F32", Shape: []int{}, Data: littleEndian(t, float32(7))},
			"empty":  Float32Array(nil, 0, 4),
		},
		Metadata: map[string]string{"method": "asymvlm-vmf"},
	}
	if err := WriteSafetensors(path, file); err != nil {
		t.Fatal(err)
	}
	got, err := ReadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Arrays) != len(file.Arrays) || got.Metadata["method"] != "asymvlm-vmf" {
		t.Fatalf("read %d arrays, metadata %v", len(got.Arrays), got.Metadata)
	}
	for name, want := range file.Arrays {
		array := got.Arrays[name]
		if array.Type != want.Type || !slices.Equal(array.Shape, want.Shape) || !bytes.Equal(array.Data, want.Data) {
			t.Errorf("%s: %v, want %v", name, array, want)
		}
	}
	if values, err := got.Arrays["bytes"].Int64s(); err != nil || !slices.Equal(values, []int64{1, -1, -128}) {
		t.Errorf("int8 values %v, %v", values, err)
	}
	before, _ := os.ReadFile(path)
	if err := WriteSafetensors(path, got); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("writing what was read gives other bytes")
	}
	if header := binary.LittleEndian.Uint64(before); header%8 != 0 {
		t.Errorf("header of %d bytes leaves the tensors unaligned", header)
	}
}

// malformedSafetensors returns files that must be rejected, with a word that the error must
// contain.
func malformedSafetensors() map[string]struct {
	data []byte
	want string
} {
	eight := make([]byte, 8)
	tensor := func(name, stored, shape, offsets string) string {
		return fmt.Sprintf(`%q:{"dtype":%q,"shape":%s,"data_offsets":%s}`, name, stored, shape, offsets)
	}
	file := func(body []byte, entries ...string) []byte {
		return safetensorsBytes("{"+strings.Join(entries, ",")+"}", body)
	}
	return map[string]struct {
		data []byte
		want string
	}{
		"short":           {eight[:7], "too few"},
		"header length":   {append([]byte{200, 0, 0, 0, 0, 0, 0, 0}, "{}"...), "header of 200 bytes"},
		"huge length":     {bytes.Repeat([]byte{0xff}, 16), "header of"},
		"not JSON":        {safetensorsBytes("hello", nil), "JSON object"},
		"a list":          {safetensorsBytes("[]", nil), "JSON object"},
		"cut JSON":        {safetensorsBytes(`{"a":{`, nil), "EOF"},
		"text after":      {safetensorsBytes(`{} {}`, nil), "after"},
		"unknown type":    {file(eight, tensor("a", "F8", "[1]", "[0,8]")), `"F8"`},
		"wrong size":      {file(eight, tensor("a", "F32", "[3]", "[0,8]")), "more numbers than the 2"},
		"too little":      {file(eight, tensor("a", "F32", "[1]", "[0,8]")), "want 4"},
		"beyond the end":  {file(eight, tensor("a", "F32", "[3]", "[0,12]")), "0 to 12 of 8"},
		"backwards":       {file(eight, tensor("a", "F32", "[1]", "[8,4]")), "8 to 4"},
		"negative":        {file(eight, tensor("a", "F32", "[3]", "[-4,8]")), "begins at byte -4"},
		"one offset":      {file(eight, tensor("a", "F32", "[2]", "[8]")), "two data_offsets"},
		"no shape":        {file(eight, `"a":{"dtype":"F32","data_offsets":[0,8]}`), "shape"},
		"negative shape":  {file(eight, tensor("a", "F32", "[-2]", "[0,8]")), "negative dimension"},
		"overflow":        {file(eight, tensor("a", "F32", "[4294967296,4294967296,2]", "[0,8]")), "more numbers"},
		"unknown field":   {file(eight, `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}`), "unknown field"},
		"number as text":  {file(eight, tensor("a", "F32", `["2"]`, "[0,8]")), "cannot unmarshal"},
		"gap":             {file(eight, tensor("a", "F32", "[1]", "[4,8]")), "gap"},
		"bytes at end":    {file(eight, tensor("a", "F32", "[1]", "[0,4]")), "end at byte 4 of 8"},
		"overlap":         {file(eight, tensor("a", "F32", "[2]", "[0,8]"), tensor("b", "F32", "[1]", "[4,8]")), "overlap"},
		"name twice":      {file(eight, tensor("a", "F32", "[1]", "[0,4]"), tensor("a", "F32", "[1]", "[4,8]")), "two tensors"},
		"metadata number": {file(nil, `"__metadata__":{"a":1}`), "metadata"},
		"metadata twice":  {file(nil, `"__metadata__":{}`, `"__metadata__":{}`), "two entries"},
	}
}

func TestMalformedSafetensorsAreRefused(t *testing.T) {
	for name, c := range malformedSafetensors() {
		t.Run(name, func(t *testing.T) {
			_, err := decodeSafetensors(c.data)
			wantError(t, err, c.want)
		})
	}
}

func TestSafetensorsWriterRefusesWhatItCouldNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	err := WriteSafetensors(path, &Safetensors{Arrays: map[string]*Array{"a": Float32Array([]float32{1}, 2)}})
	wantError(t, err, "x.safetensors", `tensor "a"`)
	err = WriteSafetensors(path, &Safetensors{Arrays: map[string]*Array{"__metadata__": Float32Array(nil)}})
	wantError(t, err, "cannot be named")
	if _, err := os.Stat(path); err == nil {
		t.Error("a refused file was written")
	}
}

func TestFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "table.json")
	if err := writeJSON(path, []int{1}); err != nil {
		t.Fatal(err)
	}
	if err := writeJSON(path, math.NaN()); err == nil {
		t.Fatal("NaN was written as JSON")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "[1]" {
		t.Errorf("file holds %q, %v", text, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("folder holds %v, want the one file", entries)
	}
	if err := writeJSON(filepath.Join(dir, "no", "folder"), 1); err == nil {
		t.Error("a file was written to a folder that does not exist")
	}
}

func TestIntegersMustBeWhole(t *testing.T) {
	_, err := Float64Array([]float64{1, 2.5}).Int64s()
	wantError(t, err, "element 1 is 2.5")
	_, err = Float64Array([]float64{math.NaN()}).Ints()
	wantError(t, err, "element 0 is NaN")
	_, err = (&Array{Type: "U64", Shape: []int{1}, Data: bytes.Repeat([]byte{0xff}, 8)}).Int64s()
	wantError(t, err, "too large")
	if values, err := Float64Array([]float64{3, -4}).Ints(); err != nil || !slices.Equal(values, []int{3, -4}) {
		t.Errorf("%v, %v", values, err)
	}
	bfloat := &Array{Type: "BF16", Shape: []int{1}, Data: []byte{0xc0, 0x3f}}
	if values, err := bfloat.Float32s(); err != nil || values[0] != 1.5 {
		t.Errorf("bfloat16: %v, %v", values, err)
	}
}

func TestArraysBecomeMatrices(t *testing.T) {
	if m, err := Float64Array([]float64{1, 2}).Matrix(); err != nil || m.Rows != 2 || m.Columns != 1 {
		t.Errorf("list: %v, %v", m, err)
	}
	_, err := Float32Array(make([]float32, 8), 2, 2, 2).Matrix()
	wantError(t, err, "3 dimensions")
	_, err = Float32Array(nil, 1<<30, 0).Matrix()
	wantError(t, err, "no columns")
	_, err = (&Array{Type: "F31"}).Matrix()
	wantError(t, err, "0 dimensions")
	if got := (&Array{Type: "F31", Data: []byte{1}}).Len(); got != 0 {
		t.Errorf("length %d of an unknown type", got)
	}
	_, err = ReadArrays("embeddings.pt")
	wantError(t, err, "embeddings.pt", ".safetensors")
}

// decodes reports whether JSON text decodes; it is used to compare fuzzed headers.
func decodes(text []byte) bool {
	var header map[string]json.RawMessage
	return json.Unmarshal(text, &header) == nil
}

func FuzzNPY(f *testing.F) {
	for _, data := range malformedNPY() {
		f.Add(data)
	}
	f.Add(npyBytes("<f4", "True", "(2, 1)", make([]byte, 8)))
	f.Add(npyBytes(">i2", "False", "(0, 3)", nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		array, err := decodeNPY(data)
		if err != nil {
			return
		}
		if err := array.Check(); err != nil {
			t.Errorf("accepted an array that fails its check: %v", err)
		}
		if _, err := array.Float32s(); err != nil {
			t.Errorf("accepted an array without values: %v", err)
		}
		if _, err := array.Matrix(); err != nil && len(array.Shape) == 1 {
			t.Error(err)
		}
	})
}

func FuzzNPZ(f *testing.F) {
	one := npyBytes("<f4", "False", "(1,)", make([]byte, 4))
	f.Add(npzBytes(f, zip.Store, "a.npy", one))
	f.Add(npzBytes(f, zip.Deflate, "a.npy", one, "b.npy", one[:50]))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		arrays, err := decodeNPZ(data)
		if err != nil {
			return
		}
		for name, array := range arrays {
			if err := array.Check(); err != nil {
				t.Errorf("accepted array %q that fails its check: %v", name, err)
			}
		}
	})
}

func FuzzSafetensors(f *testing.F) {
	for _, c := range malformedSafetensors() {
		f.Add(c.data)
	}
	f.Add(safetensorsBytes(`{"a":{"dtype":"I8","shape":[2,1],"data_offsets":[0,2]},"__metadata__":{"k":"v"}}  `, []byte{1, 2}))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := decodeSafetensors(data)
		if err != nil {
			return
		}
		header := data[8 : 8+binary.LittleEndian.Uint64(data)]
		if !decodes(header) {
			t.Errorf("accepted the header %q", header)
		}
		encoded, names, err := encodeHeader(file)
		if err != nil {
			t.Fatalf("cannot write what was read: %v", err)
		}
		for _, name := range names {
			encoded = append(encoded, file.Arrays[name].Data...)
		}
		again, err := decodeSafetensors(encoded)
		if err != nil || len(again.Arrays) != len(file.Arrays) {
			t.Fatalf("cannot read what was written: %v", err)
		}
		for name, array := range file.Arrays {
			if !bytes.Equal(array.Data, again.Arrays[name].Data) {
				t.Errorf("array %q changed", name)
			}
		}
	})
}

func TestNPYFilesAreReadAsTheyWereWritten(t *testing.T) {
	for name, array := range map[string]*Array{
		"matrix": Float32Array([]float32{1, 2, 3, 4, 5, 6}, 2, 3), "vector": Float64Array([]float64{1, -2}),
		"number": {Type: "F64", Shape: []int{}, Data: make([]byte, 8)}, "whole numbers": Int64Array([]int64{7, 8, 9}, 3, 1),
		"nothing": Float32Array(nil, 0, 4), "bytes": {Type: "U8", Shape: []int{3}, Data: []byte{1, 2, 3}},
	} {
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := WriteNPY(path, array); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := ReadNPY(path)
		if err != nil || got.Type != array.Type || !slices.Equal(got.Shape, array.Shape) || !bytes.Equal(got.Data, array.Data) {
			t.Errorf("%s: %+v, want %+v (error %v)", name, got, array, err)
		}
		data, err := os.ReadFile(path)
		if err != nil || (len(data)-len(array.Data))%64 != 0 {
			t.Errorf("%s: the numbers begin at %d", name, len(data)-len(array.Data))
		}
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := WriteNPY(path, &Array{Type: "BF16", Shape: []int{1}, Data: []byte{0, 0}}); err == nil {
		t.Error("numbers that NumPy does not have are no error")
	}
	if err := WriteNPY(path, &Array{Type: "F32", Shape: []int{2}, Data: []byte{0, 0}}); err == nil {
		t.Error("missing numbers are no error")
	}
}

func TestNumbersThatAFloat32CannotHoldAreErrors(t *testing.T) {
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1)), math.Float64bits(-4e39))
	wide := &Array{Type: "F64", Shape: []int{2}, Data: data}
	if _, err := wide.Float32s(); err == nil || err.Error() != "embedding: element 1 is -4e+39, too large for a float32" {
		t.Errorf("error %v", err)
	}
	binary.LittleEndian.PutUint64(data[8:], math.Float64bits(math.Inf(1))) // for which the error must name the row
	if values, err := wide.Float32s(); err != nil || !math.IsInf(float64(values[1]), 1) {
		t.Errorf("values %v, error %v", values, err)
	}
}
