package embedding

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"

	"gosphere/internal/userfile"
)

// These constants limit the expanded size of an archive: to freeExpansion bytes or expansion times
// the size of the archive, whichever is larger. Equal bytes compress a thousandfold, so a file of
// some megabytes could otherwise fill the memory. Embeddings hardly compress, and uncompressed
// archives do not expand.
const (
	freeExpansion = 1 << 30
	expansion     = 100
)

// ReadNPZ reads all arrays from a .npz file, which is a zip archive of .npy files, compressed or
// not. The keys are the arrays' names without the extension .npy. Entries that are not arrays, two
// entries of one name, a wrong checksum and errors of ReadNPY are errors that name the file and the
// entry. An archive that expands to more than 1 GiB and more than a hundred times its size is an
// error, too.
func ReadNPZ(path string) (map[string]*Array, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	defer file.Close() // opened for reading only
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	arrays, err := readArchive(file, info.Size())
	if err != nil {
		return nil, inFile(path, err)
	}
	return arrays, nil
}

// decodeNPZ reads all arrays from the bytes of a .npz file.
func decodeNPZ(data []byte) (map[string]*Array, error) {
	return readArchive(bytes.NewReader(data), int64(len(data)))
}

// readArchive reads all arrays of an archive of the given size in bytes.
func readArchive(from io.ReaderAt, size int64) (map[string]*Array, error) {
	archive, err := zip.NewReader(from, size)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	if err := checkExpansion(archive, size); err != nil {
		return nil, err
	}
	arrays := map[string]*Array{}
	for _, entry := range archive.File {
		name, isArray := strings.CutSuffix(entry.Name, ".npy")
		if !isArray {
			return nil, fmt.Errorf("embedding: entry %q is not an array", entry.Name)
		}
		if arrays[name] != nil {
			return nil, fmt.Errorf("embedding: two arrays named %q", name)
		}
		array, err := readEntry(entry)
		if err != nil {
			return nil, fmt.Errorf("embedding: array %q: %s", name, bare(err))
		}
		arrays[name] = array
	}
	return arrays, nil
}

// checkExpansion returns an error if the sizes of the entries are too large for the archive.
func checkExpansion(archive *zip.Reader, size int64) error {
	limit := max(freeExpansion, expansion*uint64(size))
	total := uint64(0)
	for _, entry := range archive.File {
		if entry.UncompressedSize64 > limit-total {
			return fmt.Errorf("embedding: with %q of %d bytes the arrays have more than %d bytes, the most that an archive of %d bytes is "+
				"expanded to; store them without compression (numpy.savez)", entry.Name, entry.UncompressedSize64, limit, size)
		}
		total += entry.UncompressedSize64
	}
	return nil
}

// readEntry reads one array. Archive/zip verifies the checksum at the end of the entry and reads no
// bytes beyond the declared size.
func readEntry(entry *zip.File) (*Array, error) {
	opened, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer opened.Close() // opened for reading only
	data, err := io.ReadAll(opened)
	if err != nil {
		return nil, err
	}
	return decodeNPY(data)
}
