package laboratory_test

import (
	"os"
	"testing"

	"gosphere/runtime/session"

	"gosphere/internal/command"
)

// TestMain runs this test binary as the program gosphere, without preloaded packages, if a test
// requests it.
func TestMain(m *testing.M) {
	if os.Getenv("GOSPHERE_TEST_AS_PROGRAM") != "" {
		os.Exit(command.Main(os.Args[1:], session.Packages{}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
