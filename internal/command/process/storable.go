package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Storable creates the folder of a result and returns an error, before the work, if the result
// could not be written.
func Storable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("the result %s is a folder", path)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(filepath.Dir(path), ".gosphere-*"); err == nil {
			return errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	return fmt.Errorf("cannot write the result to %s: %w", path, err)
}
