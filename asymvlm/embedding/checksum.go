package embedding

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// Checksum returns a hexadecimal SHA-256 of the shapes and values of matrices and of a table that
// assigns captions to images. It returns an error if a file of a matrix can no longer be read.
func Checksum(captionImages []int, matrices ...*Stored) (string, error) {
	sum := sha256.New()
	buffer := make([]byte, 0, 1<<16)
	number := func(bits uint64, bytes int) {
		if len(buffer)+8 > cap(buffer) {
			sum.Write(buffer)
			buffer = buffer[:0]
		}
		buffer = binary.LittleEndian.AppendUint64(buffer, bits)[:len(buffer)+bytes]
	}
	for _, m := range matrices {
		number(uint64(m.Rows), 8)
		number(uint64(m.Columns), 8)
		for _, block := range m.Blocks() {
			if block.Err != nil {
				return "", fmt.Errorf("embedding: checksum: %w", block.Err)
			}
			for _, value := range block.Values {
				number(uint64(math.Float32bits(value)), 4)
			}
		}
	}
	for _, image := range captionImages {
		number(uint64(image), 8)
	}
	sum.Write(buffer)
	return hex.EncodeToString(sum.Sum(nil)), nil
}
