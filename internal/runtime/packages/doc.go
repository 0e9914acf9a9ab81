// Package packages holds what a Go toolchain would know about the preloaded
// packages: their type information and their documentation.
//
// Both come out of one archive that internal/runtime/symbols embeds, so that cells are
// checked and explained on machines without Go. The package knows nothing of
// values; the tables of their symbols are in internal/runtime/symbols.
//
// An archive is a row of segments, and a later segment wins over an earlier one:
//
//	segment = "gosphere packages 1\n" length checksum index blocks
//	index   = version platform count { path name part part }   // types, documentation
//	part    = packed length, unpacked length, checksum           // 0, 0, 0 where it is absent
//
// Numbers are unsigned varints, strings a number and their bytes, checksums four
// bytes of CRC-32 (IEEE), little end first; the first length and checksum are those of the
// index. The blocks follow the index in its order, each packed by itself with
// DEFLATE, so opening reads the index only. The types are export data of
// golang.org/x/tools/go/gcexportdata without positions, the documentation is a
// count and pairs of name and text. A first segment is shared by all platforms;
// one for the platform adds what differs there.
//
// Read archive.go for the format, store.go for the importer, then names.go.
//
//	store, err := packages.Open(symbols.Archive())
//	...
//	config := types.Config{Importer: store}
package packages
