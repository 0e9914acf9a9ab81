package table

import (
	"reflect"
	"testing"

	compiled "gosphere/runtime/table"
)

func TestFunctionsAgree(t *testing.T) {
	type person struct {
		Name string
		Age  *float64
	}
	people := compiled.New("name", "age")
	people.Append("Ann", 41)
	people.Append("Bob", nil)
	got, err := As[person](people)
	want, _ := compiled.As[person](people)
	if err != nil || !reflect.DeepEqual(got, want) || len(got) != 2 {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	names, err := Column[string](people, "name")
	if err != nil || !reflect.DeepEqual(names, []string{"Ann", "Bob"}) {
		t.Errorf("got %v, %v", names, err)
	}
	_, err = Column[int](people, "age")
	if _, wanted := compiled.Column[int](people, "age"); err == nil || err.Error() != wanted.Error() {
		t.Errorf("got %v, want %v", err, wanted)
	}
}
