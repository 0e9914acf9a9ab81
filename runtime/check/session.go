package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"sync"

	"gosphere/runtime/cell"
	"gosphere/runtime/internal/source"
)

// A Session holds the declarations of all cells so far. Its methods may be called from any
// goroutine. mu is held during a whole check or probe, because the scope of main belongs to it. The
// table of objects has a lock of its own, so that SymbolOf works while another cell is checked.
type Session struct {
	packages Packages
	// main is the package of all cells. It must be the same package for all checks, because
	// go/types compares packages by address to decide about unexported fields. Only its scope is
	// replaced for each check.
	main *types.Package

	mu sync.Mutex // guards the following fields, and the scope of main
	// current has the latest declaration of each name, methods those of each type by method name. A
	// symbol without a record in one of them has been redeclared. A declaration removes an import
	// of its name, and the other way round.
	current  map[string]*record
	methods  map[*Symbol]map[string]*record
	imports  map[string]string // maps local names to paths, for all imports in force
	guessed  map[string]bool   // names of imports that no cell has stated
	dots     []string          // paths of the dot imports in force
	versions map[string]int    // by name, "T" or "T.M"
	broken   bool              // whether a function may be broken
	// declared has the cells of all types of a name that cells have declared, in order.
	declared map[string][]declaredType

	objects *objectTable
	must    [source.MostMust + 1]*types.Func // by the number of values
	plain   bool                             // whether cells have only the predeclared names of Go
}

// A declaredType is one of the types of a name.
type declaredType struct{ version, cell int }

// A record describes a symbol of a session. A record is replaced, not changed, when its declaration
// is checked again; the syntax and the cell stay the same. Uses and imports are the result of the
// last check. Names contains more than uses, and is needed for broken functions, whose uses cannot
// be determined.
type record struct {
	symbol  *Symbol
	cell    *cell.Cell   // the declaring cell; may be nil
	syntax  ast.Node     // same as Symbol.Syntax
	group   *ast.GenDecl // for a constant: the declaration that contains it and determines iota
	names   mentions     // in syntax
	uses    map[*Symbol]bool
	imports []Import // used in syntax
	// predeclared has the names in syntax that denote predeclared objects.
	predeclared map[string]bool
}

// NewSession returns a session without declarations.
func NewSession(packages Packages) *Session {
	return &Session{
		packages: packages,
		main:     types.NewPackage("main", "main"),
		current:  map[string]*record{},
		methods:  map[*Symbol]map[string]*record{},
		imports:  map[string]string{},
		guessed:  map[string]bool{},
		versions: map[string]int{},
		declared: map[string][]declaredType{},
		objects:  newObjectTable(),
		must:     newMust(),
	}
}

// Plain has cells know only the predeclared names of Go. It must be called before the first check.
func (s *Session) Plain() { s.plain = true }

// Check checks a cell. The error is of type cell.Errors. The session does not change. Checked.Cell
// may differ from c: if a cell begins with variables that use later declarations, it is parsed
// again as a program. For instance,
//
//	var x = y + 1
//	var y = 1
//	fmt.Println(x)
//
// is accepted as a program. As statements it would fail, since y is declared below its use. If the
// program does not compile either, the errors of the first attempt are returned, because they fit
// the order that the author wrote.
func (s *Session) Check(c *cell.Cell) (*Checked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	checked, err := newWork(s, c).check()
	if err == nil || !beginsWithDeclarations(c) {
		return checked, err
	}
	// In a Go file, variables may use declarations that follow.
	program, parseErr := cell.ParseProgram(c.Number, c.Source)
	if parseErr != nil {
		return nil, err
	}
	program.Stopped = c.Stopped
	if checked, programErr := newWork(s, program).check(); programErr == nil {
		return checked, nil
	}
	program.Forget()
	return nil, err
}

// Empty returns a check of an empty cell.
func (s *Session) Empty() *Checked { return &Checked{session: s} }

// CheckWithin checks a cell as if it were inside a function: names denote the given objects in
// preference to those of the session. The cell must not declare functions that mention these names.
// A debugger evaluates expressions this way, with the variables of a stopped function.
func (s *Session) CheckWithin(c *cell.Cell, around []types.Object) (*Checked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := newWork(s, c)
	w.standIn(around)
	return w.check()
}

// standIn makes names denote the given objects in preference to those of the session.
func (w *work) standIn(around []types.Object) {
	w.around = map[string]types.Object{}
	for _, o := range around {
		w.around[o.Name()] = o
	}
}

// FunctionsAgain checks all functions and methods of the session again, so that they can be
// recompiled with other options. The returned cell contains nothing else. The debugger needs them
// compiled with marks, and later without.
func (s *Session) FunctionsAgain() (*Checked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := cell.Parse(0, "")
	if err != nil {
		return nil, err
	}
	w := newWork(s, c)
	w.functionsAgain = true
	return w.check()
}

