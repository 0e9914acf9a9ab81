//go:build !unix

package embedding

import "os"

// readFile returns the content of a file. Large files are mapped into memory on other systems.
func readFile(path string) ([]byte, error) { return os.ReadFile(path) }
