package symbols

import (
	"go/types"
	"reflect"
	"runtime"
	"testing"

	"gosphere/internal/modulepath"
	"gosphere/runtime/internal/packages"
)

// Cells read and write fields at the offsets that the type information gives. If the packages of
// this module have changed since it was generated, they would read and write elsewhere.
func TestTypeInformationHasTheLayoutOfTheProgram(t *testing.T) {
	store, err := packages.Open(Archives()...)
	if err != nil {
		t.Fatal(err)
	}
	sizes := types.SizesFor("gc", runtime.GOARCH)
	compared := 0
	Each(func(path, name string, v reflect.Value) {
		if !modulepath.Contains(path) || v.Kind() != reflect.Pointer || !v.IsNil() || v.Type().Elem().Kind() != reflect.Struct {
			return
		}
		pkg, err := store.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		object, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			t.Errorf("%s.%s is not in the type information: run make symbols", path, name)
			return
		}
		described, ok := object.Type().Underlying().(*types.Struct)
		real := v.Type().Elem()
		if !ok || described.NumFields() != real.NumField() || uintptr(sizes.Sizeof(described)) != real.Size() {
			t.Errorf("%s.%s has another layout than its type information: run make symbols", path, name)
			return
		}
		var fields []*types.Var
		for field := range described.Fields() {
			fields = append(fields, field)
		}
		for i, offset := range sizes.Offsetsof(fields) {
			if f := real.Field(i); f.Name != fields[i].Name() || f.Offset != uintptr(offset) {
				t.Errorf("%s.%s: field %d is %s at %d, and %s at %d in the type information: run make symbols", path, name, i, f.Name, f.Offset, fields[i].Name(), offset)
			}
		}
		compared++
	})
	if compared < 50 {
		t.Errorf("only %d types were compared", compared)
	}
}
