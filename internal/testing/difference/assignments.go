package difference

import (
	"fmt"
	"strings"
)

// A place is a destination of an assignment, after the statement that declares it.
type place struct{ name, declare, text, state string }

// panickingPlaces are destinations with and without a panic.
func panickingPlaces() []place {
	list := []place{
		{"slice", "s := []int{1}", "s[key$m(3)]", "s"}, {"nil slice", "var s []int", "s[key$m(0)]", "s"}, {"element", "s := []int{7}", "s[key$m(0)]", "s"},
		{"array", "a := [2]int{1, 2}; i := 2", "a[key$m(i)]", "a"}, {"nil pointer", "var p *int", "*p", "p == nil"}, {"nil array", "var p *[2]int", "p[1]", "p == nil"},
		{"field of nil", "var p *N$m", "p.n", "p == nil"}, {"nested field of nil", "p := &N$m{}", "p.p.n", "p.n"}, {"slice in a field", "p := &N$m{}", "p.s[key$m(1)]", "p.n"},
		{"nil map in a field", "p := &N$m{}", "p.m[key$m(any(1))]", "p.n"}, {"nil map in a field, bad key", "p := &N$m{}", "p.m[key$m(any(sl$m{}))]", "p.n"},
		{"map of maps", "m := map[any]map[any]int{}", "m[key$m(any(1))][key$m(any(2))]", "len(m)"}, {"map of maps, bad key", "m := map[any]map[any]int{}", "m[key$m(any(sl$m{}))][1]", "len(m)"},
		{"map of slices", "m := map[any][]int{1: {2}}", "m[key$m(any(1))][0]", "m[1]"}, {"pointer to a map", "q := map[any]int{1: 3}; m := &q", "(*m)[key$m(any(1))]", "len(*m)"},
		{"asserted", "var x any = []int{1}", "x.([]int)[key$m(2)]", "0"}, {"wrongly asserted", "var x any = 3", "x.([]int)[key$m(0)]", "0"},
	}
	for _, m := range []struct {
		key, entry string
		keys       []string
	}{
		{"any", "1: 5", []string{"any(1)", "any(sl$m{})", "any(map[int]int{})", "any(struct{ f func() }{})"}}, {"int", "1: 5", []string{"1"}}, {"string", "\"a\": 5", []string{"\"a\"", "\"b\""}},
		{"S$m", "S$m{1}: 5", []string{"S$m{1}", "S$m{sl$m{}}"}}, {"[1]any", "[1]any{2}: 5", []string{"[1]any{2}", "[1]any{func() {}}"}}, {"float64", "1.5: 5", []string{"1.5"}}, {"bool", "true: 5", []string{"true"}},
		{"fmt.Stringer", "", []string{"fmt.Stringer(nil)", "fmt.Stringer(K$m{})"}},
	} {
		for _, made := range []string{"var m map[%s]int", "m := map[%s]int{}", "m := map[%s]int{" + m.entry + "}"} {
			for _, key := range m.keys {
				list = append(list, place{fmt.Sprintf(made, m.key) + " with " + key, fmt.Sprintf(made, m.key), "m[key$m(" + key + ")]", "len(m)"})
			}
		}
	}
	return list
}

// Assignments returns a program of assignments and operations with places, keys and operands that
// panic. A statement in which a place other than an element of a map and an operand both panic is
// not in it: which of them is first is not specified.
func Assignments() string {
	var body strings.Builder
	count := 0
	add := func(p place, statement string) {
		if count%50 == 0 {
			fmt.Fprintf(&body, "}\nfunc part%d$m() {\n", count/50)
		}
		count++
		fmt.Fprintf(&body, "\tfunc() { z, neg := 0, -1; var np *N$m; var sn []int; _, _, _, _ = z, neg, np, sn; %s; defer func() { said$m(%q, recover(), %s, z) }(); %s }()\n",
			p.declare, p.name+": "+statement, p.state, statement)
	}
	for _, p := range panickingPlaces() {
		isMap := strings.HasPrefix(p.text, "m[key$m(") && strings.HasSuffix(p.text, ")]") && strings.Count(p.text, "key$m") == 1
		for _, op := range []string{"+", "-", "*", "/", "%", "&", "|", "^", "&^", "<<", ">>"} {
			add(p, p.text+" "+op+"= val$m(2)")
			if op == "/" || op == "%" {
				add(p, p.text+" "+op+"= z")
			}
			if op == "<<" || op == ">>" {
				add(p, p.text+" "+op+"= neg")
			}
			if isMap && strings.Contains("+/%|<<", op) {
				add(p, p.text+" "+op+"= np.n")
				add(p, p.text+" "+op+"= sn[9]")
				add(p, p.text+" "+op+"= boom$m()")
			}
		}
		add(p, p.text+"++")
		add(p, p.text+"--")
		add(p, p.text+" = val$m(2)")
		add(p, p.text+" = boom$m()")
		add(p, "z, "+p.text+" = val$m(1), val$m(2)")
		add(p, "_ = "+p.text)
		if isMap {
			add(p, p.text+" = np.n")
			add(p, p.text+", z = val$m(1), np.n")
			add(p, p.text+" = "+strings.Replace(p.text, "key$m", "", 1)+" + val$m(1)")
			add(p, "delete(m, "+strings.TrimSuffix(strings.TrimPrefix(p.text, "m["), "]")+")")
			for _, elem := range []string{"string: %s += \"a\"", "float64: %s /= 0", "complex128: %s /= complex(float64(z), 0)", "uint8: %s %%= uint8(z)", "[]int: %[1]s = append(%[1]s, val$m(1))"} {
				typ, statement, _ := strings.Cut(elem, ": ")
				other := p
				other.declare = strings.NewReplacer("]int{", "]"+typ+"{", ": 5}", ": *new("+typ+")}").Replace(p.declare)
				other.declare = strings.TrimSuffix(other.declare, "]int") + map[bool]string{true: "]" + typ}[strings.HasSuffix(p.declare, "]int")]
				add(other, fmt.Sprintf(statement, p.text))
			}
		}
	}
	var parts strings.Builder
	for i := range (count + 49) / 50 {
		fmt.Fprintf(&parts, "\tpart%d$m()\n", i)
	}
	text := `package main

import "fmt"

type sl$m []int
type S$m struct{ f any }
type K$m []int
func (K$m) String() string { return "K" }
type N$m struct{ n int; p *N$m; m map[any]int; s []int }
var order$m string
func key$m[T any](k T) T { order$m += "k"; return k }
func val$m(v int) int { order$m += "v"; return v }
func boom$m() int { order$m += "b"; panic("boom") }
func said$m(name string, r, state any, z int) {
	_, isError := r.(interface{ RuntimeError() })
	fmt.Println(name, "|", r, isError, state, z, order$m)
	order$m = ""
}
func none$m() {
` + body.String() + "}\nfunc run$m() {\n" + parts.String() + "}\n"
	return "// cells: 1\n" + strings.ReplaceAll(text, "$m", mark(0))
}
