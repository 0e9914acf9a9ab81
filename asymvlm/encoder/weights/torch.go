package weights

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/userfile"
)

// largestPickle is the largest accepted size in bytes of the part of a file that names the tensors.
// For a network of a billion weights it has some hundred kilobytes.
const largestPickle = 64 << 20

// A storage is an array of bytes in the zip; tensors are views of storages.
type storage struct {
	kind string // type as in safetensors
	data []byte
}

// A storageClass is the type of a storage, such as torch.FloatStorage.
type storageClass string

// storageKinds maps the classes of storages to their types.
var storageKinds = map[string]string{
	"FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16", "DoubleStorage": "F64", "LongStorage": "I64",
	"IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8", "ByteStorage": "U8", "BoolStorage": "BOOL",
}

// kindSizes maps types to the size of a value in bytes.
var kindSizes = map[string]int{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}

// rebuildTensor is torch._utils._rebuild_tensor_v2, which returns a view of a storage.
type rebuildTensor struct{}

// rebuildParameter is torch._utils._rebuild_parameter, which returns its tensor.
type rebuildParameter struct{}

// LoneTensor is the name of the tensor in a file that torch.save wrote for a single one.
const LoneTensor = "tensor"

// ReadTorch reads the tensors of a file that torch.save wrote: a dictionary of them, or a single
// one with the name LoneTensor. It executes no code from the file. Other contents are errors.
func ReadTorch(file string) (map[string]*embedding.Array, error) {
	arrays, err := readTorch(file)
	if err != nil {
		return nil, fmt.Errorf("weights: %s: %w", file, err)
	}
	return arrays, nil
}

// readTorch reads a torch.save file that holds a tensor, or named tensors at the top level or in
// "state_dict".
func readTorch(file string) (map[string]*embedding.Array, error) {
	opened, err := userfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	return readTorchZip(opened, info.Size())
}

// readTorchZip reads the zip that torch.save writes.
func readTorchZip(r io.ReaderAt, size int64) (map[string]*embedding.Array, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("no zip of tensors as torch.save writes (%v); %w", err, errTorch)
	}
	records := map[string]*zip.File{}
	for _, f := range archive.File {
		records[path.Base(f.Name)] = f
	}
	if records["constants.pkl"] != nil {
		return nil, fmt.Errorf("a TorchScript program, not tensors; %w", errTorch)
	}
	if records["data.pkl"] == nil {
		return nil, fmt.Errorf("no data.pkl in the zip; %w", errTorch)
	}
	text, err := record(records["data.pkl"], largestPickle)
	if err != nil {
		return nil, err
	}
	if err := checkOpcodes(text); err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	value, err := unpickle(text, records)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %v; %w", err, errTorch)
	}
	arrays := map[string]*embedding.Array{}
	if err := collect(arrays, value, 0); err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	if len(arrays) == 0 {
		return nil, fmt.Errorf("no tensors by name; %w", errTorch)
	}
	return arrays, nil
}

// record returns the content of a file in the zip.
func record(f *zip.File, limit uint64) ([]byte, error) {
	if f.UncompressedSize64 > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", f.Name, f.UncompressedSize64, limit)
	}
	opened, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer opened.Close()
	var content bytes.Buffer // grows with the content, because the declared size may be wrong
	if _, err := io.Copy(&content, io.LimitReader(opened, int64(limit))); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return content.Bytes(), nil
}

// unpickle decodes data.pkl. Classes other than those of tensors are errors.
func unpickle(text []byte, records map[string]*zip.File) (value any, err error) {
	defer func() {
		if problem := recover(); problem != nil { // the decoder panics on some malformed files
			err = fmt.Errorf("malformed: %v", problem)
		}
	}()
	u := pickle.NewUnpickler(bytes.NewReader(text))
	u.FindClass = findClass
	loaded := map[string]*storage{}
	u.PersistentLoad = func(id any) (any, error) {
		tuple, ok := id.(*types.Tuple)
		if !ok || tuple.Len() < 5 || tuple.Get(0) != "storage" {
			return nil, fmt.Errorf("storage described by %v", id)
		}
		class, isClass := tuple.Get(1).(storageClass)
		key, isKey := tuple.Get(2).(string)
		if !isClass || !isKey {
			return nil, fmt.Errorf("storage described by %v", id)
		}
		if s := loaded[key]; s != nil {
			return s, nil
		}
		f := records[key]
		if f == nil {
			return nil, fmt.Errorf("storage %q is not in the zip", key)
		}
		data, err := record(f, 1<<40)
		if err != nil {
			return nil, err
		}
		loaded[key] = &storage{storageKinds[string(class)], data}
		return loaded[key], nil
	}
	return u.Load()
}

