package generic

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// standard lists the packages with generic functions or types, and the names in them that are
// omitted, with reasons.
var standard = map[string]map[string]string{
	"cmp":          {"Ordered": "a constraint, which instances do not need"},
	"errors":       {},
	"iter":         {},
	"maps":         {},
	"math/rand/v2": {},
	"reflect":      {},
	"runtime":      {},
	"slices":       {},
	"sync":         {},
	"sync/atomic":  {},
	"unique":       {},
	"weak":         {},
	"database/sql": {},
	"hash/maphash": {},

	"encoding/json/jsontext": {},
	"encoding/json/v2":       {},
	"crypto/hkdf":            {},
	"crypto/pbkdf2":          {},

	"gosphere/runtime/table": {},
}

// checkOwn type-checks this project's source of a package under its standard path, as package link
// does.
func checkOwn(t *testing.T, path string, imports types.Importer) *types.Package {
	t.Helper()
	files, ok := Source(path)
	if !ok {
		t.Fatalf("no source of %s", path)
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for name, text := range files {
		file, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.VAR {
				t.Errorf("%s has a package variable, which an instance cannot use", fset.Position(d.Pos()))
			}
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: imports}
	own, err := config.Check(path, fset, parsed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// isGeneric reports whether a name has type parameters.
func isGeneric(object types.Object) bool {
	switch object := object.(type) {
	case *types.Func:
		return object.Signature().TypeParams().Len() > 0
	case *types.TypeName:
		named, ok := object.Type().(*types.Named)
		return ok && named.TypeParams().Len() > 0
	}
	return false
}

// describe formats an object without the parts that may differ: the package of a constraint and the
// names of parameters.
func describe(object types.Object) string {
	text := types.ObjectString(object, func(*types.Package) string { return "" })
	if _, ok := object.(*types.TypeName); ok { // only the type parameters; the rest is private
		text, _, _ = strings.Cut(text, " struct")
	}
	return strings.NewReplacer("ordered", "Ordered", "type comparable interface", "").Replace(text)
}

func TestSignaturesAreThoseOfTheStandardLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the standard library")
	}
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for path, left := range standard {
		want, err := imports.Import(path)
		if err != nil {
			t.Skipf("the sources of the standard library are not here: %v", err)
		}
		own := checkOwn(t, path, imports)
		for _, name := range missingMethods(own, want) {
			t.Errorf("%s.%s is missing", path, name)
		}
		for _, name := range want.Scope().Names() {
			object := want.Scope().Lookup(name)
			if !object.Exported() || !isGeneric(object) || left[name] != "" {
				continue
			}
			have := own.Scope().Lookup(name)
			if have == nil {
				t.Errorf("%s.%s is missing", path, name)
				continue
			}
			if got, want := describe(have), describe(object); got != want {
				t.Errorf("%s.%s:\n\t%s\nwant\n\t%s", path, name, got, want)
			}
			checkMethods(t, path, have, object)
		}
		for _, name := range own.Scope().Names() {
			if typeName, methodName, found := strings.Cut(name, "_"); found {
				checkMethodOfCompiledType(t, own.Scope().Lookup(name), want.Scope().Lookup(typeName), methodName)
				continue
			}
			if have := own.Scope().Lookup(name); have.Exported() && (want.Scope().Lookup(name) == nil || !isGeneric(have)) {
				t.Errorf("%s.%s does not belong here", path, name)
			}
		}
	}
}

// checkMethodOfCompiledType compares a function with the method with type parameters that it stands
// for. Its first parameter is the receiver.
func checkMethodOfCompiledType(t *testing.T, have, of types.Object, name string) {
	t.Helper()
	found, _, _ := types.LookupFieldOrMethod(types.NewPointer(of.Type()), true, of.Pkg(), name)
	method, ok := found.(*types.Func)
	if !ok || method.Signature().TypeParams().Len() == 0 {
		t.Errorf("%s has no method %s with type parameters", of.Name(), name)
		return
	}
	text := func(params []*types.Var, sig *types.Signature) string {
		flat := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
		constraint := sig.TypeParams().At(0).Constraint().Underlying()
		return types.TypeString(flat, func(*types.Package) string { return "" }) + constraint.String()
	}
	sig := method.Signature()
	want := text(append([]*types.Var{types.NewParam(0, nil, "r", sig.Recv().Type())}, slices.Collect(sig.Params().Variables())...), sig)
	own := have.(*types.Func).Signature()
	if got := text(slices.Collect(own.Params().Variables()), own); got != want {
		t.Errorf("%s: %s, want %s", have.Name(), got, want)
	}
}

// Every method with type parameters of a compiled type needs a function here.
func missingMethods(own, standard *types.Package) (missing []string) {
	for _, name := range standard.Scope().Names() {
		named, ok := standard.Scope().Lookup(name).Type().(*types.Named)
		if _, isType := standard.Scope().Lookup(name).(*types.TypeName); !ok || !isType || named.TypeParams().Len() > 0 {
			continue
		}
		for m := range named.Methods() {
			if function := name + "_" + m.Name(); m.Exported() && m.Signature().TypeParams().Len() > 0 && (own == nil || own.Scope().Lookup(function) == nil) {
				missing = append(missing, function)
			}
		}
	}
	return missing
}

// checkMethods compares the methods of a generic type.
func checkMethods(t *testing.T, path string, have, want types.Object) {
	t.Helper()
	if _, ok := want.(*types.TypeName); !ok {
		return
	}
	own, standard := have.Type().(*types.Named), want.Type().(*types.Named)
	methods := map[string]*types.Func{}
	for m := range own.Methods() {
		methods[m.Name()] = m
	}
	for m := range standard.Methods() {
		if m.Exported() && (methods[m.Name()] == nil || describe(methods[m.Name()]) != describe(m)) {
			t.Errorf("%s.%s.%s: got %v, want %s", path, want.Name(), m.Name(), methods[m.Name()], describe(m))
		}
	}
}

func TestSourceKnowsItsPackagesOnly(t *testing.T) {
	for path := range standard {
		files, ok := Source(path)
		for name := range files {
			if strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s: %s is a test", path, name)
			}
		}
		if !ok {
			t.Errorf("no source of %s", path)
		}
	}
	for _, path := range []string{"table", "fmt", "", "math", "math/rand", "..", "hash"} {
		if _, ok := Source(path); ok {
			t.Errorf("source of %q", path)
		}
	}
}
