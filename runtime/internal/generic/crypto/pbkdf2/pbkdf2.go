// Package pbkdf2 holds the generic function of the standard package crypto/pbkdf2, after
// RFC 8018, section 5.2.
package pbkdf2

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"hash"
)

// Key derives a key of the given length from a password and a salt. iter is the number of
// iterations.
//
// The parameter h has its own type of hash because the standard signature does. Only its methods
// are used.
func Key[Hash hash.Hash](h func() Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if keyLength <= 0 {
		return nil, errors.New("pbkdf2: keyLength must be larger than 0")
	}
	mac := hmac.New(func() hash.Hash { return h() }, []byte(password))
	var key []byte
	for block := uint32(1); len(key) < keyLength; block++ {
		mac.Reset()
		mac.Write(salt)
		mac.Write(binary.BigEndian.AppendUint32(nil, block))
		u := mac.Sum(nil)
		// The sum starts with the first iteration and must not share its array, since u is read by the
		// second one.
		sum := append([]byte(nil), u...)
		for n := 2; n <= iter; n++ {
			mac.Reset()
			mac.Write(u)
			u = mac.Sum(nil)
			for i := range u {
				sum[i] ^= u[i]
			}
		}
		key = append(key, sum...)
	}
	return key[:keyLength], nil
}
