package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"sync"

	"gosphere/runtime/check"
	"gosphere/runtime/realtype"
)

// Engine is what lowering asks of the interpreter. Export makes compiled symbols
// importable under a path; exporting to a path again adds to it. Both are called for one
// cell at a time.
type Engine interface {
	Eval(source string) (reflect.Value, error)
	Export(path, name string, symbols map[string]reflect.Value)
	// Import makes a compiled package known to the engine before code imports it.
	Import(path string) bool
	// Mark tells where the next piece begins. Forget takes back the name of a function that
	// no later piece will mention, and the positions of the pieces between two marks.
	Mark() int
	Forget(name string, from, to int)
	// Operation lets conversions to a struct type that is known by a symbol run compiled code.
	Operation(to reflect.Type, run func(from, to reflect.Value))
}

// Options tell a session where things are.
type Options struct {
	// Compiled finds a symbol of a compiled package: a pointer for a type, as yaegi's
	// tables have them.
	Compiled func(path, name string) (reflect.Value, bool)
	// Override names the support function that stands for a compiled symbol, for
	// instance "Exit" for os.Exit; "" if there is none.
	Override func(path, name string) string
	// Following names the support function without results that stands for a printing function
	// in loops that do nothing but compute and print; "" for other functions.
	// The kinds are the types of the arguments if they are int, string or float64, "" for
	// others; nil stands for any number of any arguments.
	Following func(path, name string, kinds []string) string
	// Brief tells that a compiled function or method never takes long, or polls by itself, so
	// that no poll is needed behind it; nil for no polls behind any.
	Brief func(path, name string) bool
	// Import and Generic find compiled packages' types and the sources of the standard
	// library's generic packages.
	Import  func(path string) (*types.Package, error)
	Generic func(path string) (map[string]string, bool)
	// Instance finds compiled instances of generic functions; nil for none.
	Instance func(path, name string, typeArguments []string) (reflect.Value, bool)
	// Entry makes the check of the stack's depth that a function calls at its entry, and
	// Passage that of one which only calls the function named; Frame finds it by the name.
	Entry, Passage func(name string) func()
	// Site numbers a place at which emitted code asks a debugger.
	Site func(Site) int
	// Share is called when a cell uses a package that calls functions of cells from
	// goroutines of its own, or a function such as time.AfterFunc, with its name.
	Share func(name string)
}

// A Session remembers under which names the engine knows what earlier cells declared.
// It is used by one goroutine at a time; only Frame may be called from others.
type Session struct {
	engine  Engine
	options Options
	context *types.Context

	emission   int
	symbolOf   map[types.Object]*check.Symbol
	functions  map[*check.Symbol]string  // engine names of functions and methods
	variables  map[*check.Symbol]string  // engine names of session variables
	recovering map[*check.Symbol]bool    // functions that call recover themselves
	generics   map[*check.Symbol]*source // generic functions and methods of generic types
	real       []*record                 // those that have a real type
	records    map[any]*record           // by *check.Symbol, *types.TypeName or, for instances, spelling
	instances  map[instanceKey]string    // engine names of instances of generic functions
	locals     map[localKey]*types.Named
	numbers    map[*types.TypeName]int // of types declared in functions, see local.go
	packages   map[string]string       // engine names of imported packages by path
	addresses  map[string]string       // engine names of pointers to variables of compiled packages, and of compiled instances
	library    map[string]*libraryPackage

	imported, surveyed map[string]bool     // paths of packages: all that cells import, those with their types in unnamed
	unnamed            map[string]*unnamed // types of compiled code

	descriptors map[string]*descriptor
	layouts     map[string]reflect.Type
	structures  map[string]reflect.Type
	collected   []any        // what the engine handed to Collect
	frames      sync.RWMutex // guards functionsOf: panics look while a cell is compiled
	functionsOf map[string]Frame
	valueForms  map[string]string // engine names of declared functions as values, see zeros.go

	mapHelpers map[string]string          // engine names of functions that lock maps, see maps.go
	quiet      map[*check.Symbol]bool     // whether functions cannot start goroutines
	effects    map[*check.Symbol]bool     // whether functions may change what others read
	formulas   map[*check.Symbol]*formula // of functions that calls can be replaced by
	unaries    map[string]operation       // of compiled functions, see unary.go
	passages   map[string]string          // checks, by the engine names of the methods handed on to

	undo []func() // takes back what the cell in progress has changed

	holds realtype.Holds // the variables that functions capture
	note  operation      // that holds one of them

	stops, panics bool           // whether emitted code asks a debugger, see stops.go
	pointers      map[string]any // to session variables, by their engine names
}

