package difference

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes one random program. It avoids behavior that the language leaves unspecified
// (order of maps, addresses, order of evaluation of a call and a variable) and dependence on time.
// It may violate the rules of the type checker; repair removes such code.
type generator struct {
	rand *rand.Rand
	mark string // suffix of all package-level names, because programs of one batch share a package

	declared  strings.Builder
	types     []*typ // declared types, in order of declaration
	functions []*function
	pool      []*method // methods that interfaces require and types have
	globals   []variable
	generics  []genericType
	decisions []*function // functions that only compare and return
	records   []record
	nodes     []node
	held      []string // names of variables with values in interfaces

	constrained string // suffix of the names of generic functions with constraints, if there are any
	helpers     string // suffix of the names of types that uses need, if there are any

	scope   []variable
	counter int
	line    int  // number of the last print
	silent  bool // expressions must not print
	loops   int  // nesting of loops around the current position
	depth   int  // nesting of blocks
	leaves  int  // nesting of literals that are leaves of expressions
}

// A variable is a name that expressions can use.
type variable struct {
	name    string
	typ     *typ
	mutable bool
}

// A function is a declared function that later code may call.
type function struct {
	name     string
	params   []*typ
	results  []*typ
	variadic bool
}

// Generate returns the program of a seed. Its package-level names end in mark, and it starts at the
// function run followed by mark.
func Generate(seed uint64, mark string) string {
	g := &generator{rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), mark: mark}
	g.declarations()
	body := g.body()
	return fmt.Sprintf("// cells: %d\n", g.n(ways)) + "package main\n\nimport (\n" + imports(g.declared.String()+body) + ")\n\n" +
		g.declared.String() + "\nfunc run" + mark + "() {\n" + body + "}\n"
}

var importable = strings.Fields("bufio cmp container/heap context encoding/json errors fmt io iter maps math os reflect slices sort strconv strings sync sync/atomic text/template")

// imports lists the packages that a text mentions.
func imports(text string) string {
	var b strings.Builder
	for _, path := range importable {
		name := path[strings.LastIndex(path, "/")+1:]
		if strings.Contains(text, name+".") {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	return b.String()
}

// n returns a random number below limit.
func (g *generator) n(limit int) int { return g.rand.IntN(limit) }

// one returns true with probability 1/in.
func (g *generator) one(in int) bool { return g.n(in) == 0 }

// name returns a new name for a local variable.
func (g *generator) name(stem string) string {
	g.counter++
	return fmt.Sprintf("%s%d", stem, g.counter)
}

// top returns a new package-level name.
func (g *generator) top(stem string) string { return g.name(stem) + g.mark }

func pick[T any](g *generator, list []T) T { return list[g.n(len(list))] }

// block writes statements in a new scope.
func (g *generator) block(statements int) string {
	scope := len(g.scope)
	g.depth++
	var b strings.Builder
	for range statements {
		b.WriteString(g.statement())
	}
	g.depth--
	g.scope = g.scope[:scope]
	return b.String()
}

// body writes the statements of the function run.
func (g *generator) body() string {
	g.scope = nil
	var b strings.Builder
	b.WriteString(g.heldUses())
	for range 6 + g.n(14) {
		b.WriteString(g.statement())
	}
	for _, f := range g.functions {
		if len(f.params) == 0 || g.one(2) {
			b.WriteString(g.callStatement(f))
		}
	}
	return b.String()
}

// declare adds a local variable to the scope.
func (g *generator) declare(name string, t *typ) {
	g.scope = append(g.scope, variable{name, t, true})
}

// variables lists the visible variables that satisfy a condition.
func (g *generator) variables(fits func(variable) bool) []variable {
	var list []variable
	for _, set := range [][]variable{g.scope, g.globals} {
		for _, v := range set {
			if fits(v) {
				list = append(list, v)
			}
		}
	}
	return list
}
