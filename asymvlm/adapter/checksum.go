package adapter

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"gosphere/asymvlm/embedding"
)

// Checksum returns a SHA-256 in hexadecimal of what a training or an evaluation depends on in a set: shapes, values
// and the caption-to-image table, not its name, the words or the encoders' last layers. Rows in files give the same as in
// memory. It panics if such a file can no longer be read; ChecksumOf returns the error instead.
func Checksum(set *embedding.Set) string {
	sum, err := ChecksumOf(set)
	if err != nil {
		panic(err)
	}
	return sum
}

// ChecksumOf is Checksum for sets whose rows may be in files. The error is that of a file that can no longer be read.
func ChecksumOf(set *embedding.Set) (string, error) {
	return checksum(set.CaptionImages, set.Sides()[0], set.Sides()[1])
}

// layerChecksum is Checksum of what a training on last layers depends on.
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
