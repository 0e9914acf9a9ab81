package adapter

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"gosphere/asymvlm/embedding"
)

// Checksum returns a SHA-256 in hexadecimal of what a training or an evaluation depends on in a set: shapes, values
// and the caption-to-image table, not its name, the words or the encoders' last layers.
func Checksum(set *embedding.Set) string {
	return checksum(set.CaptionImages, set.Images, set.Texts)
}

// layerChecksum is Checksum of what a training on last layers depends on.
func layerChecksum(set *embedding.Set) string {
	var parts []embedding.Matrix
	for _, l := range sidesOf(set) {
		parts = append(parts, l.Inputs, l.Weights, embedding.Matrix{Rows: 1, Columns: len(l.Bias), Values: l.Bias})
	}
	return checksum(set.CaptionImages, parts...)
}

func checksum(captionImages []int, matrices ...embedding.Matrix) string {
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
		for _, value := range m.Values {
			number(uint64(math.Float32bits(value)), 4)
		}
	}
	for _, image := range captionImages {
		number(uint64(image), 8)
	}
	sum.Write(buffer)
	return hex.EncodeToString(sum.Sum(nil))
}
