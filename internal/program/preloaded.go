// Package program is the program with all that it brings along: the command line, or in a browser
// the kernel of the page, with the packages for cells and the devices that compute.
package program

import (
	"gosphere/install/licenses"
	"gosphere/runtime/session"
	"gosphere/runtime/symbols"
)

// preloaded are the packages for cells.
var preloaded = session.Packages{Symbol: symbols.Find, Archives: symbols.Archives, Source: symbols.Source, Licenses: licenses.Dependencies}
