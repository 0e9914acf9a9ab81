package lazyregexp

import (
	"reflect"
	"regexp"
	"sync"
	"testing"
)

func TestAnExpressionIsCompiledAtItsFirstUse(t *testing.T) {
	invalid := New("(")
	defer func() {
		if recover() == nil {
			t.Error("an invalid expression matches")
		}
	}()
	valid := New("^a+$")
	if valid.compiled != nil {
		t.Error("it is compiled before its use")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !valid.MatchString("aa") || valid.MatchString("b") {
				t.Error("other matches than those of the expression")
			}
		})
	}
	all.Wait()
	invalid.MatchString("a")
}

// Every method forwards to the method of the same name and type.
func TestMethodsAreThoseOfPackageRegexp(t *testing.T) {
	const text = `(\w)-(\d)`
	lazy, plain := reflect.ValueOf(New(text)), reflect.ValueOf(regexp.MustCompile(text))
	for i := range lazy.NumMethod() {
		name := lazy.Type().Method(i).Name
		own, theirs := lazy.Method(i), plain.MethodByName(name)
		if own.Type() != theirs.Type() {
			t.Errorf("%s is a %s, want a %s", name, own.Type(), theirs.Type())
			continue
		}
		var arguments []reflect.Value
		for j := range own.Type().NumIn() {
			switch in := own.Type().In(j); in {
			case reflect.TypeFor[string]():
				arguments = append(arguments, reflect.ValueOf([]string{"a-1 b-2", "$2$1"}[j%2]))
			case reflect.TypeFor[[]byte]():
				arguments = append(arguments, reflect.ValueOf([]byte("a-1 b-2")))
			case reflect.TypeFor[int]():
				arguments = append(arguments, reflect.ValueOf(-1))
			case reflect.TypeFor[[]int]():
				arguments = append(arguments, reflect.ValueOf([]int{0, 3, 0, 1, 2, 3}))
			case reflect.TypeFor[func(string) string]():
				arguments = append(arguments, reflect.ValueOf(func(s string) string { return "<" + s + ">" }))
			default:
				t.Fatalf("%s has a parameter of type %s", name, in)
			}
		}
		if got, want := own.Call(arguments)[0].Interface(), theirs.Call(arguments)[0].Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s returns %v, want %v", name, got, want)
		}
	}
}
