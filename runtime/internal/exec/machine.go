package exec

import (
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
)

// A Machine compiles programs and runs them.
type Machine struct {
	machine.Machine
	// The caches have no lock: programs are compiled one at a time. Running code uses Describe,
	// whose cache has one.
	types    map[types.Type]*machine.Type
	layouts  map[*types.Signature]*machine.Signature
	standIns []*standIn
	replaced []replacement            // since Begin
	own      map[*ir.FuncRef]*ir.Func // functions of the program that is being compiled
}

// A replacement records the previous code of a function.
type replacement struct {
	function *machine.Function
	old      *machine.Code
}

// mostCached is the number of types or signatures at which their descriptions are made anew.
const mostCached = 2000

// Begin starts a sequence of calls of Compile that Rollback can undo.
//
// A cell may be compiled as several programs, and fails as a whole.
func (m *Machine) Begin() {
	m.replaced = nil
	// The caches keep the types of checks alive whose code may have been replaced long ago.
	if len(m.types) > mostCached || len(m.layouts) > mostCached {
		m.Forget()
		clear(m.layouts)
	}
	m.Methods.Clear() // the program may redeclare methods
}

// Commit makes the changes since Begin permanent.
func (m *Machine) Commit() { m.replaced = nil }

// Rollback restores the code that functions had before Begin, and drops what is cached about types.
// Code is restored in reverse order, because a function may have been replaced twice.
//
// Calls in progress on other goroutines are not disturbed: they have loaded their Code before, and
// finish in it.
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

// Forget drops the cached descriptions of types. It must be called when types have gained methods.
// Functions that are already compiled keep the types that they were compiled with.
//
// A description refers to a reflect.Type, and a type that has gained methods has a new one.
func (m *Machine) Forget() {
	clear(m.types)
	clear(m.layouts)
	m.Methods.Clear()
}

// Unsupported is the error for a construct that the machine does not support.
type Unsupported struct {
	Pos     token.Pos
	Message string
}

// Error returns the message.
func (u *Unsupported) Error() string { return u.Message }

// Compile compiles the functions of a program and then installs them in one step: if it fails,
// nothing has changed. It returns the statements of the program, or nil if it has none.
//
// Inlining comes first, since it decides which calls need a frame. The marks remain in the
// representation, so functions of this program can be inlined in those of later ones.
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
	ir.Inline(p, current)
	m.own = map[*ir.FuncRef]*ir.Func{}
	for _, f := range p.Funcs {
		m.own[f.Ref] = f
	}
	defer func() { m.own = nil }()
	type linked struct {
		ref  *ir.FuncRef
		code *machine.Code
	}
	// All functions are compiled before any is installed: an error must leave the old versions in
	// place.
	var list []linked
	for _, f := range p.Funcs {
		list = append(list, linked{f.Ref, m.compile(f)})
	}
	if p.Body != nil {
		body = m.body(p.Body)
	}
	// The swaps are atomic one by one. A goroutine that runs meanwhile may call a new function and an
	// old one, both of which are complete.
	for _, l := range list {
		f := machine.FuncOf(l.ref)
		m.replaced = append(m.replaced, replacement{f, f.Code.Swap(l.code)})
	}
	return body, nil
}

// current returns the current version of a function, or nil if it has not been compiled. Functions
// of earlier cells can thus be inlined in calls of this one.
func current(ref *ir.FuncRef) *ir.Func {
	if code := machine.FuncOf(ref).Code.Load(); code != nil {
		return code.Fn
	}
	return nil
}

// Variable returns a session variable as an addressable value, or the zero Value if no code has
// used it yet.
func (m *Machine) Variable(g *ir.Global) reflect.Value {
	p, ok := g.Address.(unsafe.Pointer)
	if !ok {
		return reflect.Value{}
	}
	return reflect.NewAt(m.typeOf(g.Type).Type, p).Elem()
}
