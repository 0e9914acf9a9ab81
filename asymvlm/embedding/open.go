package embedding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// OpenSet is ReadSet for embeddings that may be larger than memory. The rows of the images and of the texts stay in their
// files where they would take more than a number of bytes as float32, both sides together, and the files are .npy or
// .safetensors with numbers of float16, bfloat16, float32 or float64, row by row and little-endian; 0 leaves all such rows.
// Such a set has StoredImages and StoredTexts, see Set, and adapters are trained and evaluated with it as with any other.
// All rows are read once, to check them. The errors are those of ReadSet.
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

// size returns a matrix of the same size without values.
func (s *Stored) size() Matrix { return Matrix{Rows: s.Rows, Columns: s.Columns} }

// OpenStored leaves the rows of a matrix in its .npy or .safetensors files, whose rows follow one another. In the latter the
// matrix is the array with a name, or the only array. Files in another format, of which some have compressed rows, and
// numbers of other types, order or layout are errors that name the file, as are widths that differ.
func OpenStored(name string, paths ...string) (*Stored, error) { return openStored(paths, name) }

// errInMemory is in the error of files whose rows can only be read whole.
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
	file, err := os.Open(path)
	if err != nil {
		return p, 0, err
	}
	defer func() {
		if err != nil {
			file.Close() // was only read
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
	p.file = file // closed when it is no longer in use
	p.rows = shape[0]
	return p, shape[1], nil
}

// longestPrefix is the length of the part of a .npy file in which its header is looked for.
const longestPrefix = 1 << 17

// placeInNPY returns where the numbers of a .npy file are, and their shape.
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

// fits reports numbers that do not fill a shape.
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

// placeInSafetensors returns where the numbers of a matrix are in a .safetensors file, and their shape.
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

// shardName is the name of a file that has some rows of a matrix: image_0000.npy.
var shardName = regexp.MustCompile(`^(.+)_(\d{1,9})\.(npy|safetensors|parquet)$`)

// findShards returns the files of a matrix that is in more than one, in order; none where the folder has no such file.
// Numbers begin with 0 or 1 and have no gap.
func findShards(dir, name string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // which missingFile reports
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
