package difference

import (
	"fmt"
	"go/token"
	"strings"
)

type kind int

const (
	boolKind kind = iota
	intKind
	uintKind
	floatKind
	complexKind
	stringKind
	sliceKind
	arrayKind
	mapKind
	pointerKind
	structKind
	interfaceKind
	functionKind
)

// A typ is a type of generated programs. Types are identical if their texts are equal.
type typ struct {
	text    string
	kind    kind
	base    string // spelling of the underlying type, if it is a basic one
	bits    int
	elem    *typ
	key     *typ
	length  int
	fields  []field
	params  []*typ
	results []*typ
	methods []*method // methods of the declared type, or of an interface
	named   bool
}

type field struct {
	name     string
	typ      *typ
	embedded bool
}

// A method is a method of a type or an interface.
type method struct {
	name     string
	params   []*typ
	result   *typ
	pointer  bool
	promoted bool // it belongs to an embedded field
}

func basic(name string, k kind, bits int) *typ {
	return &typ{text: name, base: name, kind: k, bits: bits}
}

var (
	boolType    = basic("bool", boolKind, 1)
	intType     = basic("int", intKind, 64)
	stringType  = basic("string", stringKind, 0)
	floatType   = basic("float64", floatKind, 64)
	anyType     = &typ{text: "any", kind: interfaceKind}
	errorType   = &typ{text: "error", kind: interfaceKind, methods: []*method{{name: "Error", result: stringType}}}
	byteType    = basic("uint8", uintKind, 8)
	runeType    = basic("int32", intKind, 32)
	basicsTypes = []*typ{
		boolType, intType, stringType, floatType, intType, stringType, byteType, runeType,
		basic("int8", intKind, 8), basic("int16", intKind, 16), basic("int64", intKind, 64),
		basic("uint", uintKind, 64), basic("uint16", uintKind, 16), basic("uint32", uintKind, 32), basic("uint64", uintKind, 64),
		basic("float32", floatKind, 32), basic("complex128", complexKind, 128), basic("complex64", complexKind, 64),
	}
)

func sliceOf(t *typ) *typ { return &typ{text: "[]" + t.text, kind: sliceKind, elem: t} }
func arrayOf(n int, t *typ) *typ {
	return &typ{text: fmt.Sprintf("[%d]%s", n, t.text), kind: arrayKind, elem: t, length: n}
}
func mapOf(k, t *typ) *typ {
	return &typ{text: "map[" + k.text + "]" + t.text, kind: mapKind, key: k, elem: t}
}
func pointerTo(t *typ) *typ { return &typ{text: "*" + t.text, kind: pointerKind, elem: t} }

func functionOf(params []*typ, result *typ) *typ {
	var list []string
	for _, p := range params {
		list = append(list, p.text)
	}
	text := "func(" + strings.Join(list, ", ") + ")"
	t := &typ{kind: functionKind, params: params}
	if result != nil {
		text += " " + result.text
		t.results = []*typ{result}
	}
	t.text = text
	return t
}

// structOf returns an unnamed struct type.
func structOf(fields []field) *typ {
	var list []string
	for _, f := range fields {
		list = append(list, f.name+" "+f.typ.text)
	}
	return &typ{text: "struct{ " + strings.Join(list, "; ") + " }", kind: structKind, fields: fields}
}

func (t *typ) numeric() bool { return t.kind >= intKind && t.kind <= complexKind }
func (t *typ) integer() bool { return t.kind == intKind || t.kind == uintKind }
func (t *typ) ordered() bool {
	return t.kind >= intKind && t.kind <= stringKind && t.kind != complexKind
}

// comparable reports whether == cannot panic.
func (t *typ) comparable() bool {
	switch t.kind {
	case sliceKind, mapKind, functionKind, interfaceKind:
		return false
	case arrayKind:
		return t.elem.comparable()
	case structKind:
		for _, f := range t.fields {
			if !f.typ.comparable() {
				return false
			}
		}
	}
	return true
}

// printable reports whether a value prints without addresses.
func (t *typ) printable() bool { return t.prints(0) }

func (t *typ) prints(depth int) bool {
	switch t.kind {
	case pointerKind:
		return depth == 0 && t.elem.kind == structKind && t.elem.prints(1)
	case functionKind:
		return false
	case interfaceKind:
		return t == anyType || t == errorType
	case sliceKind, arrayKind:
		return t.elem.prints(depth + 1)
	case mapKind:
		return t.key.prints(depth+1) && t.elem.prints(depth+1)
	case structKind:
		for _, f := range t.fields {
			if !f.typ.prints(depth+1) || f.typ.open() && !token.IsExported(lastName(f.name)) {
				return false // methods of unexported fields are not called
			}
		}
	}
	return true
}

// open reports whether a value may contain interface values.
func (t *typ) open() bool {
	switch t.kind {
	case interfaceKind:
		return true
	case sliceKind, arrayKind:
		return t.elem.open()
	case mapKind:
		return t.key.open() || t.elem.open()
	case structKind:
		for _, f := range t.fields {
			if f.typ.open() {
				return true
			}
		}
	}
	return false
}

// has reports whether a value of t has a method. Pointers have those of their element.
func (t *typ) has(name string) bool {
	addressable := false
	if t.kind == pointerKind && !t.named {
		t, addressable = t.elem, true
	}
	m := t.find(name)
	return m != nil && (addressable || !m.pointer)
}

func (t *typ) find(name string) *method {
	for _, m := range t.methods {
		if m.name == name {
			return m
		}
	}
	return nil
}

// implements reports whether a value of t can be converted to an interface.
func (t *typ) implements(i *typ) bool {
	for _, m := range i.methods {
		if !t.has(m.name) {
			return false
		}
	}
	return true
}

// basicType returns a random basic or declared basic type.
func (g *generator) basicType() *typ {
	if len(g.types) > 0 && g.one(3) {
		if t := pick(g, g.types); t.base != "" {
			return t
		}
	}
	return pick(g, basicsTypes)
}

// valueType returns a random type whose values always print the same.
func (g *generator) valueType(depth int) *typ {
	if depth <= 0 || g.one(3) {
		return g.basicType()
	}
	switch g.n(9) {
	case 0, 1:
		return sliceOf(g.valueType(depth - 1))
	case 2:
		return arrayOf(1+g.n(3), g.valueType(depth-1))
	case 3:
		return mapOf(g.keyType(), g.valueType(depth-1))
	case 4:
		if g.one(2) {
			return anyType
		}
		return errorType
	case 5:
		if g.one(3) {
			var fields []field
			for i := range 1 + g.n(2) {
				fields = append(fields, field{name: []string{"A", "b", "C"}[i], typ: g.valueType(depth - 1)})
			}
			return structOf(fields)
		}
	}
	if len(g.types) > 0 {
		if t := pick(g, g.types); t.printable() {
			return t
		}
	}
	return g.basicType()
}

// keyType returns a type for keys of maps.
func (g *generator) keyType() *typ {
	for range 4 {
		if t := g.valueType(1); t.comparable() && t.kind != complexKind && t.kind != pointerKind && t.kind != floatKind {
			return t
		}
	}
	return stringType
}

// anyOldType returns a random type, including functions, pointers and interfaces.
func (g *generator) anyOldType() *typ {
	switch g.n(8) {
	case 0:
		return pointerTo(g.valueType(1))
	case 1:
		return functionOf([]*typ{g.basicType()}, g.valueType(1))
	case 2, 3:
		if len(g.types) > 0 {
			return pick(g, g.types)
		}
	}
	return g.valueType(2)
}
