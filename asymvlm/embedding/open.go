package embedding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/userfile"
)

// OpenSet is like ReadSet for embeddings that may be larger than memory. The rows of images and
// texts stay in their files if both sides together would take more than memory bytes as float32,
// and if the files are .npy or .safetensors with float16, bfloat16, float32 or float64 values, row
// by row and little-endian. With memory 0 all such rows stay in their files. The set then has
// StoredImages and StoredTexts (see Set), and adapters train and evaluate with it as with any other
// set. All rows are read once to check them. OpenSet returns the errors of ReadSet.
func OpenSet(dir string, memory int64) (*Set, error) {
	var sides [2]*Stored
	var first [2]string
	var beside map[string]*Array
	total := int64(0)
	for i, name := range []string{imageName, textName} {
		paths, err := findFiles(dir, name)
		if err != nil {
			return nil, err
		}
		if sides[i], err = openStored(paths, name); errors.Is(err, errInMemory) {
			return ReadSet(dir)
		} else if err != nil {
			return nil, err
		}
		if first[i] = paths[0]; len(paths) == 1 && filepath.Ext(paths[0]) == ".safetensors" {
			if beside, err = ReadArrays(paths[0]); err != nil {
				return nil, err
			}
		} else {
			beside = nil
		}
		total += 4 * int64(sides[i].Rows) * int64(sides[i].Columns)
	}
	if total <= memory {
		return ReadSet(dir)
	}
	set := &Set{StoredImages: sides[0], StoredTexts: sides[1]}
	set.Images, set.Texts = sides[0].size(), sides[1].size()
	return readRest(dir, set, first, beside)
}

// size returns a matrix with the size of s and no values.
func (s *Stored) size() Matrix { return Matrix{Rows: s.Rows, Columns: s.Columns} }

// OpenStored opens a matrix whose rows stay in its .npy or .safetensors files, one file after
// another. In .safetensors files the matrix is the named array, or the only array. Other formats,
// some of which compress rows, and other types, byte orders or layouts are errors that name the
// file. Different widths are an error, too.
func OpenStored(name string, paths ...string) (*Stored, error) { return openStored(paths, name) }

// errInMemory is wrapped by errors about files whose rows must be read whole.
var errInMemory = errors.New("its rows can only be read into memory")

// openStored opens the files of a matrix.
func openStored(paths []string, name string) (*Stored, error) {
	s := new(Stored)
	for _, path := range paths {
		p, columns, err := openPart(path, name)
		if err != nil {
			return nil, fmt.Errorf("embedding: %s: %w", path, err)
		}
		if len(s.parts) > 0 && columns != s.Columns {
			return nil, fmt.Errorf("embedding: %s: rows of %d columns, those of %s have %d", path, columns, paths[0], s.Columns)
		}
		p.path, p.first, s.Columns = path, s.Rows, columns
		s.Rows += p.rows
		if p.rows > 0 {
			s.parts = append(s.parts, p)
		}
	}
	return s, nil
}

