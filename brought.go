package main

import (
	_ "embed"

	"gosphere/internal/command/process"
	"gosphere/internal/runtime/symbols"
)

//go:embed dependencies.txt
var licenses string

// brought are the packages for cells.
var brought = process.Preloaded{Symbol: symbols.Find, Archives: symbols.Archives, Source: symbols.Source, Licenses: licenses}
