//go:build !js

package program

import (
	"os"

	"gosphere/internal/command"
)

// Main runs the command line of the process and ends it.
func Main() {
	arguments := os.Args[1:]
	os.Args = os.Args[:1] // a cell is a program without arguments
	os.Exit(command.Main(arguments, preloaded, os.Stdout, os.Stderr))
}
