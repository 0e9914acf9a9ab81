package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FindSource returns the folder with the source of gosphere: told if it is not empty, else the
// current folder, the folder of the executable or its parent.
func FindSource(told string, executable func() (string, error)) (string, error) {
	if told != "" {
		if !isSource(told) {
			return "", fmt.Errorf("--source %s: want the source of gosphere, with a go.mod that contains the line \"module gosphere\"", told)
		}
		return told, nil
	}
	var candidates []string
	if here, err := os.Getwd(); err == nil {
		candidates = append(candidates, here)
	}
	if program, err := executable(); err == nil {
		candidates = append(candidates, filepath.Dir(program), filepath.Dir(filepath.Dir(program)))
	}
	for _, folder := range candidates {
		if isSource(folder) {
			return folder, nil
		}
	}
	return "", errors.New("building needs the source of gosphere: run this in a clone, or name one with --source DIR")
}

func isSource(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return err == nil && slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n"), "module gosphere")
}
