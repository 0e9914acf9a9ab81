// Package examples runs the examples of packages as cells, that is, the functions of their tests
// whose comments contain the expected output. It reads the sources where the go command stores them
// and keeps no copies.
package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
)

// A Package is the go command's description of a package.
type Package struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// List returns the packages that match the patterns of the go command.
func List(patterns ...string) ([]Package, error) {
	command := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles"}, patterns...)...)
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("examples: go list: %w", err)
	}
	var list []Package
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p Package
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("examples: go list: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}
