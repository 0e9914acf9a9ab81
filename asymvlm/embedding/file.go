package embedding

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ReadArrays reads all arrays of a .npy, .npz, .safetensors or .parquet file, see ReadParquet. The one array of a .npy file gets
// the file's name without the ending. Another ending is an error, as is what the reader of the format refuses.
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

// WriteWhole is how files of this laboratory are written: readers, and a crash at any moment, see the old content or the new
// one but no mixture. Its error, or that of the function, names the file, and the old content is then as it was.
func WriteWhole(path string, write func(io.Writer) error) error { return writeWhole(path, write) }

// writeWhole creates or replaces a file so that readers, and a crash at any moment, see the old content or the new one
// but no mixture.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, "."+filepath.Base(path)+"-*")
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
	// The data must be on the disk before the name is, or a power failure could leave the name with no data.
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil { // temporary files are private to the user
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	// Not every system can bring a folder to the disk; the file's content is safe either way.
	if opened, err := os.Open(folder); err == nil {
		opened.Sync()
		opened.Close()
	}
	return nil
}