// beginsWithDeclarations reports whether a cell declares variables, all of them before its other
// statements. Only then can their order be changed. A statement between two declarations could
// change what the later one reads.
func beginsWithDeclarations(c *cell.Cell) bool {
	list := c.Body.Body.List
	first := leadingDeclarations(list)
	return !c.Program && first > 0 && !slices.ContainsFunc(list[first:], func(s ast.Stmt) bool { return declares(s) })
}

// leadingDeclarations returns the number of declarations at the start of a list of statements.
func leadingDeclarations(list []ast.Stmt) int {
	if i := slices.IndexFunc(list, func(s ast.Stmt) bool { return !declares(s) }); i >= 0 {
		return i
	}
	return len(list)
}

// declares reports whether a statement is a declaration of variables: package cell has moved all
// others to the file of declarations.
func declares(s ast.Stmt) bool {
	_, ok := s.(*ast.DeclStmt)
	return ok
}

// Commit adds the declarations of a checked cell to the session. The cell must have been checked
// after the previous Commit. Between Check and Commit the cell is linked, which may fail; the
// session is then unchanged.
func (s *Session) Commit(c *Checked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects.add(c.symbols)
	c.pending.commit(s)
}

// Reset removes all declarations and imports. Versions continue to count, so that surviving objects
// of earlier declarations are not mistaken for later ones. The objects stay too: values of earlier
// types may still be reachable, for instance by goroutines.
func (s *Session) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.methods, s.imports = map[string]*record{}, map[*Symbol]map[string]*record{}, map[string]string{}
	s.guessed = map[string]bool{}
	s.dots, s.broken = nil, false
}

