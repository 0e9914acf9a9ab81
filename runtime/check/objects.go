package check

import (
	"go/types"
	"iter"
	"reflect"
	"sync"
	"weak"
)

// An objectTable maps the objects of all checks to the symbols that they represent or once
// represented. It includes types that have been redeclared, because variables may still have them.
// It does not keep an object alive: an object that nothing else refers to cannot be looked up.
//
// Methods are not in the table. Their symbol is the one that the symbol of the receiver type has
// for the name, so that the objects of all checks lead to the latest declaration.
//
// Its methods may be called from any goroutine.
type objectTable struct {
	mu sync.RWMutex // guards the following fields and the methods of symbols
	// entries are found by address. The weak pointer in an entry tells an object from a later one
	// at the same address.
	entries map[uintptr]objectEntry
	purgeAt int // number of entries at which those of collected objects are removed
}

// An objectEntry is one object of an objectTable.
type objectEntry struct {
	object weakObject
	symbol *Symbol
}

// fewObjects is a number of entries below which a search for those to remove does not pay.
const fewObjects = 200

func newObjectTable() *objectTable {
	return &objectTable{entries: map[uintptr]objectEntry{}, purgeAt: fewObjects}
}

// symbolOf returns the symbol of an object that is the origin of its instances, or nil.
func (t *objectTable) symbolOf(object types.Object) *Symbol {
	if object == nil {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	receiver, method := receiverOf(object)
	if !method {
		return t.find(object)
	}
	if receiver == nil {
		return nil
	}
	if symbol := t.find(receiver); symbol != nil {
		return symbol.methods[object.Name()]
	}
	return nil
}

// find returns the symbol of an object that is not a method. The caller holds the lock.
func (t *objectTable) find(object types.Object) *Symbol {
	if entry, ok := t.entries[address(object)]; ok && entry.object.value() == object {
		return entry.symbol
	}
	return nil
}

// add records the symbols of objects.
func (t *objectTable) add(symbols map[types.Object]*Symbol) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for object, symbol := range symbols {
		if symbol.Kind == Method {
			if symbol.Receiver.methods == nil {
				symbol.Receiver.methods = map[string]*Symbol{}
			}
			symbol.Receiver.methods[symbol.Name] = symbol
			continue
		}
		t.entries[address(object)] = objectEntry{weakTo(object), symbol}
	}
	if len(t.entries) < t.purgeAt {
		return
	}
	for at, entry := range t.entries {
		if entry.object.value() == nil {
			delete(t.entries, at)
		}
	}
	t.purgeAt = max(fewObjects, 2*len(t.entries))
}

// types returns the names of types with their symbols, in no order. The table must not be used
// meanwhile.
func (t *objectTable) types() iter.Seq2[*types.TypeName, *Symbol] {
	return func(yield func(*types.TypeName, *Symbol) bool) {
		t.mu.RLock()
		defer t.mu.RUnlock()
		for _, entry := range t.entries {
			if name, ok := entry.object.value().(*types.TypeName); ok && entry.symbol.Kind == Type && !yield(name, entry.symbol) {
				return
			}
		}
	}
}

// receiverOf reports whether an object is a method, and returns the name of its receiver type. It
// is nil for methods of unnamed interface types.
func receiverOf(object types.Object) (receiver *types.TypeName, method bool) {
	function, ok := object.(*types.Func)
	if !ok || function.Signature().Recv() == nil {
		return nil, false
	}
	name, _ := aliased(function.Signature().Recv().Type()).(*types.TypeName)
	return name, true
}

// address returns the address of an object.
func address(object types.Object) uintptr { return reflect.ValueOf(object).Pointer() }

// A weakObject does not keep its object alive.
type weakObject interface{ value() types.Object }

// The kinds of objects that have symbols.
type (
	weakVariable weak.Pointer[types.Var]
	weakConstant weak.Pointer[types.Const]
	weakFunction weak.Pointer[types.Func]
	weakType     weak.Pointer[types.TypeName]
)

// weakTo returns a weak pointer to an object of one of these kinds.
func weakTo(object types.Object) weakObject {
	switch object := object.(type) {
	case *types.Var:
		return weakVariable(weak.Make(object))
	case *types.Const:
		return weakConstant(weak.Make(object))
	case *types.Func:
		return weakFunction(weak.Make(object))
	}
	return weakType(weak.Make(object.(*types.TypeName)))
}

func (w weakVariable) value() types.Object { return unlessNil(weak.Pointer[types.Var](w).Value()) }
func (w weakConstant) value() types.Object { return unlessNil(weak.Pointer[types.Const](w).Value()) }
func (w weakFunction) value() types.Object { return unlessNil(weak.Pointer[types.Func](w).Value()) }
func (w weakType) value() types.Object     { return unlessNil(weak.Pointer[types.TypeName](w).Value()) }

// unlessNil returns an object as an interface value that is nil if the pointer is.
func unlessNil[T any, P interface {
	*T
	types.Object
}](object P) types.Object {
	if object == nil {
		return nil
	}
	return object
}
