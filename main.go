//go:build !js

// Gosphere is a Jupyter kernel and scripting environment for Go. It type-checks cells, compiles
// them to closures and keeps what they declare, and brings gonum, gonum/plot and the AsymVLM
// laboratory along, so that the papers' experiments are rerun as notebooks.
//
// Run "gosphere install" once, then choose "Go (gosphere)" in Jupyter; "gosphere --help" lists the
// rest.
package main

import (
	"os"

	"gosphere/internal/command"
)

func main() {
	arguments := os.Args[1:]
	os.Args = os.Args[:1] // a cell is a program without arguments
	os.Exit(command.Main(arguments, brought, os.Stdout, os.Stderr))
}
