package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"sync"

	"gosphere/internal/runtime/cell"
)

// A Session holds what the cells so far have declared. Its methods may be called from
// any goroutine.
type Session struct {
	packages Packages
	// main is the package of all cells. It has to be one and the same, because
	// go/types compares packages by address where a literal sets unexported fields.
	// Only its scope is made anew for every check.
	main *types.Package

	mu       sync.Mutex // guards what follows, and the scope of main
	current  map[string]*record
	methods  map[*Symbol]map[string]*record
	imports  map[string]string // local name to path, of every import in force
	guessed  map[string]bool   // names of those that no cell has stated
	dots     []string          // paths of dot imports in force
	versions map[string]int    // by name, "T" or "T.M"
	broken   bool              // a function may be broken

	objectsMu sync.RWMutex // guards objects
	// objects gives the symbol of every object that ever stood for one, also of types
	// that have been declared again since, because variables may still have them.
	objects map[types.Object]*Symbol
}

// A record is what a session knows about one symbol.
type record struct {
	symbol  *Symbol
	cell    *cell.Cell   // that declared it; nil for none
	syntax  ast.Node     // as Symbol.Syntax
	group   *ast.GenDecl // of a constant: the declaration it stands in, which gives it iota
	names   mentions     // in its syntax
	uses    map[*Symbol]bool
	imports []Import // that its syntax uses
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
		objects:  map[types.Object]*Symbol{},
	}
}

// Check checks a cell. The error is of type cell.Errors. The session stays as it is.
// Checked.Cell can be another one than c: a cell that begins with variables which use
// what comes later is parsed once more as a program.
func (s *Session) Check(c *cell.Cell) (*Checked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	checked, err := newWork(s, c).check()
	if err == nil || !beginsWithDeclarations(c) {
		return checked, err
	}
	// In a Go file, variables may use what comes later.
	program, parseErr := cell.ParseProgram(c.Number, c.Source)
	if parseErr != nil {
		return nil, err
	}
	if checked, programErr := newWork(s, program).check(); programErr == nil {
		return checked, nil
	}
	program.Forget()
	return nil, err
}

// Empty returns a check of a cell without text.
func (s *Session) Empty() *Checked { return &Checked{session: s} }

// CheckWithin checks a cell that stands in a function, as it were: names mean the given objects
// before anything of the session. The cell must not declare functions that mention them.
func (s *Session) CheckWithin(c *cell.Cell, around []types.Object) (*Checked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := newWork(s, c)
	w.standIn(around)
	return w.check()
}

// standIn lets names mean the given objects before anything of the session.
func (w *work) standIn(around []types.Object) {
	w.around = map[string]types.Object{}
	for _, o := range around {
		w.around[o.Name()] = o
	}
}

// FunctionsAgain checks all functions and methods of the session once more, so that they can be
// compiled in another way. The cell it gives has nothing else.
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

// beginsWithDeclarations reports whether a cell declares variables, all before its other
// statements, so that the order among them is free.
func beginsWithDeclarations(c *cell.Cell) bool {
	list := c.Body.Body.List
	first := leadingDeclarations(list)
	return !c.Program && first > 0 && !slices.ContainsFunc(list[first:], func(s ast.Stmt) bool { return declares(s) })
}

// leadingDeclarations counts the declarations that a list of statements begins with.
func leadingDeclarations(list []ast.Stmt) int {
	if i := slices.IndexFunc(list, func(s ast.Stmt) bool { return !declares(s) }); i >= 0 {
		return i
	}
	return len(list)
}

func declares(s ast.Stmt) bool {
	_, ok := s.(*ast.DeclStmt)
	return ok
}

// Commit makes the declarations of a checked cell part of the session. The cell must
// have been checked after the last Commit.
func (s *Session) Commit(c *Checked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objectsMu.Lock()
	defer s.objectsMu.Unlock()
	c.pending.commit(s)
	for object, symbol := range c.symbols {
		s.objects[object] = symbol
	}
}

// Reset forgets all declarations and imports. Names go on counting their versions, so that
// what stays alive of earlier declarations is not mistaken for later ones.
func (s *Session) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.methods, s.imports = map[string]*record{}, map[*Symbol]map[string]*record{}, map[string]string{}
	s.guessed = map[string]bool{}
	s.dots, s.broken = nil, false
}

