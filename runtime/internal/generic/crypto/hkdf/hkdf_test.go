package hkdf

import (
	"bytes"
	standard "crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"testing"
)

func TestKeysAgree(t *testing.T) {
	for _, h := range []func() hash.Hash{sha256.New, sha512.New} {
		for _, salt := range [][]byte{nil, {}, []byte("salt of the test"), bytes.Repeat([]byte("long"), 50)} {
			for _, length := range []int{0, 1, 32, 100, 255 * 32, 255*64 + 1} {
				got, err := Key(h, []byte("a secret of twenty b"), salt, "info", length)
				want, failed := standard.Key(h, []byte("a secret of twenty b"), salt, "info", length)
				if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(failed) {
					t.Errorf("length %d: %x, %v, want %x, %v", length, got, err, want, failed)
				}
			}
		}
	}
}
