// Package examples plays the examples of packages as cells: those functions of their tests whose comments say what they print.
// The sources are read where the go command has them; nothing of them is kept here.
package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
)

// A Package is what the go command tells of one.
type Package struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// List asks the go command for packages, by the patterns that it knows.
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