// Symbols returns the current symbols, sorted by name.
func (s *Session) Symbols() []*Symbol {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Symbol, 0, len(s.current))
	for _, r := range s.current {
		list = append(list, r.symbol)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Lookup returns the current symbol of a name, or nil.
func (s *Session) Lookup(name string) *Symbol {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.current[name]; r != nil {
		return r.symbol
	}
	return nil
}

// VariableType returns the type of a variable, or nil if a name is not one of a variable.
func (s *Session) VariableType(name string) types.Type {
	symbol := s.Lookup(name)
	if symbol == nil || symbol.Kind != Variable || symbol.Object == nil {
		return nil
	}
	return symbol.Object.Type()
}

// Imports returns the imports in force, sorted by name.
func (s *Session) Imports() []Import {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Import
	for name, path := range s.imports {
		list = append(list, Import{Name: name, Path: path})
	}
	for _, path := range s.dots {
		list = append(list, Import{Name: ".", Path: path})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// records calls f for every record of the session.
func (s *Session) records(f func(*record)) {
	for _, r := range s.current {
		f(r)
		for _, m := range s.methods[r.symbol] {
			f(m)
		}
	}
}

// Undisturbed calls f while no check or probe runs, so that the package of the cells does not
// change. f must not call methods of the session. The package of the cells is shared by all checks,
// and its scope is replaced by each, so code that looks names up in it must not run beside one.
func (s *Session) Undisturbed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// A work is the check of one cell. Its methods run with the session's lock held. The fields
// imports, dots, kept and dropped are found in this order and do not change in a pass; clean adds
// to dropped between passes.
type work struct {
	session *Session
	cell    *cell.Cell
	survey  *survey
	fset    *token.FileSet

	imports map[string]Import   // from the import declarations of the cell
	members map[string][]string // names after a dot in the cell, by the name before the dot
	dots    []string
	kept    map[string]*record // declarations that the cell repeats unchanged
	dropped map[*record]error  // earlier declarations that no longer compile

	must           map[*ast.Ident]string   // names of the functions that calls of must need, unless that is must
	around         map[string]types.Object // objects that take precedence over the session; nil for most cells
	functionsAgain bool                    // see FunctionsAgain
}

func newWork(s *Session, c *cell.Cell) *work {
	return &work{session: s, cell: c, survey: newSurvey(c), fset: c.Fset,
		imports: map[string]Import{}, dropped: map[*record]error{}}
}

// check first checks the cell with its statements as a function body, which results in Go's
// scoping. A second pass follows if other declarations depend on the variables of that body. These
// are functions of the cell that mention them, or earlier functions if the type of a variable has
// changed. For instance, in
//
//	func f() int { return n }
//	n := 3
//
// the type of n is known only after the first pass, in which f has no body. The second pass
// declares n in the scope around the package, where f finds it.
func (w *work) check() (*Checked, error) {
	if err := w.readImports(); err != nil {
		return nil, err
	}
	if err := w.findClashes(); err != nil {
		return nil, err
	}
	// Imports decide what names in kept declarations mean, so they are read before.
	w.findKept()
	p, err := w.clean(func() *pass { return w.newPass(nil) })
	if err != nil {
		return nil, err
	}
	variables := w.variables(p)
	if !w.needsSecondPass(p, variables) {
		return w.result(p, variables), nil
	}
	first := p
	p, err = w.clean(func() *pass { return w.newPass(&secondPass{first, variables}) })
	if err != nil {
		return nil, err
	}
	// Whether a variable keeps its symbol was decided with the types of the first pass.
	again := w.variables(p)
	for i := range again {
		for _, v := range variables {
			if v.name == again[i].name {
				again[i].same = v.same
			}
		}
	}
	return w.result(p, again), nil
}

// clean runs passes until no earlier declaration causes an error. Declarations that no longer
// compile are dropped. Each round drops at least one declaration, so the loop ends. A dropped
// declaration may be used by others, which then fail in the next round and are dropped as well.
func (w *work) clean(makePass func() *pass) (*pass, error) {
	for {
		p := w.runPass(makePass)
		if len(p.errors) == 0 {
			return p, nil
		}
		if !w.drop(p) {
			return nil, w.explain(makePass, p)
		}
	}
}

// explain returns the errors of a pass. If types of the session have been redeclared, a message may
// contain two types with the same name. In that case explain repeats the pass while the earlier
// types have longer names. For instance "cannot use p (variable of type Point) as Point value"
// becomes "... of type Point (of cell 3) as Point value". The names are changed only for messages
// and only while the lock is held.
func (w *work) explain(makePass func() *pass, p *pass) error {
	restore := w.session.nameStale(w)
	if restore == nil {
		return w.cellErrors(p)
	}
	defer restore()
	p = makePass()
	p.run()
	return w.cellErrors(p)
}

// nameStale adds the cell number to the names of types that have been redeclared, by this cell or
// before, until restore is called. It returns nil if there are none. It overwrites the name objects
// themselves, since go/types has no hook for the names in messages. The copies restore them
// exactly.
func (s *Session) nameStale(w *work) (restore func()) {
	original := map[*types.TypeName]types.TypeName{}
	for name, symbol := range s.objects.types() {
		r := s.current[symbol.Name]
		if r != nil && r.symbol == symbol && (!w.survey.declared[symbol.Name] || w.isKept(r)) {
			continue
		}
		original[name] = *name
		*name = *types.NewTypeName(name.Pos(), name.Pkg(), fmt.Sprintf("%s (of cell %d)", symbol.Name, symbol.Cell), name.Type())
	}
	if len(original) == 0 {
		return nil
	}
	return func() {
		for name, before := range original {
			*name = before
		}
	}
}

// Earlier returns the sorted numbers of the cells that declared types of a name which have been
// redeclared since. It serves a warning about values of such types.
func (s *Session) Earlier(name string) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []int
	for _, t := range s.declared[name] {
		if r := s.current[name]; r == nil || r.symbol.Kind != Type || r.symbol.Version != t.version {
			list = append(list, t.cell)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// drop drops the earlier declarations in which the pass has found errors. It reports whether there
// are any. An error belongs to the declaration whose syntax contains its position. Positions of all
// cells are in one file set, so this is unambiguous.
func (w *work) drop(p *pass) bool {
	found := false
	for _, e := range p.errors {
		for _, r := range p.closure.again {
			if r.syntax.Pos() <= e.Pos && e.Pos < r.syntax.End() && w.dropped[r] == nil {
				w.dropped[r] = w.errorIn(r.cell, e)
				found = true
			}
		}
	}
	return found
}

// A variable is a session variable that the cell declares. A variable that is the same keeps its
// symbol. One whose type has changed is a new variable, although the name is the same.
type variable struct {
	name   string
	object *types.Var // in the body or, in a program, of the package
	old    *record    // previous meaning of the name
	same   bool       // whether old is a variable with an identical type
}

// variables returns the session variables of the cell, with the types from a pass. A name of the
// survey without an object was defined in a statement that go/types has rejected.
func (w *work) variables(p *pass) []variable {
	objects := map[string]*types.Var{}
	if w.cell.Program {
		for _, name := range w.survey.order {
			objects[name], _ = w.session.main.Scope().Lookup(name).(*types.Var)
		}
	} else if scope := p.info.Scopes[w.cell.Body.Type]; scope != nil {
		for _, name := range scope.Names() {
			objects[name], _ = scope.Lookup(name).(*types.Var)
		}
	}
	var list []variable
	for _, name := range w.survey.order {
		object := objects[name]
		if object == nil {
			continue
		}
		v := variable{name: name, object: object, old: w.session.current[name]}
		v.same = v.old != nil && v.old.symbol.Kind == Variable && types.Identical(p.typeNow(v.old), object.Type())
		list = append(list, v)
	}
	return list
}

// needsSecondPass reports whether declarations other than the body depend on the cell's variables.
// In the first case a function of the cell mentions them. In the second, the types of variables of
// earlier cells have changed, and a function that uses one has to be checked with the new type.
func (w *work) needsSecondPass(p *pass, variables []variable) bool {
	if p.stubs {
		return true
	}
	if len(variables) == 0 {
		return false
	}
	changed := map[*Symbol]bool{}
	for _, v := range variables {
		if v.old != nil && !v.same {
			changed[v.old.symbol] = true
		}
	}
	if len(changed) == 0 {
		return false
	}
	needed := false
	w.session.records(func(r *record) {
		for symbol := range changed {
			needed = needed || r.uses[symbol]
		}
	})
	return needed
}
