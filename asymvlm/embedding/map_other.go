//go:build !unix

package embedding

import (
	"math"

	"gosphere/internal/userfile"
)

// readFile returns the content of a file. On other systems large files are mapped into memory.
func readFile(path string) ([]byte, error) { return userfile.ReadFile(path, math.MaxInt) }
