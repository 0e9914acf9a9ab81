package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Arguments of pickle opcodes, protocols 0 to 5 (see Python's pickletools): a number of bytes; a
// length of one, four or eight bytes followed by that many bytes; or lines.
const (
	oneByteLength   = -1
	fourByteLength  = -4
	eightByteLength = -8
	oneLine         = -100
	twoLines        = -200
)

// opcodes maps the opcodes that have an argument to its form.
var opcodes = map[byte]int{
	'K': 1, 'M': 2, 'J': 4, 'G': 8, 'q': 1, 'r': 4, 'h': 1, 'j': 4, 0x80: 1, 0x82: 1, 0x83: 2, 0x84: 4, 0x95: 8,
	'U': oneByteLength, 'C': oneByteLength, 0x8a: oneByteLength, 0x8c: oneByteLength,
	'T': fourByteLength, 'X': fourByteLength, 'B': fourByteLength, 0x8b: fourByteLength,
	0x8d: eightByteLength, 0x8e: eightByteLength, 0x96: eightByteLength,
	'F': oneLine, 'I': oneLine, 'L': oneLine, 'S': oneLine, 'V': oneLine, 'P': oneLine, 'g': oneLine, 'p': oneLine,
	'c': twoLines, 'i': twoLines,
}

// checkOpcodes returns an error if an argument is longer than the remaining text. The decoder
// allocates arguments before it reads them, so a malformed file could otherwise exhaust the memory.
func checkOpcodes(text []byte) error {
	for at := 0; at < len(text); {
		code := text[at]
		at++
		rest := text[at:]
		length, headed := opcodes[code], 0
		switch {
		case length == oneLine || length == twoLines:
			for range length / oneLine {
				end := bytes.IndexByte(text[at:], '\n')
				if end < 0 {
					return fmt.Errorf("opcode %q at %d: no end of line", code, at-1)
				}
				at += end + 1
			}
			continue
		case length < 0:
			headed = -length
			if len(rest) < headed {
				return fmt.Errorf("opcode %q at %d: the file ends", code, at-1)
			}
			var wide [8]byte
			copy(wide[:], rest[:headed])
			size := binary.LittleEndian.Uint64(wide[:])
			if size > uint64(len(rest)-headed) {
				return fmt.Errorf("opcode %q at %d: %d bytes wanted, %d follow", code, at-1, size, len(rest)-headed)
			}
			length = int(size)
		case code == 0x95: // a frame contains opcodes
			if len(rest) < 8 || binary.LittleEndian.Uint64(rest) > uint64(len(rest)-8) {
				return fmt.Errorf("frame at %d is longer than the file", at-1)
			}
		}
		if headed+length > len(rest) {
			return fmt.Errorf("opcode %q at %d: the file ends", code, at-1)
		}
		at += headed + length
		if code == '.' {
			return nil
		}
	}
	return fmt.Errorf("no end (STOP)")
}
