package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"gosphere/runtime/internal/source"
)

// must is a function that cells have beside the predeclared ones of Go. must(f()) panics with the
// error that f returns, unless it is nil, and returns the values before it. There are four
// functions of the name, by the number of these values, because a generic function cannot have
// a variable number of results.
//
// A call calls the function for one value in the first pass, which determines the number of values
// of its operand. If it is another one, the pass is repeated with the name of the right function in
// the syntax tree. Any declaration of the name must takes precedence.
const must = source.Must

// MustHeading is the declaration of must as users see it, and MustDoc its documentation.
const (
	MustHeading = "func must(results ..., err error) (results ...)"

	MustDoc = `must stops the cell at an error. It takes the results of a call whose last one is an error, and
returns the others:

	t := must(table.Read("sales.csv"))
	must(os.Remove("old.csv"))

If the error is not nil, must panics with it, and the cell fails with the error and the line of the
call. A call may have up to three results before the error. A declaration of the name must in a
cell takes precedence.`
)

// newMust returns the functions for a session, by the number of values. A function belongs to one
// session, because go/types stores the scope in it in which it is looked up.
func newMust() (list [source.MostMust + 1]*types.Func) {
	pkg := types.NewPackage(source.MustPath, must)
	failure := types.Universe.Lookup("error").Type()
	parameter := func(name string, constraint types.Type) *types.TypeParam {
		return types.NewTypeParam(types.NewTypeName(token.NoPos, pkg, name, nil), constraint)
	}
	variable := func(name string, t types.Type) *types.Var { return types.NewParam(token.NoPos, pkg, name, t) }
	for n := range list {
		var params []*types.TypeParam
		var arguments, results []*types.Var
		for i, name := range []string{"T", "U", "V"}[:n] {
			p := parameter(name, types.Universe.Lookup("any").Type())
			params = append(params, p)
			arguments = append(arguments, variable([]string{"value", "second", "third"}[i], p))
			results = append(results, variable("", p))
		}
		last := failure
		if n == 0 { // a function without type parameters would be looked for among the compiled ones
			p := parameter("E", failure)
			params, last = append(params, p), types.Type(p)
		}
		arguments = append(arguments, variable("err", last))
		signature := types.NewSignatureType(nil, nil, params, types.NewTuple(arguments...), types.NewTuple(results...), false)
		list[n] = types.NewFunc(token.NoPos, pkg, source.MustName(n), signature)
	}
	return list
}

// IsMust reports whether an object is the predeclared must.
func IsMust(object types.Object) bool {
	return object != nil && object.Pkg() != nil && object.Pkg().Path() == source.MustPath
}

// Must returns the predeclared must if the name denotes it in the cell, and nil otherwise.
func (p *Probe) Must() types.Object {
	if !p.work.hasMust() || p.work.survey.declared[must] || p.work.survey.variables[must] {
		return nil
	}
	return p.work.session.must[1]
}

// hasMust reports whether the name must denotes the predeclared function in the cell, unless the
// cell declares it. Programs are Go, which has no such function.
func (w *work) hasMust() bool {
	return !w.session.plain && !w.cell.Program && w.session.current[must] == nil && w.around[must] == nil
}

// insertMust inserts the functions that the files of a pass may mention in the scope around the
// package.
func (p *pass) insertMust(names mentions) {
	if !names.names[must] || !p.work.hasMust() || p.hidden[must] {
		return
	}
	p.usesMust = true
	for _, f := range p.work.session.must {
		p.scope.Insert(f)
	}
	// go/types finds an object by its own name, so the tree has that of the function.
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && p.work.must[id] != "" {
				id.Name = p.work.must[id]
				p.renamed = append(p.renamed, id)
			}
			return true
		})
	}
}

// restoreMust undoes the renaming of insertMust.
func (p *pass) restoreMust() {
	for _, id := range p.renamed {
		id.Name = must
	}
}

// chooseMust determines which function each call of must needs, and reports whether one of them is
// not the function that the pass has found.
func (p *pass) chooseMust() (changed bool) {
	if !p.usesMust {
		return false
	}
	return source.ChooseMust(p.files, p.info, IsMust, func(id *ast.Ident, name string) {
		if p.work.must == nil {
			p.work.must = map[*ast.Ident]string{}
		}
		p.work.must[id] = name
	})
}

// mostChoices is the number of passes after which functions are no longer chosen. Each pass settles
// at least one level of nested calls.
const mostChoices = 20

// runPass makes a pass and runs it, again if calls of must need other functions.
func (w *work) runPass(makePass func() *pass) *pass {
	for choices := 0; ; choices++ {
		p := makePass()
		p.run()
		if choices == mostChoices || !p.chooseMust() {
			return p
		}
	}
}

// withoutMust returns a message in which the functions of must have its name.
func withoutMust(message string) string {
	for n := range source.MostMust + 1 {
		message = strings.ReplaceAll(message, fmt.Sprint(source.MustPrefix, n), must)
	}
	return message
}

// mustHint explains how to call must.
func mustHint(m *mistake) string {
	call := around[*ast.CallExpr](m)
	if call == nil {
		if id := around[*ast.Ident](m); id != nil && IsMust(m.pass.info.Uses[id]) {
			return "must is only called, as in must(os.ReadFile(name))"
		}
		return ""
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || !IsMust(m.pass.info.Uses[id]) {
		return ""
	}
	return "must takes a call whose last result is an error, with up to three results before it, as in must(os.ReadFile(name))"
}
