// Package house tests the structure of the repository: directions of imports, sizes, documents and
// the language of comments. It needs the standard library alone.
package house

import (
	"fmt"
	"os"
	"testing"
)

// atRoot makes the go command note that the files that a test reads are below the root. It notes
// changes of the folder only while tests run, and would take results for current after the files
// have changed.
func atRoot(t *testing.T) {
	t.Helper()
	if err := os.Chdir("."); err != nil {
		t.Fatal(err)
	}
}

// Tests run at the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
