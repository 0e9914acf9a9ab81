package packages

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func parse(t testing.TB, fset *token.FileSet, source string) []*ast.File {
	t.Helper()
	file, err := parser.ParseFile(fset, "cell.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	return []*ast.File{file}
}

// generated returns the committed archive for this platform. It reads the files to avoid linking
// all packages of runtime/symbols.
func generated(t testing.TB) []string {
	t.Helper()
	var archives []string
	for _, name := range []string{"shared", runtime.GOOS + "_" + runtime.GOARCH} {
		data, err := os.ReadFile(filepath.Join("..", "..", "symbols", "archive", name+".bin"))
		if os.IsNotExist(err) {
			t.Skipf("no archive was generated for %s/%s", runtime.GOOS, runtime.GOARCH)
		} else if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, string(data))
	}
	return archives
}

func openGenerated(t testing.TB) *Store {
	t.Helper()
	store, err := Open(generated(t)...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func lookup(t testing.TB, store *Store, path, name string) types.Object {
	t.Helper()
	pkg, err := store.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	object := pkg.Scope().Lookup(name)
	if object == nil {
		t.Fatalf("%s.%s does not exist", path, name)
	}
	return object
}

func TestEveryPackageOfTheArchiveIsDecoded(t *testing.T) {
	store := openGenerated(t)
	if n := len(store.Paths()); n < 150 {
		t.Errorf("archive has %d packages, the standard library alone has more than 150", n)
	}
	for _, path := range store.Paths() {
		pkg, err := store.Import(path)
		if err != nil {
			t.Error(err)
		} else if !pkg.Complete() || pkg.Path() != path {
			t.Errorf("importing %s gave %s, complete: %t", path, pkg.Path(), pkg.Complete())
		}
	}
}

// The export data of bufio mentions io.Writer, so package io exists before it is imported itself.
// Both orders must produce a single io.Writer and the complete package io.
func TestPackagesThatImportAreFoundWithoutDecoding(t *testing.T) {
	store := openGenerated(t)
	left := 0
	for _, path := range store.Paths() {
		p, err := store.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range p.Imports() {
			if !store.MayImport(path, other.Path()) {
				t.Errorf("%s imports %s", path, other.Path())
			}
		}
		if !store.MayImport(path, "gorgonia.org/gorgonia") {
			left++
		}
	}
	if left < len(store.Paths())/2 {
		t.Errorf("%d of %d packages need not be decoded", left, len(store.Paths()))
	}
}

func TestTypesAreTheSameInWhateverOrder(t *testing.T) {
	for _, order := range [][]string{{"bufio", "io", "net/http"}, {"net/http", "bufio", "io"}, {"io", "net/http", "bufio"}} {
		store := openGenerated(t)
		for _, path := range order {
			if _, err := store.Import(path); err != nil {
				t.Fatal(err)
			}
		}
		writer := lookup(t, store, "io", "Writer").Type()
		parameter := lookup(t, store, "bufio", "NewWriter").(*types.Func).Signature().Params().At(0).Type()
		if !types.Identical(writer, parameter) {
			t.Errorf("order %v: bufio.NewWriter takes %v, which is not io.Writer", order, parameter)
		}
		response := lookup(t, store, "net/http", "ResponseWriter").Type().Underlying().(*types.Interface)
		if !types.Implements(response, writer.Underlying().(*types.Interface)) {
			t.Errorf("order %v: an http.ResponseWriter is no io.Writer", order)
		}
		lookup(t, store, "io", "MultiReader")
	}
}

func TestGenericTypesSurviveTheArchive(t *testing.T) {
	store := openGenerated(t)
	const source = `package cell
import ("cmp"; "iter"; "maps"; "slices"; "sync/atomic")
var m = map[string]int{"a": 1}
var keys []string = slices.Sorted(maps.Keys(m))
var largest int = slices.MaxFunc([]int{1, 2}, cmp.Compare[int])
var pointer atomic.Pointer[int]
var sequence iter.Seq2[string, int] = maps.All(m)`
	fset := token.NewFileSet()
	config := types.Config{Importer: store}
	if _, err := config.Check("cell", fset, parse(t, fset, source), nil); err != nil {
		t.Error(err)
	}
}

func TestConstantsAreThoseOfThePlatform(t *testing.T) {
	store := openGenerated(t)
	got := lookup(t, store, "runtime", "GOOS").(*types.Const).Val().ExactString()
	if strings.Trim(got, `"`) != runtime.GOOS {
		t.Errorf("runtime.GOOS is %s, want %q", got, runtime.GOOS)
	}
}

func TestUnknownPackagesAreNamedInTheError(t *testing.T) {
	var unknown *UnknownPackage
	if _, err := openGenerated(t).Import("github.com/nobody/nothing"); !errors.As(err, &unknown) || unknown.Path != "github.com/nobody/nothing" {
		t.Errorf("error is %v, want one that names the package", err)
	}
}

func TestUnsafeIsThePackageOfTheTypeChecker(t *testing.T) {
	store := openGenerated(t)
	if pkg, err := store.Import("unsafe"); err != nil || pkg != types.Unsafe {
		t.Errorf("got %v, %v, want types.Unsafe", pkg, err)
	}
	if !slices.Contains(store.Paths(), "unsafe") || store.Doc("unsafe", "Sizeof") == "" {
		t.Error("unsafe is not listed or not documented")
	}
}

func TestDamagedTypesFailOnceAndForAll(t *testing.T) {
	segment := Segment{Packages: []Package{{Path: "a", Name: "a", Types: []byte("iXYZ")}}}
	store, err := Open(encode(t, segment))
	if err != nil {
		t.Fatal(err)
	}
	_, first := store.Import("a")
	_, second := store.Import("a")
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("errors are %v and %v, want the same twice", first, second)
	}
}

// Eight goroutines import and check concurrently, for the race detector.
func TestImportIsSafeForConcurrentUse(t *testing.T) {
	store := openGenerated(t)
	paths := []string{"fmt", "io", "os", "bufio", "strings", "net/http", "image/png", "sort", "time", "context"}
	seen := make([][]*types.Package, 8)
	var all sync.WaitGroup
	for worker := range seen {
		all.Go(func() {
			for i := range paths {
				pkg, err := store.Import(paths[(i+worker)%len(paths)])
				if err != nil {
					t.Error(err)
					return
				}
				for _, name := range pkg.Scope().Names() {
					types.NewMethodSet(pkg.Scope().Lookup(name).Type())
				}
				store.Doc(pkg.Path(), "")
				seen[worker] = append(seen[worker], pkg)
			}
			slices.SortFunc(seen[worker], func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
		})
	}
	all.Wait()
	for worker := range seen {
		if !slices.Equal(seen[worker], seen[0]) {
			t.Errorf("goroutines 0 and %d have different packages", worker)
		}
	}
}

func TestDocOfEverythingThatCanBeAskedFor(t *testing.T) {
	store := openGenerated(t)
	for _, c := range []struct{ path, name, want string }{
		{"strings", "", "Package strings implements"},
		{"math", "Sqrt", "Sqrt returns the square root"},
		{"math", "Pi", "Mathematical constants"},
		{"io", "EOF", "EOF is the error"},
		{"bytes", "Buffer", "A Buffer is a variable-sized buffer"},
		{"bytes", "Buffer.Write", "Write appends the contents"},
		{"io", "ReadCloser", "ReadCloser is the interface"},
		{"sort", "Interface.Less", "Less reports whether"},
		{"net/http", "Client.Timeout", "Timeout specifies a time limit"},
		{"net/http", "StatusTeapot", "HTTP status codes"},
		{"slices", "SortFunc", "SortFunc sorts the slice"},
		{"gonum.org/v1/gonum/mat", "Dense.Mul", "Mul takes the matrix product"},
		{"strings", "NoSuchName", ""},
		{"no/such/package", "X", ""},
	} {
		got := store.Doc(c.path, c.name)
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("documentation of %s.%s is %q, want it to begin with %q", c.path, c.name, got, c.want)
		}
	}
}

// BenchmarkOpen measures the cost at every start of the kernel.
func BenchmarkOpen(b *testing.B) {
	archives := generated(b)
	for b.Loop() {
		if _, err := Open(archives...); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstCheck measures the first cell of a session: fmt is imported and one statement
// checked. The goal is less than ten milliseconds.
func BenchmarkFirstCheck(b *testing.B) {
	archives := generated(b)
	for b.Loop() {
		store, err := Open(archives...)
		if err != nil {
			b.Fatal(err)
		}
		fset := token.NewFileSet()
		files := parse(b, fset, "package cell\nimport \"fmt\"\nfunc main() { fmt.Println(1) }")
		config := types.Config{Importer: store}
		if _, err := config.Check("cell", fset, files, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	archives := generated(b)
	for _, path := range []string{"fmt", "net/http", "gonum.org/v1/gonum/mat", "gonum.org/v1/plot", "gorgonia.org/gorgonia"} {
		b.Run(filepath.Base(path), func(b *testing.B) {
			for b.Loop() {
				store, err := Open(archives...)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := store.Import(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
