package pbkdf2

import (
	"bytes"
	standard "crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"testing"
)

func TestKeysAgree(t *testing.T) {
	for _, h := range []func() hash.Hash{sha256.New, sha1.New} {
		for _, iterations := range []int{-1, 0, 1, 2, 50} {
			for _, length := range []int{-1, 0, 1, 32, 77} {
				got, err := Key(h, "password", []byte("salt"), iterations, length)
				want, failed := standard.Key(h, "password", []byte("salt"), iterations, length)
				if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(failed) {
					t.Errorf("%d iterations, length %d: %x, %v, want %x, %v", iterations, length, got, err, want, failed)
				}
			}
		}
	}
}
