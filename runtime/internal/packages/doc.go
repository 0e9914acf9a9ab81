// Package packages provides the type information and documentation of the preloaded packages.
//
// Both are read from an archive that runtime/symbols embeds, so that cells can be checked
// and documented on machines without Go. The package does not contain values; the tables of symbols
// are in runtime/symbols.
//
// An archive is a sequence of segments, of which a later one overrides earlier ones:
//
//	segment = "gosphere packages 1\n" length checksum index blocks
//	index   = version platform count { path name part part }   // types, documentation
//	part    = packed length, unpacked length, checksum           // 0, 0, 0 where it is absent
//
// Numbers are unsigned varints, strings a number and their bytes, checksums four bytes of CRC-32
// (IEEE), little-endian. The first length and checksum are those of the index. The blocks follow
// the index in its order, each compressed separately with DEFLATE, so that opening reads only the
// index. The types are export data of golang.org/x/tools/go/gcexportdata without positions; the
// documentation is a count followed by pairs of name and text. The first segment is shared by all
// platforms; a segment for the platform adds the differences.
//
// Read archive.go for the format, store.go for the importer, then names.go.
//
//	store, err := packages.Open(symbols.Archives()...)
//	...
//	config := types.Config{Importer: store}
package packages
