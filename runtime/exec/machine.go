package exec

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"gosphere/runtime/ir"
	"gosphere/runtime/machine"
)

// A Machine compiles programs and runs them.
type Machine struct {
	machine.Machine
	types    map[types.Type]*machine.Type
	layouts  map[*types.Signature]*machine.Signature
	standIns []*standIn
	replaced []replacement // since Begin
}

// A replacement notes the code that a function had.
type replacement struct {
	function *machine.Function
	old      *machine.Code
}

// Begin starts a sequence of calls of Compile that Rollback can take back.
func (m *Machine) Begin() {
	m.replaced = nil
	m.Methods.Clear() // the program may declare methods again
}

// Commit makes it final.
func (m *Machine) Commit() { m.replaced = nil }

// Rollback gives the functions compiled since Begin the code that they had, and forgets what the
// machine remembers of types.
func (m *Machine) Rollback() {
	for i := len(m.replaced) - 1; i >= 0; i-- {
		m.replaced[i].function.Code.Store(m.replaced[i].old)
	}
	m.replaced = nil
	m.Forget()
}

// New returns a machine.
func New(host machine.Host) *Machine {
	return &Machine{Machine: machine.Machine{Host: host}, types: map[types.Type]*machine.Type{}, layouts: map[*types.Signature]*machine.Signature{}}
}

// Forget drops what the machine remembers of types, some of which have got other methods.
// Functions that are compiled already keep the types that they were compiled with.
func (m *Machine) Forget() {
	clear(m.types)
	clear(m.layouts)
	m.Methods.Clear()
}

// Unsupported is an error about a construct that the machine does not run.
type Unsupported struct {
	Pos     token.Pos
	Message string
}

// Error returns the message.
func (u *Unsupported) Error() string { return u.Message }

// Compile compiles the functions of a program and links their references, in one step: if it
// fails nothing has changed. It returns the program's statements, nil if it has none.
func (m *Machine) Compile(p *ir.Program) (body *Body, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*Unsupported)
			if !ok {
				panic(r)
			}
			err = u
		}
	}()
	type linked struct {
		ref  *ir.FuncRef
		code *machine.Code
	}
	var list []linked
	for _, f := range p.Funcs {
		list = append(list, linked{f.Ref, m.compile(f)})
	}
	if p.Body != nil {
		body = m.body(p.Body)
	}
	for _, l := range list {
		f := machine.FuncOf(l.ref)
		m.replaced = append(m.replaced, replacement{f, f.Code.Swap(l.code)})
	}
	return body, nil
}

// Variable returns a session variable, addressable; the zero Value if no code has used it yet.
func (m *Machine) Variable(g *ir.Global) reflect.Value {
	p, ok := g.Address.(unsafe.Pointer)
	if !ok {
		return reflect.Value{}
	}
	return reflect.NewAt(m.typeOf(g.Type).Type, p).Elem()
}