// findClass returns the implementation of a Python class that pickled tensors refer to. Any other
// class is an error, so that a file cannot run code.
func findClass(module, name string) (any, error) {
	switch {
	case module == "torch._utils" && name == "_rebuild_tensor_v2":
		return rebuildTensor{}, nil
	case module == "torch._utils" && name == "_rebuild_parameter":
		return rebuildParameter{}, nil
	case module == "collections" && name == "OrderedDict":
		return &types.OrderedDictClass{}, nil
	case module == "torch" && storageKinds[name] != "":
		return storageClass(name), nil
	}
	return nil, fmt.Errorf("an object of the class %s.%s, which is no tensor", module, name)
}

// Call returns a view of a storage as an array. The arguments are storage, offset, sizes and
// strides, in values.
func (rebuildTensor) Call(arguments ...any) (any, error) {
	if len(arguments) < 4 {
		return nil, fmt.Errorf("tensor of %d arguments", len(arguments))
	}
	s, isStorage := arguments[0].(*storage)
	offset, isOffset := arguments[1].(int)
	sizes, err := integers(arguments[2])
	strides, alsoErr := integers(arguments[3])
	if !isStorage || !isOffset || err != nil || alsoErr != nil || len(sizes) != len(strides) {
		return nil, fmt.Errorf("tensor with the arguments %v", arguments[1:])
	}
	return view(s, offset, sizes, strides)
}

// Call returns the tensor of a parameter.
func (rebuildParameter) Call(arguments ...any) (any, error) {
	if len(arguments) == 0 {
		return nil, fmt.Errorf("parameter without arguments")
	}
	return arguments[0], nil
}

// integers returns the numbers of a tuple.
func integers(value any) ([]int, error) {
	tuple, ok := value.(*types.Tuple)
	if !ok {
		return nil, fmt.Errorf("%v, want a tuple", value)
	}
	numbers := make([]int, tuple.Len())
	for i := range numbers {
		number, ok := tuple.Get(i).(int)
		if !ok || number < 0 {
			return nil, fmt.Errorf("%v, want integers", value)
		}
		numbers[i] = number
	}
	return numbers, nil
}

// view returns a strided view of a storage as an array in row order. A contiguous view shares the
// bytes.
func view(s *storage, offset int, sizes, strides []int) (*embedding.Array, error) {
	size, values := kindSizes[s.kind], len(s.data)/kindSizes[s.kind]
	count, last, contiguous := 1, offset, true
	for i := len(sizes) - 1; i >= 0; i-- {
		if sizes[i] == 0 {
			return &embedding.Array{Type: s.kind, Shape: sizes, Data: []byte{}}, nil
		}
		if sizes[i] > 1 && (strides[i] > values || sizes[i] > values || count > values/sizes[i]) {
			return nil, fmt.Errorf("tensor of shape %d and strides %d in a storage of %d values", sizes, strides, values)
		}
		contiguous = contiguous && (strides[i] == count || sizes[i] == 1)
		count *= sizes[i]
		last += (sizes[i] - 1) * strides[i]
	}
	if offset < 0 || last < 0 || last >= values {
		return nil, fmt.Errorf("tensor of shape %d at %d in a storage of %d values", sizes, offset, values)
	}
	a := &embedding.Array{Type: s.kind, Shape: sizes}
	if contiguous {
		a.Data = s.data[offset*size : (offset+count)*size]
		return a, nil
	}
	a.Data = make([]byte, 0, count*size)
	index := make([]int, len(sizes))
	for range count {
		at := offset
		for i, j := range index {
			at += j * strides[i]
		}
		a.Data = append(a.Data, s.data[at*size:(at+1)*size]...)
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < sizes[i] {
				break
			}
			index[i] = 0
		}
	}
	return a, nil
}

// collect collects the tensors of a dictionary, or of its entries "state_dict" or "model".
func collect(arrays map[string]*embedding.Array, value any, depth int) error {
	entries := map[any]any{}
	switch value := value.(type) {
	case *types.OrderedDict:
		for key, entry := range value.Map {
			entries[key] = entry.Value
		}
	case *types.Dict:
		for _, entry := range *value {
			entries[entry.Key] = entry.Value
		}
	case *embedding.Array:
		arrays[LoneTensor] = value
		return nil
	default:
		return fmt.Errorf("a value of type %T, want a tensor or a dictionary of tensors", value)
	}
	for key, entry := range entries {
		name, ok := key.(string)
		if !ok {
			continue
		}
		if array, ok := entry.(*embedding.Array); ok {
			arrays[name] = array
		}
	}
	for _, below := range []string{"state_dict", "model"} {
		if inner, ok := entries[below]; ok && depth == 0 && len(arrays) == 0 {
			return collect(arrays, inner, 1)
		}
	}
	return nil
}
