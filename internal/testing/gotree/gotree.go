// Package gotree finds Go's own test programs, for tests.
package gotree

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tests returns the folder test of a Go distribution, or "" if there is none. GOSPHERE_GO_TESTS
// names another one.
//
// The release that go.mod names may come from the module cache, where the folder is missing. In
// that case it is the one of another release on the PATH.
func Tests() string {
	if dir := os.Getenv("GOSPHERE_GO_TESTS"); dir != "" {
		return dir
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		program, err := exec.LookPath(filepath.Join(dir, "go"))
		if err != nil {
			continue
		}
		command := exec.Command(program, "env", "GOROOT")
		command.Env, command.Dir = append(os.Environ(), "GOTOOLCHAIN=local", "GOROOT="), os.TempDir()
		out, err := command.Output()
		if err != nil {
			continue
		}
		tests := filepath.Join(strings.TrimSpace(string(out)), "test")
		if info, err := os.Stat(tests); err == nil && info.IsDir() {
			return tests
		}
	}
	return ""
}
