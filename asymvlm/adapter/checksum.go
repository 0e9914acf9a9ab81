package adapter

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"gosphere/asymvlm/embedding"
)

// Checksum returns a hexadecimal SHA-256 of the parts of a set that training and evaluation depend
// on: shapes, values and the caption-to-image table. The name, the words and the encoders' last
// layers are not included. Rows in files have the same checksum as rows in memory. Checksum panics
// if such a file can no longer be read; ChecksumOf returns the error instead.
func Checksum(set *embedding.Set) string {
	sum, err := ChecksumOf(set)
	if err != nil {
		panic(err)
	}
	return sum
}

// ChecksumOf is Checksum for sets whose rows may be in files. It returns an error if a file can no
// longer be read.
func ChecksumOf(set *embedding.Set) (string, error) {
	return checksum(set.CaptionImages, set.Sides()[0], set.Sides()[1])
}

// layerChecksum returns the checksum of the inputs, weights and biases that training on last layers
// depends on.
func layerChecksum(set *embedding.Set) (string, error) {
	var parts []*embedding.Stored
	for _, l := range sidesOf(set) {
		for _, m := range []embedding.Matrix{l.Inputs, l.Weights, {Rows: 1, Columns: len(l.Bias), Values: l.Bias}} {
			parts = append(parts, embedding.InMemory(m))
		}
	}
	return checksum(set.CaptionImages, parts...)
}

func checksum(captionImages []int, matrices ...*embedding.Stored) (string, error) {
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
				return "", fmt.Errorf("adapter: checksum: %w", block.Err)
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
