package curve

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// z85 is the alphabet of Z85 (rfc.zeromq.org/spec/32). Four bytes are five digits to the base 85.
const z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// keyDigits is the length of a key in Z85.
const keyDigits = 40

// ParseKey decodes a key of 40 characters in Z85, the form in which connection files contain keys.
// Its errors do not contain the text, because it may be secret.
func ParseKey(text string) (Key, error) {
	var key Key
	if len(text) != keyDigits {
		return key, fmt.Errorf("curve: key of %d characters, want %d in Z85", len(text), keyDigits)
	}
	for group := range keyDigits / 5 {
		var value uint64
		for i := group * 5; i < group*5+5; i++ {
			digit := strings.IndexByte(z85, text[i])
			if digit < 0 {
				return key, fmt.Errorf("curve: character %d of the key is not in the alphabet of Z85", i+1)
			}
			value = value*85 + uint64(digit)
		}
		if value > 1<<32-1 {
			return key, fmt.Errorf("curve: characters %d to %d of the key are not a number of 32 bits in Z85", group*5+1, group*5+5)
		}
		binary.BigEndian.PutUint32(key[group*4:], uint32(value))
	}
	return key, nil
}

// String returns the key in Z85.
func (k Key) String() string {
	text := make([]byte, 0, keyDigits)
	for group := range len(k) / 4 {
		value := binary.BigEndian.Uint32(k[group*4:])
		for _, power := range []uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			text = append(text, z85[value/power%85])
		}
	}
	return string(text)
}
