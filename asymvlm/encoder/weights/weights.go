package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/userfile"
)

// Weights holds the named tensors of a network.
type Weights struct {
	// Files are the paths of the files that hold the tensors.
	Files  []string
	arrays map[string]*embedding.Array
	from   map[string]string // the file of each tensor
}

// Open reads the weights of a model folder, or of one file. From a folder it reads the first of
// these that exists:
//
//	model.safetensors.index.json    an index that maps tensors to several files
//	model.safetensors, open_clip_model.safetensors, or the only file that ends in .safetensors
//	pytorch_model.bin, open_clip_pytorch_model.bin, or the only file that ends in .pt or .bin
//
// Errors name the file and the tensor.
func Open(path string) (*Weights, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if !info.IsDir() {
		return openFile(path)
	}
	if index := filepath.Join(path, "model.safetensors.index.json"); exists(index) {
		return openIndex(index)
	}
	file, err := choose(path)
	if err != nil {
		return nil, err
	}
	return openFile(file)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// choose returns the file of a folder that holds the weights.
func choose(dir string) (string, error) {
	for _, group := range [][]string{
		{"model.safetensors", "open_clip_model.safetensors", "*.safetensors"},
		{"pytorch_model.bin", "open_clip_pytorch_model.bin", "*.pt", "*.bin"},
	} {
		for _, pattern := range group {
			found, err := filepath.Glob(filepath.Join(escape(dir), pattern))
			if err != nil {
				return "", fmt.Errorf("weights: %w", err)
			}
			if len(found) > 1 {
				return "", fmt.Errorf("weights: %s has %d files %s: name the file", dir, len(found), pattern)
			}
			if len(found) == 1 {
				return found[0], nil
			}
		}
	}
	return "", fmt.Errorf("weights: %s has no file that ends in .safetensors, .pt or .bin: %w", dir, fs.ErrNotExist)
}

// escape quotes the characters that are special to filepath.Glob.
func escape(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

// openFile reads one file.
func openFile(path string) (*Weights, error) {
	w := &Weights{Files: []string{path}, from: map[string]string{}}
	if strings.HasSuffix(path, ".safetensors") {
		file, err := embedding.ReadSafetensors(path)
		if err != nil {
			return nil, fmt.Errorf("weights: %s", strings.TrimPrefix(err.Error(), "embedding: "))
		}
		w.arrays = file.Arrays
	} else {
		arrays, err := readTorch(path)
		if err != nil {
			return nil, fmt.Errorf("weights: %s: %w", path, err)
		}
		w.arrays = arrays
	}
	for name := range w.arrays {
		w.from[name] = path
	}
	return w, nil
}

// openIndex reads the files that an index names. A tensor that is missing from its file is an
// error, as is a file outside the folder.
func openIndex(path string) (*Weights, error) {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("weights: %s: %w", path, err)
	}
	if len(index.Map) == 0 {
		return nil, fmt.Errorf("weights: %s: no weight_map", path)
	}
	w := &Weights{arrays: map[string]*embedding.Array{}, from: map[string]string{}}
	parts := map[string]*Weights{}
	for _, name := range slices.Sorted(maps.Keys(index.Map)) {
		file := index.Map[name]
		if file != filepath.Base(file) || !strings.HasSuffix(file, ".safetensors") {
			return nil, fmt.Errorf("weights: %s: tensor %q is in %q, want a .safetensors file of the same folder", path, name, file)
		}
		part := parts[file]
		if part == nil {
			if part, err = openFile(filepath.Join(filepath.Dir(path), file)); err != nil {
				return nil, err
			}
			parts[file] = part
			w.Files = append(w.Files, part.Files...)
		}
		array, ok := part.arrays[name]
		if !ok {
			return nil, fmt.Errorf("weights: %s: tensor %q is not in %s", path, name, file)
		}
		w.arrays[name], w.from[name] = array, part.Files[0]
	}
	return w, nil
}

// Names returns the names of all tensors in sorted order.
func (w *Weights) Names() []string { return slices.Sorted(maps.Keys(w.arrays)) }

// Has reports whether there is a tensor of that name.
func (w *Weights) Has(name string) bool { return w.arrays[name] != nil }

// Shape returns the shape of a tensor, or nil if there is none of that name.
func (w *Weights) Shape(name string) []int {
	if a := w.arrays[name]; a != nil {
		return slices.Clone(a.Shape)
	}
	return nil
}

// Parameters returns the number of values of all floating-point tensors.
func (w *Weights) Parameters() int {
	count := 0
	for _, a := range w.arrays {
		if a.Type == "F32" || a.Type == "F16" || a.Type == "BF16" {
			count += a.Len()
		}
	}
	return count
}

// Type returns the stored type of most values: F32, F16 or BF16.
func (w *Weights) Type() string {
	counts := map[string]int{}
	for _, a := range w.arrays {
		counts[a.Type] += a.Len()
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[name] > counts[best] {
			best = name
		}
	}
	return best
}

// Tensor returns a tensor of the given shape as float32 values, in storage order. A dimension of −1
// matches any length. The values of a float32 file may share the file's memory and must not be
// changed. A tensor that is missing, has another shape, a type other than F32, F16 and BF16, or a
// value that is not finite, is an error that names it.
func (w *Weights) Tensor(name string, shape ...int) ([]float32, error) {
	a := w.arrays[name]
	if a == nil {
		return nil, fmt.Errorf("weights: tensor %q is missing in %s", name, strings.Join(w.Files, ", "))
	}
	wrong := func(format string, arguments ...any) error {
		return fmt.Errorf("weights: %s: tensor %q %s", w.from[name], name, fmt.Sprintf(format, arguments...))
	}
	fits := len(a.Shape) == len(shape)
	for i := 0; fits && i < len(shape); i++ {
		fits = shape[i] == -1 || shape[i] == a.Shape[i]
	}
	if !fits {
		return nil, wrong("has the shape %d, want %d", a.Shape, shape)
	}
	switch a.Type {
	case "F32", "F16", "BF16":
	default:
		return nil, wrong("is stored as %s, want F32, F16 or BF16", a.Type)
	}
	flat := embedding.Array{Type: a.Type, Shape: []int{a.Len()}, Data: a.Data}
	m, err := flat.Matrix()
	if err != nil {
		return nil, wrong("%v", err)
	}
	for i, value := range m.Values {
		if v := float64(value); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, wrong("has the value %g at %d", value, i)
		}
	}
	return m.Values, nil
}

// Number returns a tensor of one value, whatever its shape. Number returns the errors of Tensor.
func (w *Weights) Number(name string) (float32, error) {
	values, err := w.Tensor(name, w.Shape(name)...)
	if err == nil && len(values) != 1 {
		err = fmt.Errorf("weights: tensor %q has %d values, want one", name, len(values))
	}
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

// errTorch explains how to convert a file that cannot be read.
var errTorch = errors.New("convert it once, with Python:\n" +
	"    import torch; from safetensors.torch import save_file\n" +
	"    m = torch.load('model.pt', map_location='cpu', weights_only=False)\n" +
	"    s = m if isinstance(m, dict) else m.state_dict()\n" +
	"    save_file({k: v.contiguous() for k, v in s.get('state_dict', s).items()}, 'model.safetensors')")