// A source is a function with the type information of the check that saw it last.
type source struct {
	declaration *ast.FuncDecl
	info        *types.Info
	checked     *check.Checked // nil for the library's own generic sources
	fset        *token.FileSet
}

// A descriptor is a type known to the engine under a symbol of the cells package.
type descriptor struct {
	name   string
	typ    types.Type
	value  *realtype.Type
	filled bool

	boxes   map[string]operation // by the interface type that the value becomes one of
	unboxed map[string]operation // assertions with one result, by the operand's interface type
	tested  operation            // assertions with two results
}

type instanceKey struct {
	source *source
	key    string
}

type localKey struct {
	name *types.TypeName
	key  string
}

// NewSession prepares the engine: it imports the support package, which the caller must
// have exported under SupportPath, and declares the flags that emitted code reads.
func NewSession(engine Engine, options Options) (*Session, error) {
	s := &Session{
		engine: engine, options: options, context: types.NewContext(),
		symbolOf:  map[types.Object]*check.Symbol{},
		functions: map[*check.Symbol]string{}, variables: map[*check.Symbol]string{}, generics: map[*check.Symbol]*source{},
		recovering: map[*check.Symbol]bool{}, records: map[any]*record{}, instances: map[instanceKey]string{}, locals: map[localKey]*types.Named{}, numbers: map[*types.TypeName]int{},
		packages: map[string]string{}, library: map[string]*libraryPackage{}, addresses: map[string]string{},
		imported: map[string]bool{}, surveyed: map[string]bool{}, unnamed: map[string]*unnamed{},
		descriptors: map[string]*descriptor{}, layouts: map[string]reflect.Type{}, structures: map[string]reflect.Type{},
		functionsOf: map[string]Frame{}, valueForms: map[string]string{}, mapHelpers: map[string]string{}, quiet: map[*check.Symbol]bool{}, effects: map[*check.Symbol]bool{}, formulas: map[*check.Symbol]*formula{}, passages: map[string]string{}, unaries: map[string]operation{}, pointers: map[string]any{},
	}
	engine.Export(cellsPackage, cellsPackage, map[string]reflect.Value{"Zero": reflect.ValueOf(0)})
	engine.Export(supportPackage, supportPackage, s.support())
	for _, text := range []string{
		fmt.Sprintf("import %s %q", support, supportPackage),
		fmt.Sprintf("import %s %q", cells, cellsPackage),
		fmt.Sprintf("var %s bool", stopFlag),
		fmt.Sprintf("var %s int", lineMark),
		fmt.Sprintf("var %s int", sharedFlag),
		fmt.Sprintf("var %s bool", debugFlag),
	} {
		if _, err := engine.Eval(text); err != nil {
			return nil, fmt.Errorf("lower: preparing the interpreter: %w", err)
		}
	}
	return s, nil
}

// SupportPath is the path under which the engine must export what emitted code calls.
const SupportPath = supportPackage

