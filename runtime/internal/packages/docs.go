package packages

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// encodeDocs encodes documentation texts in the order of their names.
func encodeDocs(docs map[string]string) []byte {
	if len(docs) == 0 {
		return nil
	}
	b := binary.AppendUvarint(nil, uint64(len(docs)))
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		b = appendString(b, name)
		b = appendString(b, docs[name])
	}
	return b
}

// decodeDocs decodes documentation texts.
func decodeDocs(data []byte) (map[string]string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := reader{rest: string(data)}
	// A pair takes at least two bytes.
	count := min(r.number(), uint64(len(data)/2))
	docs := make(map[string]string, count)
	for range count {
		name := r.string()
		docs[name] = r.string()
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errors.New("documentation is damaged")
	}
	return docs, nil
}
