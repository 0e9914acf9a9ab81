package symbols_test

import (
	"fmt"
	"go/types"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gosphere/runtime/internal/packages"
	"gosphere/runtime/symbols"
)

var openStore = sync.OnceValues(func() (*packages.Store, error) { return packages.Open(symbols.Archives()...) })

func store(t testing.TB) *packages.Store {
	t.Helper()
	s, err := openStore()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tables returns the tables by import path.
func tables() map[string]map[string]reflect.Value {
	byPath := map[string]map[string]reflect.Value{}
	symbols.Each(func(path, name string, v reflect.Value) {
		if byPath[path] == nil {
			byPath[path] = map[string]reflect.Value{}
		}
		byPath[path][name] = v
	})
	return byPath
}

func TestEveryPackageHasTypesAndTable(t *testing.T) {
	types, tables := store(t).Paths(), symbols.Paths()
	slices.Sort(types)
	if !slices.Equal(types, tables) {
		t.Errorf("there are types of\n%v\nand tables of\n%v", types, tables)
	}
}

// plain reports whether an exported object must have an entry in the table.
func plain(object types.Object) bool {
	switch object := object.(type) {
	case *types.Const: // the type checker knows it, but it may lead to a type
		named, ok := object.Type().(*types.Named)
		return ok && !named.Obj().Exported()
	case *types.Func:
		return object.Signature().TypeParams().Len() == 0
	case *types.TypeName:
		if named, ok := object.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
			return false
		}
		if alias, ok := object.Type().(*types.Alias); ok && alias.TypeParams().Len() > 0 {
			return false
		}
		i, ok := object.Type().Underlying().(*types.Interface)
		return !ok || i.IsMethodSet()
	}
	return true
}

func TestEveryPlainNameHasAnEntryOrAReason(t *testing.T) {
	missing := readExceptions(t)
	tables := tables()
	for _, p := range store(t).Paths() {
		pkg, err := store(t).Import(p)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			entry, full := tables[p][name], p+"."+name
			switch {
			case missing[full] && entry.IsValid():
				t.Errorf("%s is in exceptions.txt and in the table", full)
			case missing[full]:
				delete(missing, full)
			case plain(object) != entry.IsValid():
				t.Errorf("%s: in the table %t, want %t", full, entry.IsValid(), plain(object))
			case entry.IsValid():
				if err := fits(object, entry); err != nil {
					t.Errorf("%s: %v", full, err)
				}
			}
		}
		for name := range tables[p] {
			if pkg.Scope().Lookup(name) == nil {
				t.Errorf("%s.%s is in the table only", p, name)
			}
		}
	}
	for full := range missing {
		t.Errorf("%s is in exceptions.txt but not in the type information", full)
	}
}

func readExceptions(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if strings.TrimSpace(reason) == "" {
			t.Errorf("exceptions.txt: %s has no reason", name)
		}
		names[name] = true
	}
	return names
}

// fits compares a table entry with the type checker's object. It fails if the archive and the
// tables were made for different platforms.
func fits(object types.Object, entry reflect.Value) error {
	switch object := object.(type) {
	case *types.Func:
		s, f := object.Signature(), entry.Type()
		if f.Kind() != reflect.Func || f.NumIn() != s.Params().Len() || f.NumOut() != s.Results().Len() || f.IsVariadic() != s.Variadic() {
			return fmt.Errorf("value is a %v, want a %v", f, s)
		}
	case *types.Var:
		if !entry.CanSet() {
			return fmt.Errorf("variable cannot be set")
		}
	case *types.TypeName:
		if entry.Kind() != reflect.Pointer || !entry.IsNil() {
			return fmt.Errorf("type is given as %v, want a nil pointer", entry)
		}
	}
	return nil
}

func TestNamesOfRecenterleasesAreThere(t *testing.T) {
	tables := tables()
	for _, full := range []string{
		"strings.SplitSeq", "bytes.FieldsSeq", "os.Root", "os.OpenRoot", "os.CopyFS", "net/http.CrossOriginProtection",
		"log/slog.MultiHandler", "encoding/binary.Append", "math/rand/v2.Uint", "structs.HostLayout",
		"crypto/mlkem.NewDecapsulationKey768", "crypto/hpke.NewSender", "crypto/sha3.Sum256", "testing/synctest.Test",
		"gonum.org/v1/gonum/mat.NewDense", "gonum.org/v1/plot.New", "gorgonia.org/gorgonia.NewGraph",
	} {
		dot := strings.LastIndexByte(full, '.')
		if !tables[full[:dot]][full[dot+1:]].IsValid() {
			t.Errorf("%s has no entry", full)
		}
	}
}

func TestGenericNamesHaveTypes(t *testing.T) {
	for _, full := range []string{"slices.SortFunc", "maps.Keys", "cmp.Ordered", "iter.Seq2", "sync.OnceValue", "sync/atomic.Pointer",
		"unique.Make", "weak.Pointer", "errors.AsType", "reflect.TypeFor", "math/rand/v2.N", "database/sql.Null"} {
		dot := strings.LastIndexByte(full, '.')
		pkg, err := store(t).Import(full[:dot])
		if err != nil {
			t.Error(err)
		} else if pkg.Scope().Lookup(full[dot+1:]) == nil {
			t.Errorf("%s has no type information", full)
		}
	}
}

func TestNothingOfTheBuildMachineIsInTheArchive(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	for _, p := range store(t).Paths() {
		pkg, err := store(t).Import(p)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(name)
			if object.Pos().IsValid() {
				t.Errorf("%s.%s has a position", p, name)
			}
			for _, folder := range []string{root, home, "/pkg/mod/"} {
				if len(folder) > 1 && strings.Contains(store(t).Doc(p, name)+object.String(), folder) {
					t.Errorf("%s.%s mentions %s", p, name, folder)
				}
			}
		}
	}
}

func TestFindGivesOneVariableAndNothingThatIsNotThere(t *testing.T) {
	first, ok := symbols.Find("os", "Args")
	again, _ := symbols.Find("os", "Args")
	if !ok || !first.CanSet() || first.Addr().Pointer() != again.Addr().Pointer() {
		t.Errorf("os.Args is found as %v and %v", first, again)
	}
	for _, name := range [][2]string{{"os", "args"}, {"nowhere", "A"}, {"", ""}} {
		if v, ok := symbols.Find(name[0], name[1]); ok {
			t.Errorf("%s.%s is %v", name[0], name[1], v)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		symbols.Find("strings", "ToUpper")
	}
}
