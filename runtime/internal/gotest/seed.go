package gotest

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strings"
)

// seed parses a file of testdata/fuzz: a first line with the format, followed by lines with a
// conversion of a constant, such as int(5) or []byte("text"). The format is that of internal/fuzz,
// which programs cannot import. For instance, for a fuzz test with the parameters int and []byte:
//
//	go test fuzz v1
//	int(5)
//	[]byte("text")
func seed(text string) (values []any, err error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if lines[0] != "go test fuzz v1" {
		return nil, fmt.Errorf("the first line is %q, want %q", lines[0], "go test fuzz v1")
	}
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		v, err := seedValue(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		values = append(values, v)
	}
	return values, nil
}

// seedValue parses one line. NaN has no constant and is written by its bits, as
// math.Float64frombits(0x7ff8000000000001).
func seedValue(line string) (any, error) {
	if number, ok := strings.CutPrefix(line, "math.Float64frombits("); ok {
		bits, err := constantOf("uint64("+number, types.Typ[types.Uint64])
		if err != nil {
			return nil, err
		}
		n, _ := constant.Uint64Val(bits)
		return math.Float64frombits(n), nil
	}
	if number, ok := strings.CutPrefix(line, "math.Float32frombits("); ok {
		bits, err := constantOf("uint32("+number, types.Typ[types.Uint32])
		if err != nil {
			return nil, err
		}
		n, _ := constant.Uint64Val(bits)
		return math.Float32frombits(uint32(n)), nil
	}
	if text, ok := strings.CutPrefix(line, "[]byte("); ok {
		v, err := constantOf("string("+text, types.Typ[types.String])
		if err != nil {
			return nil, err
		}
		return []byte(constant.StringVal(v)), nil
	}
	name, _, _ := strings.Cut(line, "(")
	object, ok := types.Universe.Lookup(name).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("%s is no type of seeds", name)
	}
	basic, ok := types.Unalias(object.Type()).(*types.Basic)
	if !ok {
		return nil, fmt.Errorf("%s is no type of seeds", name)
	}
	v, err := constantOf(line, basic)
	if err != nil {
		return nil, err
	}
	return converted(v, basic.Kind())
}

// constantOf evaluates a conversion to a type. types.Eval evaluates constants of any form that Go
// allows, such as int(-0x10) or rune('a'), and refuses those that overflow.
func constantOf(text string, want *types.Basic) (constant.Value, error) {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		return nil, err
	}
	if tv.Value == nil || !types.Identical(types.Unalias(tv.Type), want) {
		return nil, fmt.Errorf("want a constant of type %s", want)
	}
	return tv.Value, nil
}

// converted converts a constant to its Go type. A value that a type cannot hold has been refused by
// constantOf.
func converted(v constant.Value, kind types.BasicKind) (any, error) {
	// Only the value that fits the kind is used; the others may be inexact.
	i, _ := constant.Int64Val(constant.ToInt(v))
	u, _ := constant.Uint64Val(constant.ToInt(v))
	f, _ := constant.Float64Val(constant.ToFloat(v))
	switch kind {
	case types.String:
		return constant.StringVal(v), nil
	case types.Bool:
		return constant.BoolVal(v), nil
	case types.Int:
		return int(i), nil
	case types.Int8:
		return int8(i), nil
	case types.Int16:
		return int16(i), nil
	case types.Int32:
		return int32(i), nil
	case types.Int64:
		return i, nil
	case types.Uint:
		return uint(u), nil
	case types.Uint8:
		return uint8(u), nil
	case types.Uint16:
		return uint16(u), nil
	case types.Uint32:
		return uint32(u), nil
	case types.Uint64:
		return u, nil
	case types.Float32:
		return float32(f), nil
	case types.Float64:
		return f, nil
	}
	return nil, fmt.Errorf("%s is no type of seeds", types.Typ[kind])
}
