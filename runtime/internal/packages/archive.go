package packages

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
)

const magic = "gosphere packages 1\n"

// maxUnpacked is the maximum decompressed size of a block, so that a damaged index cannot request
// all memory. The largest block of the generated archive, the types of syscall or net/http, is well
// below one megabyte.
const maxUnpacked = 64 << 20

// A Package is the information about one package in an archive.
type Package struct {
	Path, Name string
	// Types is export data as written by gcexportdata.Write. It is empty if this segment does not
	// contain the types.
	Types []byte
	// Docs maps names ("", "Sqrt", "Buffer.Write") to documentation texts. It is nil if this
	// segment does not contain the documentation.
	Docs map[string]string
}

// A Segment is one part of an archive before it is encoded.
type Segment struct {
	GoVersion string // version of the standard library described, such as "go1.26.8"
	Platform  string // "" for all platforms, or a platform such as "linux/amd64"
	Packages  []Package
}

// Encode returns the encoded segment. Equal segments have equal encodings; an archive is a
// concatenation of segments. It returns an error for a package without path or name, or a path that
// is listed twice. The encoding does not depend on the order of maps or of the list, so that
// regenerating an unchanged archive leaves no difference in the repository.
func (s Segment) Encode() ([]byte, error) {
	list := slices.Clone(s.Packages)
	slices.SortFunc(list, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	var index, blocks []byte
	index = appendString(index, s.GoVersion)
	index = appendString(index, s.Platform)
	index = binary.AppendUvarint(index, uint64(len(list)))
	for i, p := range list {
		if p.Path == "" || p.Name == "" {
			return nil, fmt.Errorf("packages: package %q has name %q", p.Path, p.Name)
		}
		if i > 0 && list[i-1].Path == p.Path {
			return nil, fmt.Errorf("packages: %s is listed twice", p.Path)
		}
		index = appendString(index, p.Path)
		index = appendString(index, p.Name)
		for _, unpacked := range [][]byte{p.Types, encodeDocs(p.Docs)} {
			packed, err := pack(unpacked)
			if err != nil {
				return nil, fmt.Errorf("packages: %s: %w", p.Path, err)
			}
			index = binary.AppendUvarint(index, uint64(len(packed)))
			index = binary.AppendUvarint(index, uint64(len(unpacked)))
			index = binary.LittleEndian.AppendUint32(index, crc32.ChecksumIEEE(unpacked))
			blocks = append(blocks, packed...)
		}
	}
	out := []byte(magic)
	out = binary.AppendUvarint(out, uint64(len(index)))
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(index))
	out = append(out, index...)
	return append(out, blocks...), nil
}

// pack returns the compressed bytes, or nil for none. The time for the best compression is spent
// only when the archive is generated.
func pack(unpacked []byte) ([]byte, error) {
	if len(unpacked) == 0 {
		return nil, nil
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(unpacked); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// A part is one compressed block as described by the index. The zero part is absent.
type part struct {
	packed   string
	unpacked int
	checksum uint32
}

// unpack decompresses a block. It reads exactly the announced number of bytes, so a block cannot
// grow beyond the limit.
func (p part) unpack() ([]byte, error) {
	if p.unpacked == 0 {
		return nil, nil
	}
	data := make([]byte, p.unpacked)
	r := flate.NewReader(strings.NewReader(p.packed))
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("block is damaged: %w", err)
	}
	if sum := crc32.ChecksumIEEE(data); sum != p.checksum {
		return nil, fmt.Errorf("block has checksum %08x, want %08x", sum, p.checksum)
	}
	return data, nil
}

// An entry is the information about one package in the index of a segment.
type entry struct {
	path, name  string
	types, docs part
}

// A segment is the decoded index of one segment.
type segment struct {
	goVersion, platform string
	entries             []entry
}

// decodeSegment decodes the first segment of archive and returns the rest. The archive is embedded
// in the program and not read from outside, but a fuzz test feeds it with arbitrary bytes: sizes
// are checked before anything is allocated.
func decodeSegment(archive string) (segment, string, error) {
	var s segment
	rest, ok := strings.CutPrefix(archive, magic)
	if !ok {
		return s, "", errors.New("packages: not an archive of packages")
	}
	header := reader{rest: rest}
	length, checksum := header.number(), header.checksum()
	index := header.take(length)
	if header.failed {
		return s, "", errors.New("packages: archive is truncated in its index")
	}
	if sum := crc32.ChecksumIEEE([]byte(index)); sum != checksum {
		return s, "", fmt.Errorf("packages: index has checksum %08x, want %08x", sum, checksum)
	}
	r, blocks := reader{rest: index}, reader{rest: header.rest}
	s.goVersion, s.platform = r.string(), r.string()
	// Every entry takes at least 14 bytes: two strings and two parts of six bytes each.
	count := min(r.number(), uint64(len(index)/14))
	s.entries = make([]entry, count)
	for i := range s.entries {
		e := &s.entries[i]
		e.path, e.name = r.string(), r.string()
		e.types, e.docs = r.part(&blocks), r.part(&blocks)
		if blocks.failed {
			return s, "", fmt.Errorf("packages: archive is truncated at %s", e.path)
		}
		if r.failed || e.path == "" || e.name == "" {
			return s, "", fmt.Errorf("packages: entry %d of the index is damaged", i)
		}
	}
	if r.failed || len(r.rest) > 0 {
		return s, "", fmt.Errorf("packages: index of %d packages is damaged", count)
	}
	return s, blocks.rest, nil
}

// A reader decodes values from the front of rest. After a failure it returns zeros. Callers check
// failed once after several values instead of after each.
type reader struct {
	rest   string
	failed bool
}

// take returns the next n bytes without copying them.
func (r *reader) take(n uint64) string {
	if r.failed || n > uint64(len(r.rest)) {
		r.failed = true
		return ""
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// number decodes an unsigned varint.
func (r *reader) number() uint64 {
	n, size := binary.Uvarint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		r.failed = true
		return 0
	}
	r.take(uint64(size))
	return n
}

func (r *reader) string() string { return r.take(r.number()) }

// checksum decodes the four bytes of a CRC-32.
func (r *reader) checksum() uint32 {
	if sum := r.take(4); sum != "" {
		return binary.LittleEndian.Uint32([]byte(sum))
	}
	return 0
}

// part decodes the description of a block and takes the block from the front of blocks.
func (r *reader) part(blocks *reader) part {
	packed, unpacked := r.number(), r.number()
	checksum := r.checksum()
	if unpacked > maxUnpacked {
		r.failed = true
		return part{}
	}
	return part{blocks.take(packed), int(unpacked), checksum}
}

// appendString appends a string as its length and its bytes.
func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
