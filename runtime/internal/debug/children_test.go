package debug

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

type pair struct {
	A, B int
	_    bool
	Next *pair
}

// described lists the children of a value.
func described(v Value, start, count int) string {
	var texts []string
	for _, p := range v.Children(start, count) {
		texts = append(texts, fmt.Sprintf("%s %s %s (%s)", p.Name, p.Type(), p.Text(ShortOutline), p.Expression))
	}
	return strings.Join(texts, "; ")
}

func TestPartsOfEveryKindHaveNamesTypesValuesAndExpressions(t *testing.T) {
	number := 5
	p := &pair{1, 2, true, &pair{A: 3}}
	var nothing *pair
	var anything any = p
	for _, c := range []struct {
		of   any
		want string
	}{
		{p, "A int 1 (x.A); B int 2 (x.B); Next *debug.pair &{A:3 B:0 Next:nil} (x.Next)"},
		{&anything, "A int 1 (x.(*debug.pair).A)"},
		{&number, ""},
		{&[]any{1, nil, "a"}, `[0] any 1 (x[0]); [1] any nil (x[1]); [2] any "a" (x[2])`},
		{&[2]bool{true}, "[0] bool true (x[0]); [1] bool false (x[1])"},
		{&map[string]int{"z": 1, "a b": 2}, `["a b"] int 2 (x["a b"]); ["z"] int 1 (x["z"])`},
		{&map[int8]error{3: errors.New("e"), -3: nil}, `[-3] error nil (x[-3]); [3] error e (x[3])`},
		{&map[pair]int{{A: 1}: 7}, "[{A:1 B:0 Next:nil}] int 7 ()"},
		{&nothing, ""},
		{new(func()), ""},
		{new(chan int), ""},
		{new(any), ""},
	} {
		v := Value{Of: reflect.ValueOf(c.of).Elem(), Expression: "x"}
		if c.of == any(p) {
			v.Of = reflect.ValueOf(c.of)
		}
		got := described(v, 0, 0)
		if got != c.want && !(c.of == any(&anything) && strings.HasPrefix(got, c.want)) {
			t.Errorf("%T has the parts\n%s, want\n%s", c.of, got, c.want)
		}
		named, indexed := v.Count()
		if n := len(v.Children(0, 0)); n != named+indexed {
			t.Errorf("%T has %d named and %d indexed parts, and %d", c.of, named, indexed, n)
		}
	}
	if got := described(Value{Of: reflect.ValueOf(&number), Expression: "p"}, 0, 0); got != "* int 5 ((*p))" {
		t.Errorf("a pointer has the parts %s", got)
	}
}

func TestTextsAreGosAndCallNoMethodsOfCells(t *testing.T) {
	long := make([]int, 1000)
	for _, c := range []struct {
		of   any
		want string
	}{
		{3 * time.Second, "3s"},
		{[]byte("ab"), "[97 98]"},
		{1.5, "1.5"},
		{2i, "(0+2i)"},
		{map[string]bool{"b": true, "a": false}, `map["a":false "b":true]`},
		{[][]float64{{1}, {2}}, "[[1] [2]]"},
		{mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6.5}), "[[1 2 3] [4 5 6.5]]"},
		{mat.NewVecDense(2, []float64{1, 2}), "[1 2]"},
		{new(mat.Dense), "[]"},
	} {
		if got := (Value{Of: reflect.ValueOf(c.of)}).Text(ShortOutline); got != c.want {
			t.Errorf("%T is %s, want %s", c.of, got, c.want)
		}
	}
	if got := (Value{Of: reflect.ValueOf(long)}).Text(20); got != "[0 0 0 0 0 0 0 0 0 0… length 1000" {
		t.Errorf("a long slice is %s", got)
	}
}

func TestReferencesLastForTwoGenerations(t *testing.T) {
	var r References
	first := r.Add("first")
	r.Renew()
	second := r.Add("second")
	if v, ok := r.Find(first); !ok || v != "first" {
		t.Error("the former generation is gone")
	}
	r.Renew()
	if _, ok := r.Find(first); ok {
		t.Error("a generation stays for ever")
	}
	if v, ok := r.Find(second); !ok || v != "second" || second == first {
		t.Error("the former generation is gone")
	}
	r.Clear()
	if _, ok := r.Find(second); ok || r.Add("third") <= second {
		t.Error("numbers are used again")
	}
}

func TestHitCountsAreReadAsOtherDebuggersDo(t *testing.T) {
	for text, want := range map[string]string{
		"3": "0010000000", " == 2": "0100000000", "> 8": "0000000011", ">= 8": "0000000111", "< 3": "1100000000",
		"<=3": "1110000000", "!= 1": "0111111111", "%4": "0001000100", "": "always",
	} {
		count, err := hitCount(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := "always"
		if count != nil {
			got = ""
			for hits := int64(1); hits <= 10; hits++ {
				got += map[bool]string{true: "1", false: "0"}[count(hits)]
			}
		}
		if got != want {
			t.Errorf("%q stops at %s, want %s", text, got, want)
		}
	}
}

func FuzzHitCount(f *testing.F) {
	for _, text := range []string{"3", ">= 2", "%", "== 99999999999999999999", "5 > 3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if count, err := hitCount(text); err == nil && count != nil {
			count(1) // must not panic, whatever the number
		}
	})
}
