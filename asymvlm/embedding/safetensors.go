package embedding

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The safetensors format (https://huggingface.co/docs/safetensors) consists of eight bytes with the
// length of the header, little-endian; the header, a JSON object from tensor name to type, shape
// and offsets; and the tensors, without gaps.

// maxHeader is the longest header that the format allows, in bytes.
const maxHeader = 100_000_000

// metadataName is the header entry that is not a tensor but a map from string to string.
const metadataName = "__metadata__"

// checksumName is the metadata entry with the SHA-256 checksum of the whole file, in hexadecimal
// digits. The checksum is that of the file with zeros in place of the digits.
const checksumName = "gosphere.sha256"

// A Safetensors is the content of a .safetensors file. If the metadata has an entry
// "gosphere.sha256", of any value, WriteSafetensors stores the checksum of the file there, and a
// reader returns an error for a file that does not have the stored checksum.
type Safetensors struct {
	Arrays   map[string]*Array
	Metadata map[string]string
}

// A tensorEntry is the entry of one tensor in the header.
type tensorEntry struct {
	Type    string  `json:"dtype"`
	Shape   []int   `json:"shape"`
	Offsets []int64 `json:"data_offsets"` // first byte and byte after the last, counted from the end of the header
}

// ReadSafetensors reads a .safetensors file. Everything that the format forbids is an error:
// offsets outside the file, tensors that overlap or leave gaps, shapes that do not match their
// offsets, and names that occur twice.
func ReadSafetensors(path string) (*Safetensors, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	file, err := decodeSafetensors(data)
	if err != nil {
		return nil, inFile(path, err)
	}
	return file, nil
}

// decodeSafetensors decodes the bytes of a .safetensors file. The arrays share them.
func decodeSafetensors(data []byte) (*Safetensors, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("embedding: %d bytes are too few for a safetensors file", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > maxHeader || length > uint64(len(data)-8) {
		return nil, fmt.Errorf("embedding: safetensors header of %d bytes in a file of %d", length, len(data))
	}
	header, body := data[8:8+length], data[8+length:]
	entries, metadata, err := decodeHeader(header)
	if err != nil {
		return nil, fmt.Errorf("embedding: safetensors header: %w", err)
	}
	if stored, there := metadata[checksumName]; there {
		if err := checkChecksum(data[:8+length], body, stored); err != nil {
			return nil, err
		}
	}
	if err := checkPlaces(entries, int64(len(body))); err != nil {
		return nil, err
	}
	file := &Safetensors{Arrays: map[string]*Array{}, Metadata: metadata}
	for name, entry := range entries {
		array := &Array{Type: entry.Type, Shape: entry.Shape, Data: body[entry.Offsets[0]:entry.Offsets[1]:entry.Offsets[1]]}
		if err := array.Check(); err != nil {
			return nil, fmt.Errorf("embedding: tensor %q: %s", name, bare(err))
		}
		file.Arrays[name] = array
	}
	return file, nil
}

// checksumPlace returns the range of the digits of the checksum in a header.
func checksumPlace(header []byte) (begin, end int, found bool) {
	entry := []byte(`"` + checksumName + `":"`) // quotes inside of other values have a backslash
	if begin = bytes.Index(header, entry); begin < 0 {
		return 0, 0, false
	}
	begin += len(entry)
	end = begin + 2*sha256.Size
	return begin, end, end <= len(header)
}

// checkChecksum returns an error if a file does not have the checksum that its header contains.
func checkChecksum(header, body []byte, stored string) error {
	begin, end, found := checksumPlace(header)
	if !found || len(stored) != end-begin {
		return fmt.Errorf("embedding: the metadata has no checksum of %d digits: the file is damaged", 2*sha256.Size)
	}
	zeroed := bytes.Clone(header)
	copy(zeroed[begin:end], strings.Repeat("0", end-begin))
	hash := sha256.New()
	hash.Write(zeroed)
	hash.Write(body)
	if got := hex.EncodeToString(hash.Sum(nil)); got != stored {
		return fmt.Errorf("embedding: the content has the checksum %s, and %s is stored: the file is damaged", got, stored)
	}
	return nil
}

// decodeHeader decodes the header key by key, because a map would hide names that occur twice.
func decodeHeader(header []byte) (map[string]tensorEntry, map[string]string, error) {
	decoder := json.NewDecoder(bytes.NewReader(header))
	decoder.DisallowUnknownFields()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, nil, errors.New("want a JSON object")
	}
	entries := map[string]tensorEntry{}
	var metadata map[string]string
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		name := token.(string) // the key of an object
		if name == metadataName {
			if metadata != nil {
				return nil, nil, errors.New("two entries of metadata")
			}
			metadata = map[string]string{}
			if err := decoder.Decode(&metadata); err != nil {
				return nil, nil, fmt.Errorf("metadata: %w", err)
			}
			continue
		}
		if _, twice := entries[name]; twice {
			return nil, nil, fmt.Errorf("two tensors named %q", name)
		}
		var entry tensorEntry
		if err := decoder.Decode(&entry); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if entry.Shape == nil || len(entry.Offsets) != 2 {
			return nil, nil, fmt.Errorf("tensor %q: want a shape and two data_offsets", name)
		}
		entries[name] = entry
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return nil, nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, nil, errors.New("text after the JSON object")
	}
	return entries, metadata, nil
}

