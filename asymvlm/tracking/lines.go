package tracking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gosphere/internal/userfile"
)

// lines is a file of JSON lines.
type lines struct{ file *os.File }

// Lines creates a file with one JSON object per line: epoch, step, and the values in order, with
// null for NaN and infinities. An existing file is replaced, and its folder is created if needed.
// The errors are those of the file system.
func Lines(path string) (Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("tracking: %w", err)
	}
	file, err := userfile.Create(path)
	if err != nil {
		return nil, fmt.Errorf("tracking: %w", err)
	}
	return lines{file}, nil
}

// Write appends a line.
func (l lines) Write(p Point) error {
	var line bytes.Buffer
	fmt.Fprintf(&line, `{"epoch":%d,"step":%d`, p.Epoch, p.Step)
	for _, v := range p.Values {
		name, err := json.Marshal(v.Name)
		if err != nil {
			return fmt.Errorf("tracking: %w", err)
		}
		number := []byte("null")
		if !math.IsNaN(v.Number) && !math.IsInf(v.Number, 0) {
			if number, err = json.Marshal(v.Number); err != nil {
				return fmt.Errorf("tracking: %w", err)
			}
		}
		fmt.Fprintf(&line, ",%s:%s", name, number)
	}
	line.WriteString("}\n")
	if _, err := l.file.Write(line.Bytes()); err != nil {
		return fmt.Errorf("tracking: %w", err)
	}
	return nil
}

// Close closes the file.
func (l lines) Close() error { return l.file.Close() }
