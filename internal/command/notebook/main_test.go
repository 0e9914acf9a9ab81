package notebook_test

import (
	"os"
	"testing"

	"gosphere/runtime/session"

	"gosphere/internal/command"
	"gosphere/runtime/symbols"
)

// TestMain runs this test binary as the program gosphere if a test requests it.
func TestMain(m *testing.M) {
	if os.Getenv("GOSPHERE_TEST_AS_PROGRAM") != "" {
		os.Exit(command.Main(os.Args[1:], session.Packages{Symbol: symbols.Find, Archives: symbols.Archives}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
