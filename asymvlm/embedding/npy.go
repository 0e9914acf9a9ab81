package embedding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sbinet/npyio"
)

// npyTypes maps NumPy's type names, without the byte order, to those of Array.
var npyTypes = map[string]string{
	"b1": "BOOL", "i1": "I8", "u1": "U8", "i2": "I16", "u2": "U16", "i4": "I32", "u4": "U32", "i8": "I64", "u8": "U64",
	"f2": "F16", "f4": "F32", "f8": "F64",
}

// ReadNPY reads one array from a .npy file of format version 1 or 2, in either byte order and
// either storage order. Other types, a malformed header, and numbers that do not fill the shape are
// errors that name the file.
func ReadNPY(path string) (*Array, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	array, err := decodeNPY(data)
	if err != nil {
		return nil, inFile(path, err)
	}
	return array, nil
}

// inFile adds a file's name to an error of this package.
func inFile(path string, err error) error { return fmt.Errorf("embedding: %s: %s", path, bare(err)) }

// decodeNPY decodes the bytes of a .npy file. Npyio reads only the header: it does not support
// float16 and reads other types one number at a time.
func decodeNPY(data []byte) (*Array, error) {
	header, body, err := npyHeader(data)
	if err != nil {
		return nil, err
	}
	descr := header.Descr
	if len(descr.Type) < 2 {
		return nil, fmt.Errorf("embedding: numbers of type %q, which is not known", descr.Type)
	}
	array := &Array{Type: npyTypes[descr.Type[1:]], Shape: descr.Shape, Data: body}
	if array.Type == "" || !bytes.ContainsRune([]byte("<>|="), rune(descr.Type[0])) {
		return nil, fmt.Errorf("embedding: numbers of type %q, want f2, f4, f8, i1 to i8, u1 to u8 or b1", descr.Type)
	}
	if err := array.Check(); err != nil {
		return nil, err
	}
	if descr.Type[0] == '>' {
		array.Data = slices.Clone(array.Data)
		for number := range slices.Chunk(array.Data, typeSizes[array.Type]) {
			slices.Reverse(number)
		}
	}
	if descr.Fortran && len(array.Shape) > 1 {
		return transposed(array)
	}
	return array, nil
}

// npyHeader decodes the header and returns the bytes after it. For malformed headers npyio may
// slice outside its buffer, so a panic there means a malformed file.
func npyHeader(data []byte) (header npyio.Header, body []byte, err error) {
	malformed := errors.New("embedding: not a .npy file, or its header is malformed")
	// In version 2 the header's length has four bytes, and npyio would allocate any length.
	if len(data) < 12 || data[6] == 2 && uint64(binary.LittleEndian.Uint32(data[8:])) > uint64(len(data)) {
		return header, nil, malformed
	}
	defer func() {
		if recover() != nil {
			err = malformed
		}
	}()
	rest := bytes.NewReader(data)
	reader, err := npyio.NewReader(rest)
	if err != nil {
		return header, nil, fmt.Errorf("embedding: %w", err)
	}
	return reader.Header, data[len(data)-rest.Len():], nil
}

// transposed converts a matrix stored by columns to one stored by rows.
func transposed(a *Array) (*Array, error) {
	if len(a.Shape) != 2 {
		return nil, fmt.Errorf("embedding: array of shape %d is stored in Fortran order, which is read for matrices only", a.Shape)
	}
	size, rows, columns := typeSizes[a.Type], a.Shape[0], a.Shape[1]
	data := make([]byte, len(a.Data))
	for i := range len(data) / size {
		row, column := i%rows, i/rows
		copy(data[(row*columns+column)*size:], a.Data[i*size:(i+1)*size])
	}
	return &Array{Type: a.Type, Shape: a.Shape, Data: data}, nil
}

// WriteNPY writes one array as a .npy file of format version 1, little-endian, row by row. The file
// appears whole or not at all. Types that NumPy does not have, and numbers that do not fill the
// shape, are errors.
func WriteNPY(path string, array *Array) error {
	if err := array.Check(); err != nil {
		return inFile(path, err)
	}
	header, err := npyStart(array.Type, array.Shape)
	if err != nil {
		return fmt.Errorf("embedding: %s: %w", path, err)
	}
	return writeWhole(path, func(w io.Writer) error {
		if _, err := w.Write(header); err != nil {
			return err
		}
		_, err := w.Write(array.Data)
		return err
	})
}

// npyStart returns the bytes before the numbers of an array in a .npy file.
func npyStart(kind string, sizes []int) ([]byte, error) {
	name := ""
	for npy, stored := range npyTypes {
		if stored == kind {
			name = npy
		}
	}
	if name == "" {
		return nil, fmt.Errorf("NumPy has no numbers of type %s", kind)
	}
	order := "<"
	if typeSizes[kind] == 1 {
		order = "|"
	}
	shape := ""
	for _, n := range sizes {
		shape += fmt.Sprintf("%d, ", n)
	}
	header := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, name, shape)
	const prefix, line = 10, 64 // magic, version and length; the numbers are aligned to 64 bytes
	header += strings.Repeat(" ", line-1-(prefix+len(header))%line) + "\n"
	start := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(start[8:], uint16(len(header)))
	return append(start, header...), nil
}