// openPart opens the file of some rows.
func openPart(path, name string) (p storedPart, columns int, err error) {
	file, err := userfile.Open(path)
	if err != nil {
		return p, 0, err
	}
	defer func() {
		if err != nil {
			file.Close() // opened for reading only
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return p, 0, err
	}
	if !info.Mode().IsRegular() {
		return p, 0, errors.New("not a file")
	}
	var shape []int
	switch filepath.Ext(path) {
	case ".npy":
		p.stored, shape, err = placeInNPY(file, info.Size())
	case ".safetensors":
		p.stored, shape, err = placeInSafetensors(file, info.Size(), name)
	default:
		err = errInMemory
	}
	if err != nil {
		return p, 0, err
	}
	if len(shape) != 2 || shape[1] == 0 || !slices.Contains([]string{"F16", "BF16", "F32", "F64"}, p.kind) {
		return p, 0, fmt.Errorf("array of type %s and shape %d: %w", p.kind, shape, errInMemory)
	}
	p.file = file // stays open while the Stored is in use
	p.rows = shape[0]
	return p, shape[1], nil
}

// longestPrefix is the number of bytes of a .npy file that must contain its header.
const longestPrefix = 1 << 17

// placeInNPY returns the location of the numbers in a .npy file, and their shape.
func placeInNPY(file *os.File, size int64) (stored, []int, error) {
	prefix := make([]byte, min(size, longestPrefix))
	if _, err := io.ReadFull(file, prefix); err != nil {
		return stored{}, nil, err
	}
	header, body, err := npyHeader(prefix)
	if err != nil {
		return stored{}, nil, errors.New(bare(err))
	}
	descr := header.Descr
	if len(descr.Type) < 2 || npyTypes[descr.Type[1:]] == "" {
		return stored{}, nil, fmt.Errorf("numbers of type %q, want f2, f4 or f8", descr.Type)
	}
	place := stored{offset: int64(len(prefix) - len(body)), kind: npyTypes[descr.Type[1:]]}
	if descr.Type[0] == '>' || descr.Fortran && len(descr.Shape) > 1 {
		return place, nil, fmt.Errorf("numbers that are big-endian or stored by columns: %w", errInMemory)
	}
	return place, descr.Shape, place.fits(descr.Shape, size-place.offset)
}

// fits returns an error if the numbers do not fill the shape.
func (p stored) fits(shape []int, size int64) error {
	width := int64(typeSizes[p.kind])
	count, err := elements(shape, int(size/width))
	if err != nil {
		return errors.New(bare(err))
	}
	if int64(count)*width != size {
		return fmt.Errorf("array of shape %d and type %s has %d bytes, want %d", shape, p.kind, size, int64(count)*width)
	}
	return nil
}

// placeInSafetensors returns the location of a matrix's numbers in a .safetensors file, and their
// shape.
func placeInSafetensors(file *os.File, size int64, name string) (stored, []int, error) {
	var start [8]byte
	if _, err := io.ReadFull(file, start[:]); err != nil {
		return stored{}, nil, fmt.Errorf("%d bytes are too few for a safetensors file", size)
	}
	length := binary.LittleEndian.Uint64(start[:])
	if length > maxHeader || int64(length) > size-8 {
		return stored{}, nil, fmt.Errorf("safetensors header of %d bytes in a file of %d", length, size)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(file, header); err != nil {
		return stored{}, nil, err
	}
	entries, _, err := decodeHeader(header)
	if err != nil {
		return stored{}, nil, fmt.Errorf("safetensors header: %w", err)
	}
	body := int64(8 + length)
	if err := checkPlaces(entries, size-body); err != nil {
		return stored{}, nil, errors.New(bare(err))
	}
	arrays := map[string]*Array{}
	for key := range entries {
		arrays[key] = &Array{}
	}
	key, err := matrixKey(arrays, name)
	if err != nil {
		return stored{}, nil, errors.New(bare(err))
	}
	entry := entries[key]
	if typeSizes[entry.Type] == 0 {
		return stored{}, nil, fmt.Errorf("tensor %q of type %q, which is not known", key, entry.Type)
	}
	place := stored{offset: body + entry.Offsets[0], kind: entry.Type}
	return place, entry.Shape, place.fits(entry.Shape, entry.Offsets[1]-entry.Offsets[0])
}

// shardName matches the name of a file that holds some rows of a matrix, such as image_0000.npy.
var shardName = lazyregexp.New(`^(.+)_(\d{1,9})\.(npy|safetensors|parquet)$`)

// findShards returns the files of a matrix that is split over several files, in order, or none if
// the folder has no such file. The numbers must start with 0 or 1 and have no gap.
func findShards(dir, name string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // missingFile reports this
	}
	byNumber, stem, last := map[int]string{}, "", -1
	for _, entry := range entries {
		parts := shardName.FindStringSubmatch(entry.Name())
		if parts == nil || parts[1] != name && parts[1] != name+"s" {
			continue
		}
		number, err := strconv.Atoi(parts[2])
		if err != nil {
			return nil, err
		}
		kind := parts[1] + "_N." + parts[3]
		if byNumber[number] != "" || stem != "" && stem != kind {
			return nil, fmt.Errorf("embedding: %s has both %s and %s, so it is not clear which counts", dir, stem, entry.Name())
		}
		byNumber[number], stem, last = entry.Name(), kind, max(last, number)
	}
	var paths []string
	for number := range last + 1 {
		switch file := byNumber[number]; {
		case file != "":
			paths = append(paths, filepath.Join(dir, file))
		case number > 0:
			return nil, fmt.Errorf("embedding: %s has no file number %d of %s, whose numbers go to %d", dir, number, stem, last)
		}
	}
	return paths, nil
}
