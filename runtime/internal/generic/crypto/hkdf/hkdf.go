// Package hkdf holds the generic functions of the standard package crypto/hkdf, after RFC 5869.
package hkdf

import (
	"crypto/hmac"
	"errors"
	"hash"
)

// Extract derives a pseudorandom key from a secret and an optional salt (section 2.2). Without a
// salt, section 2.2 prescribes zeros, as many as a hash has bytes.
func Extract[H hash.Hash](h func() H, secret, salt []byte) ([]byte, error) {
	// hmac.New is not generic: a func() H is no func() hash.Hash, even if H is a hash.Hash.
	newHash := func() hash.Hash { return h() }
	if salt == nil {
		salt = make([]byte, newHash().Size())
	}
	mac := hmac.New(newHash, salt)
	mac.Write(secret)
	return mac.Sum(nil), nil
}

// Expand derives a key of the given length from a pseudorandom key (section 2.3). The counter of a
// block is a single byte, which limits the length to 255 hashes.
func Expand[H hash.Hash](h func() H, pseudorandomKey []byte, info string, keyLength int) ([]byte, error) {
	newHash := func() hash.Hash { return h() }
	if keyLength > 255*newHash().Size() {
		return nil, errors.New("hkdf: requested key length too large")
	}
	mac := hmac.New(newHash, pseudorandomKey)
	var key, block []byte
	// The first block is computed from an empty previous block (section 2.3).
	for i := 1; len(key) < keyLength; i++ {
		mac.Reset()
		mac.Write(block)
		mac.Write([]byte(info))
		mac.Write([]byte{byte(i)})
		block = mac.Sum(nil)
		key = append(key, block...)
	}
	return key[:keyLength:keyLength], nil
}

// Key combines Extract and Expand.
//
// The errors are those of Expand; Extract always succeeds.
func Key[Hash hash.Hash](h func() Hash, secret, salt []byte, info string, keyLength int) ([]byte, error) {
	pseudorandomKey, err := Extract(h, secret, salt)
	if err != nil {
		return nil, err
	}
	return Expand(h, pseudorandomKey, info, keyLength)
}
