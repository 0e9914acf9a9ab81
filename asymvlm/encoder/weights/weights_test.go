package weights

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// save writes a safetensors file.
func save(t testing.TB, path string, arrays map[string]*embedding.Array) {
	t.Helper()
	if err := embedding.WriteSafetensors(path, &embedding.Safetensors{Arrays: arrays}); err != nil {
		t.Fatal(err)
	}
}

// halves are the values 1, −2 and 0.5 in the stored types of encoders.
var halves = map[string]*embedding.Array{
	"f32":  embedding.Float32Array([]float32{1, -2, 0.5}),
	"f16":  {Type: "F16", Shape: []int{3}, Data: []byte{0, 0x3c, 0, 0xc0, 0, 0x38}},
	"bf16": {Type: "BF16", Shape: []int{3}, Data: []byte{0x80, 0x3f, 0, 0xc0, 0, 0x3f}},
}

func TestTensorsOfAllTypesAreRead(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "model.safetensors"), halves)
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name := range halves {
		got, err := w.Tensor(name, 3)
		if err != nil || !slices.Equal(got, []float32{1, -2, 0.5}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if w.Parameters() != 9 || w.Type() != "BF16" || !slices.Equal(w.Names(), []string{"bf16", "f16", "f32"}) {
		t.Errorf("%d parameters of type %s: %q", w.Parameters(), w.Type(), w.Names())
	}
}

func TestShardedWeightsAreOneSet(t *testing.T) {
	dir := t.TempDir()
	save(t, filepath.Join(dir, "model-00001-of-00002.safetensors"), map[string]*embedding.Array{"a": halves["f32"]})
	save(t, filepath.Join(dir, "model-00002-of-00002.safetensors"), map[string]*embedding.Array{"b": halves["f16"]})
	index := filepath.Join(dir, "model.safetensors.index.json")
	write := func(text string) {
		if err := os.WriteFile(index, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}`)
	w, err := Open(dir)
	if err != nil || !slices.Equal(w.Names(), []string{"a", "b"}) || len(w.Files) != 2 {
		t.Fatalf("%+v, %v", w, err)
	}
	for text, want := range map[string]string{
		`{"weight_map": {"a": "../model.safetensors"}}`:             "want a .safetensors file of the same folder",
		`{"weight_map": {"b": "model-00001-of-00002.safetensors"}}`: `tensor "b" is not in model-00001-of-00002.safetensors`,
		`{}`: "no weight_map", `{"weight_map": {"a": "missing.safetensors"}}`: "missing.safetensors",
	} {
		write(text)
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestTensorsThatDoNotFitAreRefusedByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	save(t, path, map[string]*embedding.Array{
		"a": embedding.Float32Array([]float32{1, 2}, 1, 2), "ids": embedding.Int64Array([]int64{1}),
		"bad": embedding.Float32Array([]float32{0, float32(math.NaN())}),
	})
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		shape []int
		want  string
	}{
		{"a", []int{2, 1}, `tensor "a" has the shape [1 2], want [2 1]`}, {"none", nil, `tensor "none" is missing`},
		{"ids", []int{1}, `tensor "ids" is stored as I64`}, {"bad", []int{2}, `tensor "bad" has the value NaN at 1`},
	} {
		if _, err := w.Tensor(c.name, c.shape...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if values, err := w.Tensor("a", -1, 2); err != nil || len(values) != 2 {
		t.Errorf("a dimension of any length: %v, %v", values, err)
	}
}

func TestFoldersWithoutOneFileOfWeightsAreRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has no file that ends in .safetensors") {
		t.Errorf("empty folder: %v", err)
	}
	save(t, filepath.Join(dir, "a.safetensors"), halves)
	save(t, filepath.Join(dir, "b.safetensors"), halves)
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "has 2 files *.safetensors") {
		t.Errorf("two files: %v", err)
	}
}

// A pickled builds a pickle of protocol 2 in the form of torch.save.
type pickled struct{ bytes.Buffer }

func (p *pickled) text(s string) {
	p.WriteByte('X')
	binary.Write(p, binary.LittleEndian, uint32(len(s)))
	p.WriteString(s)
}

func (p *pickled) number(n int) {
	p.WriteByte('J')
	binary.Write(p, binary.LittleEndian, int32(n))
}

func (p *pickled) global(module, name string) { p.WriteString("c" + module + "\n" + name + "\n") }

// tensor writes a call of _rebuild_tensor_v2.
func (p *pickled) tensor(class, key string, offset int, sizes, strides []int) {
	p.global("torch._utils", "_rebuild_tensor_v2")
	p.WriteByte('(')
	p.WriteByte('(')
	p.text("storage")
	p.global("torch", class)
	p.text(key)
	p.text("cpu")
	p.number(6)
	p.WriteString("tQ")
	p.number(offset)
	for _, numbers := range [][]int{sizes, strides} {
		p.WriteByte('(')
		for _, n := range numbers {
			p.number(n)
		}
		p.WriteByte('t')
	}
	p.WriteByte(0x89) // requires no gradient
	p.global("collections", "OrderedDict")
	p.WriteString(")R") // no hooks
	p.WriteString("tR")
}

// torchFile returns a torch.save file with one storage of six values.
func torchFile(t testing.TB, kind string, content func(p *pickled)) []byte {
	t.Helper()
	p := new(pickled)
	p.WriteString("\x80\x02")
	content(p)
	p.WriteByte('.')
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	values := new(bytes.Buffer)
	if kind == "F16" {
		values.Write([]byte{0, 0x3c, 0, 0xc0, 0, 0x38, 0, 0, 0, 0, 0, 0})
	} else {
		binary.Write(values, binary.LittleEndian, []float32{0, 1, 2, 3, 4, 5})
	}
	for name, data := range map[string][]byte{"archive/data.pkl": p.Bytes(), "archive/data/0": values.Bytes(), "archive/version": []byte("3\n")} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// dictionary writes an ordered dictionary with one entry.
func dictionary(p *pickled, key string, value func()) {
	p.global("collections", "OrderedDict")
	p.WriteString(")R(")
	p.text(key)
	value()
	p.WriteByte('u')
}

func TestTensorsOfPyTorchAreRead(t *testing.T) {
	file := torchFile(t, "F32", func(p *pickled) {
		dictionary(p, "state_dict", func() {
			dictionary(p, "w", func() { p.tensor("FloatStorage", "0", 0, []int{2, 3}, []int{1, 2}) })
		})
	})
	path := filepath.Join(t.TempDir(), "model.pt")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	// The strides are those of a transposed matrix.
	if got, err := w.Tensor("w", 2, 3); err != nil || !slices.Equal(got, []float32{0, 2, 4, 1, 3, 5}) {
		t.Errorf("%v, %v", got, err)
	}
	file = torchFile(t, "F16", func(p *pickled) {
		dictionary(p, "w", func() { p.tensor("HalfStorage", "0", 1, []int{2}, []int{1}) })
	})
	arrays, err := readTorchZip(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := arrays["w"].Float32s(); err != nil || !slices.Equal(got, []float32{-2, 0.5}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFilesOfPyTorchThatAreMoreThanTensorsAreRefused(t *testing.T) {
	for want, content := range map[string]func(p *pickled){
		"an object of the class os.system, which is no tensor": func(p *pickled) {
			p.global("os", "system")
			p.WriteByte('(')
			p.text("true")
			p.WriteString("tR")
		},
		"in a storage of 6 values": func(p *pickled) {
			dictionary(p, "w", func() { p.tensor("FloatStorage", "0", 3, []int{4}, []int{1}) })
		},
		"strides [100000]": func(p *pickled) {
			dictionary(p, "w", func() { p.tensor("FloatStorage", "0", 0, []int{2}, []int{100000}) })
		},
		"storage \"9\" is not in the zip": func(p *pickled) {
			dictionary(p, "w", func() { p.tensor("FloatStorage", "9", 0, []int{1}, []int{1}) })
		},
		"want a tensor or a dictionary of tensors": func(p *pickled) { p.number(1) },
		"99 bytes wanted":                          func(p *pickled) { p.WriteString("X\x63\x00\x00\x00") },
	} {
		file := torchFile(t, "F32", content)
		if _, err := readTorchZip(bytes.NewReader(file), int64(len(file))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := readTorchZip(strings.NewReader("no zip"), 6); err == nil || !strings.Contains(err.Error(), "save_file") {
		t.Errorf("a file that is no zip: %v, want the commands that convert it", err)
	}
}

func FuzzFilesOfWeightsAreReadOrRefused(f *testing.F) {
	f.Add(torchFile(f, "F32", func(p *pickled) {
		dictionary(p, "w", func() { p.tensor("FloatStorage", "0", 0, []int{2, 3}, []int{1, 2}) })
	}), false)
	dir := f.TempDir()
	save(f, filepath.Join(dir, "a.safetensors"), halves)
	data, err := os.ReadFile(filepath.Join(dir, "a.safetensors"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, true)
	f.Fuzz(func(t *testing.T, data []byte, safe bool) {
		path := filepath.Join(t.TempDir(), "x.pt")
		if safe {
			path = filepath.Join(t.TempDir(), "x.safetensors")
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Open(path)
		if err != nil {
			return
		}
		for _, name := range w.Names() {
			w.Tensor(name, w.Shape(name)...)
		}
	})
}

func FuzzPicklesAreReadOrRefused(f *testing.F) {
	p := new(pickled)
	p.WriteString("\x80\x02")
	dictionary(p, "w", func() { p.tensor("FloatStorage", "0", 0, []int{2, 3}, []int{1, 2}) })
	p.WriteByte('.')
	f.Add(p.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		if checkOpcodes(text) != nil {
			return
		}
		if value, err := unpickle(text, nil); err == nil {
			collect(map[string]*embedding.Array{}, value, 0)
		}
	})
}
