package check_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/testing/gotree"
	"gosphere/runtime/check"
)

// TestGoTestProgramsCheck checks the programs of Go's own tests that compile without flags.
// Programs with imports that cells do not support are omitted.
func TestGoTestProgramsCheck(t *testing.T) {
	dir := gotree.Tests()
	if dir == "" {
		t.Skip("Go's tests are not here")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	checked := 0
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(data, []byte("// run\n")) {
			continue
		}
		s := check.NewSession(store(t))
		if _, err := checkCell(s, 1, string(data)); err != nil {
			if strings.Contains(err.Error(), "could not import") || strings.Contains(err.Error(), "cells cannot") {
				continue
			}
			t.Errorf("%s: %s", filepath.Base(file), strings.Split(err.Error(), "\n")[0])
		}
		checked++
	}
	if checked == 0 {
		t.Skip("Go's tests are not here")
	}
	t.Logf("%d programs", checked)
}
