package laboratory_test

import (
	"os"
	"testing"

	"gosphere/internal/command"
	"gosphere/internal/command/process"
)

// TestMain runs this test binary as the program gosphere, without preloaded packages, if a test
// requests it.
func TestMain(m *testing.M) {
	if os.Getenv("GOSPHERE_TEST_AS_PROGRAM") != "" {
		os.Exit(command.Main(os.Args[1:], process.Preloaded{}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