// Symbols returns the symbols that names stand for at present, sorted by name.
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

// Lookup returns the symbol that a name stands for at present, or nil.
func (s *Session) Lookup(name string) *Symbol {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.current[name]; r != nil {
		return r.symbol
	}
	return nil
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

func (s *Session) symbolOf(object types.Object) *Symbol {
	s.objectsMu.RLock()
	defer s.objectsMu.RUnlock()
	return s.objects[object]
}

// records calls f for every record of the session until it returns false.
func (s *Session) records(f func(*record)) {
	for _, r := range s.current {
		f(r)
		for _, m := range s.methods[r.symbol] {
			f(m)
		}
	}
}

// Undisturbed calls f while no check and no probe goes on, so that the package of the
// cells keeps still. f must not call the session.
func (s *Session) Undisturbed(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// A work is the check of one cell.
type work struct {
	session *Session
	cell    *cell.Cell
	survey  *survey
	fset    *token.FileSet

	imports map[string]Import   // of the cell's own import declarations
	members map[string][]string // names behind a dot in the cell, by the name before it
	dots    []string
	kept    map[string]*record // what the cell declares just as it was
	dropped map[*record]error  // earlier declarations that no longer compile

	around         map[string]types.Object // what names mean before anything of the session, nil for most cells
	functionsAgain bool                    // see FunctionsAgain
}

func newWork(s *Session, c *cell.Cell) *work {
	return &work{session: s, cell: c, survey: newSurvey(c), fset: c.Fset,
		imports: map[string]Import{}, dropped: map[*record]error{}}
}

// check checks the cell once with the statements as a function body, which gives the
// scoping of Go. A second pass follows if the variables of that body matter to
// functions: those of the cell that name them, or earlier ones when the type of a
// variable has changed.
func (w *work) check() (*Checked, error) {
	if err := w.readImports(); err != nil {
		return nil, err
	}
	if err := w.findClashes(); err != nil {
		return nil, err
	}
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

// findClashes reports names that the cell declares and defines as variables as well. In
// a function body that would be shadowing; in a session one name has one meaning.
func (w *work) findClashes() error {
	var list cell.Errors
	for _, name := range w.survey.order {
		if w.survey.declared[name] && !w.cell.Program {
			list = append(list, w.cell.ErrorAt(w.fset.Position(w.survey.first[name]), name+" redeclared in this block"))
		}
	}
	if len(list) > 0 {
		return list.Sort()
	}
	return nil
}

// clean runs passes until no earlier declaration stands in the way: those that no longer
// compile are dropped.
func (w *work) clean(makePass func() *pass) (*pass, error) {
	for {
		p := makePass()
		p.run()
		if len(p.errors) == 0 {
			return p, nil
		}
		if !w.drop(p) {
			return nil, w.explain(makePass, p)
		}
	}
}

// explain returns the errors of a pass. When types of the session have been declared
// again, a message can name two types alike; the pass is then run once more while the
// earlier ones have longer names.
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

// nameStale gives the types that were declared again since, or are by the cell, the cell
// they come from in their names, until restore is called. It returns nil if there are none.
func (s *Session) nameStale(w *work) (restore func()) {
	original := map[*types.TypeName]types.TypeName{}
	for object, symbol := range s.objects {
		name, ok := object.(*types.TypeName)
		if !ok || symbol.Kind != Type || name.IsAlias() {
			continue
		}
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

// Earlier returns the cells, in order, of the types with a name that was declared again since.
func (s *Session) Earlier(name string) []int {
	var list []int
	for object, symbol := range s.objects {
		if _, ok := object.(*types.TypeName); !ok || symbol.Kind != Type || symbol.Name != name {
			continue
		}
		if r := s.current[name]; r == nil || r.symbol != symbol {
			list = append(list, symbol.Cell)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// drop drops the earlier declarations in which the pass found errors, and reports whether
// there were any.
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

// A variable is a session variable that the cell declares, with what was known of it.
type variable struct {
	name   string
	object *types.Var // in the body, or of the package in a program
	old    *record    // what the name meant before
	same   bool       // old is a variable with an identical type
}

// variables returns the session variables of the cell as a pass has typed them.
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

// needsSecondPass reports whether anything but the body depends on the cell's variables.
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
