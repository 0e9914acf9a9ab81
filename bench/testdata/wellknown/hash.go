package p

// The hash function MurmurHash3 in 32 bits over n bytes.

func rotate(x uint32, k uint) uint32 { return x<<k | x>>(32-k) }

func murmur(b []byte, seed uint32) uint32 {
	h := seed
	for i := 0; i+4 <= len(b); i += 4 {
		word := uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
		h ^= rotate(word*0xcc9e2d51, 15) * 0x1b873593
		h = rotate(h, 13)*5 + 0xe6546b64
	}
	h ^= uint32(len(b))
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func Run(n int) int {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 13)
	}
	return int(murmur(b, 42))
}