// checkPlaces returns an error if tensors overlap, leave a gap or do not fill the file.
func checkPlaces(entries map[string]tensorEntry, size int64) error {
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		return cmp.Or(slices.Compare(entries[a].Offsets, entries[b].Offsets), cmp.Compare(a, b))
	})
	end := int64(0)
	for _, name := range names {
		place := entries[name].Offsets
		if place[1] < place[0] || place[1] > size {
			return fmt.Errorf("embedding: tensor %q at bytes %d to %d of %d", name, place[0], place[1], size)
		}
		if place[0] != end {
			return fmt.Errorf("embedding: tensor %q begins at byte %d, want %d: tensors overlap or leave a gap", name, place[0], end)
		}
		end = place[1]
	}
	if end != size {
		return fmt.Errorf("embedding: tensors end at byte %d of %d", end, size)
	}
	return nil
}

// WriteSafetensors writes a .safetensors file. The file appears whole or not at all: it is written
// under a temporary name in the same folder, synced and renamed. Equal contents produce equal
// bytes. Names and metadata must be UTF-8. An array that fails its Check is an error that names the
// tensor.
func WriteSafetensors(path string, file *Safetensors) error {
	header, names, err := encodeHeader(file)
	if err != nil {
		return inFile(path, err)
	}
	return writeWhole(path, func(w io.Writer) error {
		if _, err := w.Write(header); err != nil {
			return err
		}
		for _, name := range names {
			if _, err := w.Write(file.Arrays[name].Data); err != nil {
				return err
			}
		}
		return nil
	})
}

// encodeHeader returns the bytes before the tensors, and the tensors' names in storage order.
func encodeHeader(file *Safetensors) (header []byte, names []string, err error) {
	// Wide types come first, so that every tensor is aligned if the header's length is a multiple
	// of eight.
	names = slices.SortedFunc(maps.Keys(file.Arrays), func(a, b string) int {
		wide := cmp.Compare(typeSizes[file.Arrays[b].Type], typeSizes[file.Arrays[a].Type])
		return cmp.Or(wide, cmp.Compare(a, b))
	})
	entries := map[string]any{}
	_, checked := file.Metadata[checksumName]
	if checked {
		metadata := maps.Clone(file.Metadata)
		metadata[checksumName] = strings.Repeat("0", 2*sha256.Size)
		entries[metadataName] = metadata
	} else if len(file.Metadata) > 0 {
		entries[metadataName] = file.Metadata
	}
	for key, value := range file.Metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(value) { // JSON would store another text
			return nil, nil, fmt.Errorf("embedding: metadata %q with the value %q is not UTF-8", key, value)
		}
	}
	end := int64(0)
	for _, name := range names {
		array := file.Arrays[name]
		if name == metadataName {
			return nil, nil, fmt.Errorf("embedding: a tensor cannot be named %q", name)
		}
		if !utf8.ValidString(name) { // two such names could become equal
			return nil, nil, fmt.Errorf("embedding: the tensor name %q is not UTF-8", name)
		}
		if err := array.Check(); err != nil {
			return nil, nil, fmt.Errorf("embedding: tensor %q: %s", name, bare(err))
		}
		begin := end
		end += int64(len(array.Data))
		shape := append([]int{}, array.Shape...) // a single number has the shape [], not null
		entries[name] = tensorEntry{Type: array.Type, Shape: shape, Offsets: []int64{begin, end}}
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return nil, nil, err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	if len(text) > maxHeader {
		return nil, nil, fmt.Errorf("embedding: the names and metadata take %d bytes, and readers accept at most %d", len(text), maxHeader)
	}
	header = append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	if begin, end, found := checksumPlace(header); checked && found {
		hash := sha256.New()
		hash.Write(header)
		for _, name := range names {
			hash.Write(file.Arrays[name].Data)
		}
		hex.Encode(header[begin:end], hash.Sum(nil))
	}
	return header, names, nil
}

// ParseSafetensors decodes the content of a .safetensors file. The arrays share the bytes of data.
// ParseSafetensors returns the errors of ReadSafetensors.
func ParseSafetensors(data []byte) (*Safetensors, error) { return decodeSafetensors(data) }
