// Gosphere is a Jupyter kernel and scripting environment for Go. It type-checks cells, compiles
// them to closures and keeps what they declare, and brings gonum, gonum/plot and the AsymVLM
// laboratory along, so that the papers' experiments are rerun as notebooks.
//
// Run "gosphere install" once, then choose "Go (gosphere)" in Jupyter; "gosphere --help" lists the
// rest.
package main

import "gosphere/internal/program"

func main() { program.Main() }
