package picture

import (
	"bytes"
	"encoding/binary"
)

// orientation returns the EXIF orientation of a JPEG, 1 to 8 (tag 0x0112 of the first directory),
// or 1 if there is none.
func orientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != 0xda; {
		length := int(binary.BigEndian.Uint16(data[at+2:]))
		if length < 2 || at+2+length > len(data) {
			return 1
		}
		segment := data[at+4 : at+2+length]
		if tiff, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && data[at+1] == 0xe1 {
			return orientationOf(tiff)
		}
		at += 2 + length
	}
	return 1
}

// orientationOf returns the orientation in the TIFF data of an EXIF segment.
func orientationOf(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	directory := order.Uint32(tiff[4:])
	if uint64(directory)+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[directory:]
	count := int(order.Uint16(entries))
	for entry := entries[2:]; count > 0 && len(entry) >= 12; entry, count = entry[12:], count-1 {
		if order.Uint16(entry) == 0x0112 {
			if value := int(order.Uint16(entry[8:])); value >= 1 && value <= 8 {
				return value
			}
		}
	}
	return 1
}

// oriented returns the picture rotated and mirrored according to an EXIF orientation.
func (p *Picture) oriented(orientation int) *Picture {
	if orientation == 1 {
		return p
	}
	q := New(p.Width, p.Height)
	if orientation >= 5 { // rows become columns
		q = New(p.Height, p.Width)
	}
	for y := range q.Height {
		for x := range q.Width {
			var fromX, fromY int
			switch orientation {
			case 2:
				fromX, fromY = p.Width-1-x, y
			case 3:
				fromX, fromY = p.Width-1-x, p.Height-1-y
			case 4:
				fromX, fromY = x, p.Height-1-y
			case 5:
				fromX, fromY = y, x
			case 6:
				fromX, fromY = y, p.Height-1-x
			case 7:
				fromX, fromY = p.Width-1-y, p.Height-1-x
			case 8:
				fromX, fromY = p.Width-1-y, x
			}
			copy(q.Pixels[3*(y*q.Width+x):], p.Pixels[3*(fromY*p.Width+fromX):][:3])
		}
	}
	return q
}
