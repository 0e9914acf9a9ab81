package editing_test

import (
	"os"
	"testing"

	"gosphere/internal/command"
	"gosphere/internal/testing/sessiontest"
)

// TestMain runs this test binary as the program gosphere if a test requests it. The kernels that
// the program starts inherit the request.
func TestMain(m *testing.M) {
	if os.Getenv("GOSPHERE_TEST_AS_PROGRAM") != "" {
		os.Exit(command.Main(os.Args[1:], sessiontest.Preloaded, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}
