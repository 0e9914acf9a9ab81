// Package golang holds the release of Go whose language cells have. The program is built with that
// release: go.mod names it, and docs/releasing-go.md lists what a change of it involves.
package golang

// Minor is the release without the prefix go, as go.mod states it.
const Minor = "1.27"

// Version is the language version of cells, for go/types.
const Version = "go" + Minor
