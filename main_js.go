package main

import (
	"fmt"
	"os"

	"gosphere/internal/command/browser"
)

func main() {
	os.Args = os.Args[:1] // a cell is a program without arguments
	if err := browser.Main(brought); err != nil {
		fmt.Fprintln(os.Stderr, "gosphere:", err)
		os.Exit(1)
	}
}
