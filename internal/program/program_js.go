package program

import (
	"fmt"
	"os"

	"gosphere/internal/command/browser"
)

// Main serves the page until it requests a shutdown.
func Main() {
	os.Args = os.Args[:1] // a cell is a program without arguments
	if err := browser.Main(preloaded); err != nil {
		fmt.Fprintln(os.Stderr, "gosphere:", err)
		os.Exit(1)
	}
}