// support are the support functions that need no guard.
func (s *Session) support() map[string]reflect.Value {
	functions := map[string]reflect.Value{
		"Any":      reflect.ValueOf((*any)(nil)),
		"Box":      reflect.ValueOf(realtype.Box),
		"Unbox":    reflect.ValueOf(realtype.Unbox),
		"Must":     reflect.ValueOf(realtype.Must),
		"Is":       reflect.ValueOf(realtype.Is),
		"Equal":    reflect.ValueOf(realtype.Equal),
		"Pick":     reflect.ValueOf(realtype.Pick),
		"AnyOrNil": reflect.ValueOf(func(v any) (any, bool) { return v, v != nil }),
		//lint:ignore S1040 the assertion panics for nil
		"NotNil":        reflect.ValueOf(func(v any) any { return v.(any) }),
		"MustImplement": reflect.ValueOf(mustImplement),
		"Live":          reflect.ValueOf(live),
		"MoreRunes":     reflect.ValueOf(moreRunes),
		"Count":         reflect.ValueOf(shiftCount),
		"Reshape":       reflect.ValueOf(reshape),
		"Same":          reflect.ValueOf(func(v any) any { return v }),
		"Collect":       reflect.ValueOf(func(values ...any) { s.collected = append(s.collected, values...) }),
	}
	maps.Copy(functions, pointerSupport())
	return functions
}

// shiftCount panics for a negative count of a shift, as Go does.
func shiftCount(n int64) uint64 {
	_ = 1 << n
	return uint64(n)
}

// mustImplement is x.(I) for an x of a static type; the types are given by pointers to them.
func mustImplement(target, static, v any) any {
	return realtype.MustImplement(reflect.TypeOf(target).Elem(), reflect.TypeOf(static).Elem(), v)
}

// live panics for a nil interface value, whose methods cannot be taken.
func live(v any) any {
	if v == nil {
		var nothing *struct{ field int }
		_ = nothing.field
	}
	return v
}

// reshape converts a value to the type that pointer points to.
func reshape(pointer, v any) any {
	to := reflect.TypeOf(pointer).Elem()
	if to.Kind() == reflect.Struct || to.Kind() == reflect.Pointer {
		return realtype.Reinterpret(to, v)
	}
	return reflect.ValueOf(v).Convert(to).Interface()
}

// Flags returns the addresses of the flag that makes running code poll, of the mark that
// holds the line of the statement in progress, and of the flag that makes code lock maps.
func (s *Session) Flags() (stop *bool, line, shared *int, err error) {
	for name, flag := range map[string]any{stopFlag: &stop, lineMark: &line, sharedFlag: &shared} {
		v, err := s.engine.Eval("&" + name)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("lower: finding %s: %w", name, err)
		}
		to := reflect.ValueOf(flag).Elem()
		if v.Type() != to.Type() {
			return nil, nil, nil, fmt.Errorf("lower: %s is a %s", name, v.Type())
		}
		to.Set(v)
	}
	return stop, line, shared, nil
}

// DebugFlag returns the address of the flag that lets code ask a debugger.
func (s *Session) DebugFlag() (*bool, error) {
	v, err := s.engine.Eval("&" + debugFlag)
	if err != nil {
		return nil, fmt.Errorf("lower: finding %s: %w", debugFlag, err)
	}
	flag, ok := v.Interface().(*bool)
	if !ok {
		return nil, fmt.Errorf("lower: %s is a %s", debugFlag, v.Type())
	}
	return flag, nil
}

// A Refusal is valid Go that cells cannot run. Its text says what to write instead.
type Refusal struct {
	Pos     token.Pos
	Message string
}

// Error is the message that the user reads.
func (r *Refusal) Error() string { return r.Message }

func refuse(pos token.Pos, format string, arguments ...any) *Refusal {
	return &Refusal{pos, fmt.Sprintf(format, arguments...)}
}

// set changes a map of the session until the cell in progress fails.
func set[K comparable, V any](s *Session, m map[K]V, key K, value V) {
	old, had := m[key]
	m[key] = value
	s.undo = append(s.undo, func() {
		if had {
			m[key] = old
		} else {
			delete(m, key)
		}
	})
}

// symbol finds the session-level symbol of an object. The checker's answer may change when
// a method is declared again; what it does not know, a declaration has told before.
func (s *Session) symbol(object types.Object, checked *check.Checked) *check.Symbol {
	if object == nil {
		return nil
	}
	if checked != nil {
		if symbol := checked.SymbolOf(object); symbol != nil {
			return symbol
		}
	}
	return s.symbolOf[object]
}
