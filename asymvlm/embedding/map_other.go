//go:build !unix

package embedding

import "os"

// readFile returns the content of a file. On other systems large files are mapped into memory.
func readFile(path string) ([]byte, error) { return os.ReadFile(path) }
