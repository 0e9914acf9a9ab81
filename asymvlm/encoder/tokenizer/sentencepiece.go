package tokenizer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// A pieceType is the role of a piece in a SentencePiece model (sentencepiece_model.proto).
type pieceType uint64

const (
	normalPiece  pieceType = 1
	unknownPiece pieceType = 2
	controlPiece pieceType = 3
	userPiece    pieceType = 4
	unusedPiece  pieceType = 5
	bytePiece    pieceType = 6
)

// A piece is one entry of the vocabulary; its id is its index.
type piece struct {
	text  string
	score float32
	role  pieceType
}

// A sentencePieceModel is the content of a .model file that encoding needs.
type sentencePieceModel struct {
	pieces                                []piece
	modelType                             uint64 // 1 is unigram
	byteFallback, suffix                  bool
	charsMap                              []byte
	dummyPrefix, removeSpace, escapeSpace bool
}

// fields calls visit for each field of a protobuf message, with the bytes of a length-delimited
// field or the value of another one.
func fields(message []byte, visit func(number protowire.Number, bytes []byte, value uint64) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var bytes []byte
		var value uint64
		switch kind {
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(message)
			value = uint64(short)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := visit(number, bytes, value); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

// decodeSentencePiece decodes a ModelProto.
func decodeSentencePiece(data []byte) (*sentencePieceModel, error) {
	m := &sentencePieceModel{modelType: 1, dummyPrefix: true, removeSpace: true, escapeSpace: true}
	err := fields(data, func(number protowire.Number, bytes []byte, _ uint64) error {
		switch number {
		case 1:
			p := piece{role: normalPiece}
			err := fields(bytes, func(number protowire.Number, bytes []byte, value uint64) error {
				switch number {
				case 1:
					p.text = string(bytes)
				case 2:
					p.score = math.Float32frombits(uint32(value))
				case 3:
					p.role = pieceType(value)
				}
				return nil
			})
			m.pieces = append(m.pieces, p)
			return err
		case 2:
			return fields(bytes, m.trainerField)
		case 3:
			return fields(bytes, m.normalizerField)
		}
		return nil
	})
	return m, err
}

// trainerField decodes a field of TrainerSpec.
func (m *sentencePieceModel) trainerField(number protowire.Number, _ []byte, value uint64) error {
	switch number {
	case 3:
		m.modelType = value
	case 24:
		m.suffix = value != 0
	case 35:
		m.byteFallback = value != 0
	}
	return nil
}

// normalizerField decodes a field of NormalizerSpec.
func (m *sentencePieceModel) normalizerField(number protowire.Number, bytes []byte, value uint64) error {
	switch number {
	case 2:
		m.charsMap = bytes
	case 3:
		m.dummyPrefix = value != 0
	case 4:
		m.removeSpace = value != 0
	case 5:
		m.escapeSpace = value != 0
	}
	return nil
}

// A charsMap replaces substrings by others. It is a double-array trie (Aoe 1989, in the layout of
// darts-clone) from UTF-8 to the offset of the replacement, which ends with a zero byte.
type charsMap struct {
	units        []uint32
	replacements []byte
}

// decodeCharsMap decodes precompiled_charsmap: the length of the trie in bytes, the trie, the
// replacements.
func decodeCharsMap(data []byte) (charsMap, error) {
	if len(data) == 0 {
		return charsMap{}, nil
	}
	if len(data) < 4 {
		return charsMap{}, errors.New("character map of less than 4 bytes")
	}
	length := binary.LittleEndian.Uint32(data)
	if data = data[4:]; uint64(length) > uint64(len(data)) || length%4 != 0 {
		return charsMap{}, fmt.Errorf("character map: trie of %d bytes in %d", length, len(data))
	}
	m := charsMap{units: make([]uint32, length/4), replacements: data[length:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return m, nil
}

// offsetOf returns the distance to the children of a unit.
func offsetOf(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// longest returns the replacement of the longest prefix of text in the map, and the length of the
// prefix, or 0 if there is none.
func (m charsMap) longest(text string) (replacement []byte, length int) {
	if len(m.units) == 0 {
		return nil, 0
	}
	position, leaf, ok := offsetOf(m.units[0]), false, true
	at := uint32(0)
	for i := range len(text) {
		if position, leaf, ok = m.child(position, text[i]); !ok {
			break
		}
		if leaf && uint64(position) < uint64(len(m.units)) {
			at, length = m.units[position]&^(1<<31), i+1
		}
	}
	if length == 0 || uint64(at) > uint64(len(m.replacements)) {
		return nil, 0
	}
	replacement = m.replacements[at:]
	for i, b := range replacement {
		if b == 0 {
			return replacement[:i], length
		}
	}
	return replacement, length
}

// child returns the position of the children of a unit's child for a byte.
func (m charsMap) child(position uint32, b byte) (child uint32, leaf, ok bool) {
	position ^= uint32(b)
	if uint64(position) >= uint64(len(m.units)) {
		return 0, false, false
	}
	unit := m.units[position]
	if unit&(1<<31|0xff) != uint32(b) {
		return 0, false, false
	}
	return position ^ offsetOf(unit), unit>>8&1 == 1, true
}

// keeps reports whether an ASCII character is unchanged if another one or the end of the text
// follows.
func (m charsMap) keeps(b byte) bool {
	if len(m.units) == 0 {
		return true
	}
	position, leaf, ok := m.child(offsetOf(m.units[0]), b)
	for next := range byte(utf8.RuneSelf) {
		if !ok {
			return true
		}
		_, _, more := m.child(position, next)
		leaf = leaf || more
	}
	return !leaf
}

// spaceSymbol represents a space in the pieces: U+2581, lower one eighth block.
const spaceSymbol = "\u2581"

// normalizedPrefix returns the normalized form of a prefix of text, and the length of that prefix.
func (u *unigram) normalizedPrefix(text string) (normalized string, length int) {
	for _, user := range u.userTexts {
		if len(user) <= len(text) && text[:len(user)] == user {
			return user, len(user)
		}
	}
	if replacement, n := u.chars.longest(text); n > 0 {
		return string(replacement), n
	}
	_, n := utf8.DecodeRuneInString(text)
	return text[:n], n
}

// normalize appends a text in the form used for training: characters replaced, and spaces as
// spaceSymbol.
func (u *unigram) normalize(dst []byte, text string) []byte {
	spec := u.spec
	if spec.removeSpace {
		for text != "" {
			normalized, n := u.normalizedPrefix(text)
			if normalized != " " {
				break
			}
			text = text[n:]
		}
	}
	if text == "" {
		return dst
	}
	space := " "
	if spec.escapeSpace {
		space = spaceSymbol
	}
	if spec.dummyPrefix {
		dst = append(dst, space...)
	}
	afterSpace := spec.removeSpace
	for text != "" {
		if u.kept[text[0]] && (len(text) == 1 || text[1] < utf8.RuneSelf) {
			dst = append(dst, text[0])
			text, afterSpace = text[1:], false
			continue
		}
		normalized, n := u.normalizedPrefix(text)
		for afterSpace && normalized != "" && normalized[0] == ' ' {
			normalized = normalized[1:]
		}
		for i := range len(normalized) {
			if normalized[i] == ' ' {
				dst = append(dst, space...)
			} else {
				dst = append(dst, normalized[i])
			}
		}
		if normalized != "" {
			afterSpace = normalized[len(normalized)-1] == ' '
		}
		afterSpace = afterSpace && spec.removeSpace
		text = text[n:]
	}
	for spec.removeSpace && len(dst) >= len(space) && string(dst[len(dst)-len(space):]) == space {
		dst = dst[:len(dst)-len(space)]
	}
	return dst
}
