package adapter

import "gosphere/asymvlm/embedding"

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

// ChecksumOf is like Checksum for sets whose rows may be in files. It returns an error if a file
// can no longer be read.
func ChecksumOf(set *embedding.Set) (string, error) {
	return embedding.Checksum(set.CaptionImages, set.Sides()[0], set.Sides()[1])
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
	return embedding.Checksum(set.CaptionImages, parts...)
}
