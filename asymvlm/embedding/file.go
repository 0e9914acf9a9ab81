package embedding

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosphere/internal/beside"
)

// ReadArrays reads all arrays of a .npy, .npz, .safetensors or .parquet file; for the last see
// ReadParquet. The array of a .npy file gets the file's name without the extension. Another
// extension is an error. ReadArrays also returns the errors of the format's reader.
func ReadArrays(path string) (map[string]*Array, error) {
	switch extension := filepath.Ext(path); extension {
	case ".npy":
		array, err := ReadNPY(path)
		if err != nil {
			return nil, err
		}
		return map[string]*Array{strings.TrimSuffix(filepath.Base(path), extension): array}, nil
	case ".npz":
		return ReadNPZ(path)
	case ".safetensors":
		file, err := ReadSafetensors(path)
		if err != nil {
			return nil, err
		}
		return file.Arrays, nil
	case ".parquet":
		return ReadParquet(path)
	default:
		return nil, fmt.Errorf("embedding: %s: want a file that ends in .npy, .npz, .safetensors or .parquet", path)
	}
}

// WriteWhole creates or replaces a file by calling write. Readers see either the old content or the
// new content and no mixture, even after a crash. An error, including one returned by write, names
// the file and keeps the old content.
func WriteWhole(path string, write func(io.Writer) error) error { return writeWhole(path, write) }

// writeWhole creates or replaces a file so that readers see either the old content or the new
// content and no mixture, even after a crash.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	folder := filepath.Dir(path)
	file, err := beside.Create(path)
	if err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
			err = fmt.Errorf("embedding: writing %s: %w", path, err)
		}
	}()
	buffer := bufio.NewWriterSize(file, 1<<20)
	if err := write(buffer); err != nil {
		return err
	}
	if err := buffer.Flush(); err != nil {
		return err
	}
	// Sync the data before the rename: otherwise a power failure could keep the name and lose the
	// data.
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	// Not every system can sync a directory; the file's content is safe either way.
	if opened, err := os.Open(folder); err == nil {
		opened.Sync()
		opened.Close()
	}
	return nil
}
