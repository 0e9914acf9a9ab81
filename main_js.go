package main

import (
	"fmt"
	"os"

	"gosphere/internal/command/browser"
	"gosphere/internal/command/process"
	"gosphere/internal/runtime/symbols"
)

func main() {
	os.Args = os.Args[:1] // a cell is a program without arguments
	if err := browser.Main(process.Preloaded{Symbol: symbols.Find, Archive: symbols.Archive}); err != nil {
		fmt.Fprintln(os.Stderr, "gosphere:", err)
		os.Exit(1)
	}
}
