//go:build go1.28 && !unknowngo

package realtype

// A compiler of a release that this package has not been adapted to stops here: the layout of types
// may have changed in a way that SelfCheck does not notice.
const _ int = "gosphere knows the run-time types of Go 1.27 only: use the toolchain in go.mod, or port it as docs/releasing-go.md describes and add -tags unknowngo until then"
