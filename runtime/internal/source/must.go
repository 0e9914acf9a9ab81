package source

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"gosphere/internal/modulepath"
)

// Must is the name of the function of cells that panics with an error, and MustPath the path of the
// package that has it in stack traces.
const (
	Must     = "must"
	MustPath = modulepath.Path + "/runtime/must"
)

// MustPrefix begins the names in the syntax tree of the functions for other numbers of values than
// one, and MostMust is the largest number.
const (
	MustPrefix = "cell__must"
	MostMust   = 3
)

// MustName returns the name in the syntax tree of the function for a number of values.
func MustName(values int) string {
	if values == 1 {
		return Must
	}
	return fmt.Sprint(MustPrefix, values)
}

// IsMustFile reports whether a file, as stack traces name it, is that of the functions of must.
func IsMustFile(name string) bool { return strings.HasPrefix(name, MustPath+"/") }

// ChooseMust finds the calls of must in files that have been checked. It calls choose for those
// that need another function than the one that the check has found, with its name, and reports
// whether there are any. is reports whether an object is one of the functions.
func ChooseMust(files []*ast.File, info *types.Info, is func(types.Object) bool, choose func(*ast.Ident, string)) (changed bool) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			id, ok := ast.Unparen(call.Fun).(*ast.Ident)
			if !ok || info.Uses[id] == nil || !is(info.Uses[id]) {
				return true
			}
			operands := len(call.Args)
			if operands == 1 {
				if results, ok := info.TypeOf(call.Args[0]).(*types.Tuple); ok {
					operands = results.Len()
				}
			}
			if operands < 1 || operands > MostMust+1 || info.Uses[id].Name() == MustName(operands-1) {
				return true
			}
			choose(id, MustName(operands-1))
			changed = true
			return true
		})
	}
	return changed
}

// mostChoices is the number of checks after which functions are no longer chosen. Each check
// settles at least one level of nested calls.
const mostChoices = 20

// checkCells checks the files of a package of cells until all calls of must have their functions.
func checkCells(files []*ast.File, check func() *types.Info) {
	for range mostChoices {
		info := check()
		own := func(o types.Object) bool {
			f, ok := o.(*types.Func)
			return ok && f.Signature().Recv() == nil && (f.Name() == Must || len(f.Name()) == len(MustPrefix)+1 && f.Name()[:len(MustPrefix)] == MustPrefix)
		}
		if !ChooseMust(files, info, own, func(id *ast.Ident, name string) { id.Name = name }) {
			return
		}
	}
}
