package notebook_test

import (
	"os"
	"testing"

	"gosphere/internal/command"
	"gosphere/internal/command/process"
	"gosphere/runtime/symbols"
)

// TestMain runs this test binary as the program gosphere if a test requests it.
func TestMain(m *testing.M) {
	if os.Getenv("GOSPHERE_TEST_AS_PROGRAM") != "" {
		os.Exit(command.Main(os.Args[1:], process.Preloaded{Symbol: symbols.Find, Archives: symbols.Archives}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
