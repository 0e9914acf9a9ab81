package embedding

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/sbinet/npyio/npz"
)

// ReadNPZ reads all arrays from a .npz file, which is a zip archive of .npy files, compressed or not. The keys are
// the arrays' names without the ending .npy. Entries that are no arrays, two of one name, a wrong check sum, and what
// ReadNPY refuses are errors that name the file and the entry.
func ReadNPZ(path string) (map[string]*Array, error) {
	archive, err := npz.Open(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	defer archive.Close() // was only read
	arrays, err := readArchive(archive)
	if err != nil {
		return nil, inFile(path, err)
	}
	return arrays, nil
}

// decodeNPZ reads all arrays from the bytes of a .npz file.
func decodeNPZ(data []byte) (map[string]*Array, error) {
	archive, err := npz.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	return readArchive(archive)
}

// readArchive reads all arrays of an open archive.
func readArchive(archive *npz.Reader) (map[string]*Array, error) {
	arrays := map[string]*Array{}
	for _, key := range archive.Keys() {
		name, isArray := strings.CutSuffix(key, ".npy")
		if !isArray {
			return nil, fmt.Errorf("embedding: entry %q is not an array", key)
		}
		if arrays[name] != nil {
			return nil, fmt.Errorf("embedding: two arrays named %q", name)
		}
		array, err := readEntry(archive, key)
		if err != nil {
			return nil, fmt.Errorf("embedding: array %q: %s", name, bare(err))
		}
		arrays[name] = array
	}
	return arrays, nil
}

// readEntry reads one array. The archive's check sum is verified at the end of the entry.
func readEntry(archive *npz.Reader, key string) (*Array, error) {
	entry, err := archive.Open(key)
	if err != nil {
		return nil, err
	}
	defer entry.Close() // was only read
	data, err := io.ReadAll(entry)
	if err != nil {
		return nil, err
	}
	return decodeNPY(data)
}
