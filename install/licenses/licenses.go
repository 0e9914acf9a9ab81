// Package licenses has the licenses of the modules that the program is made of.
//
// NOTICE must accompany the binary. Program generate writes both files.
package licenses

import _ "embed"

// Dependencies lists the modules with their versions and licenses, one in a line.
//
//go:embed dependencies.txt
var Dependencies string
