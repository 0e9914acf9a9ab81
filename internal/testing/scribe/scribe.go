// Package scribe writes random cells that define, use and change each other's variables: numbers,
// slices that share memory, maps, structs, pointers, and functions with effects. Tests compare what
// package graph says of them with what they do.
package scribe

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A Writer writes random cells. The names that it may mention are those of the cells so far.
type Writer struct {
	*rand.Rand
	n int

	ints, slices, maps, structs, pointers, calls []string

	parts, lists, tables []string // pointers to fields, slices of structs, maps of pointers to structs
}

// fresh returns a new name.
func (w *Writer) fresh(prefix string) string {
	w.n++
	return fmt.Sprintf("%s%d", prefix, w.n)
}

// one returns one of a list, or the alternative if it is empty.
func (w *Writer) one(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return list[w.IntN(len(list))]
}

// number returns an expression of type int.
func (w *Writer) number() string {
	switch w.IntN(11) {
	case 0:
		return w.one(w.ints, "3")
	case 1:
		return w.one(w.slices, "[]int{7}") + "[0]"
	case 2:
		return w.one(w.maps, "map[string]int{}") + `["k"]`
	case 3, 4, 5:
		return w.one(w.structs, "(P{N: 4})") + w.field()
	case 6:
		return w.one(w.calls, "len(\"ab\")")
	case 7:
		if len(w.pointers) > 0 {
			return w.one(w.pointers, "") + w.field()
		}
	case 8:
		if len(w.parts) > 0 {
			return "*" + w.one(w.parts, "")
		}
	case 9:
		if len(w.lists) > 0 {
			return w.one(w.lists, "") + "[0]" + w.field()
		}
	case 10:
		if len(w.tables) > 0 {
			return w.one(w.tables, "") + `["k"]` + w.field()
		}
	}
	return fmt.Sprint(w.IntN(50))
}

// field returns a selector of a number in a P.
func (w *Writer) field() string {
	return w.one([]string{".N", ".M", ".In.A", ".In.B", ".A", ".Twice()", ".In.Sum()"}, "")
}

// assignable returns a selector of a number in a P that can be assigned to.
func (w *Writer) assignable() string { return w.one([]string{".N", ".M", ".In.A", ".In.B", ".A"}, "") }

// Setup declares the types and functions that all notebooks have.
const Setup = `type Q struct { A, B int }
func (q *Q) Bump(n int) { q.B += n }
func (q Q) Sum() int { return q.A + q.B }
type E struct { A int }
type P struct { N, M int; S []int; In Q; E }
func (p *P) Add(n int) { p.N += n }
func (p P) Twice() int { return 2 * p.N }
func (p *P) Move() { p.M, p.In.A = p.In.A, p.M }
type Adder interface { Add(int) }
func grow(xs []int, n int) { for i := range xs { xs[i] += n } }
func total(xs []int) (t int) { for _, x := range xs { t += x }; return }
func raise(a Adder, n int) { a.Add(n) }`

// Cell returns the text of a cell.
func (w *Writer) Cell() string {
	var b strings.Builder
	for range 1 + w.IntN(2) {
		if w.IntN(34) < 16 {
			w.definition(&b)
		} else {
			w.change(&b)
		}
	}
	fmt.Fprintf(&b, "fmt.Println(%s)", w.one([]string{w.number(), w.one(w.slices, "0"), w.one(w.maps, "0"), w.one(w.structs, "0"), "total(" + w.one(w.slices, "nil") + ")", w.one(w.structs, "P{}") + ".Twice()"}, ""))
	return b.String()
}

// definition writes a statement or declaration that defines a name.
func (w *Writer) definition(b *strings.Builder) {
	switch w.IntN(16) {
	case 10, 11:
		name := w.fresh("p")
		fmt.Fprintf(b, "%s := P{N: %s, M: %s, In: Q{%s, %s}}\n", name, w.number(), w.number(), w.number(), w.number())
		w.structs = append(w.structs, name)
	case 12:
		if len(w.structs) > 0 {
			name := w.fresh("a")
			fmt.Fprintf(b, "%s := &%s%s\n", name, w.one(w.structs, ""), w.assignable())
			w.parts = append(w.parts, name)
		}
	case 13:
		name := w.fresh("l")
		fmt.Fprintf(b, "%s := []P{%s, {N: %s}}\n", name, w.one(w.structs, "{M: 3}"), w.number())
		w.lists = append(w.lists, name)
	case 14:
		name := w.fresh("t")
		fmt.Fprintf(b, "%s := map[string]*P{\"k\": %s}\n", name, w.one(w.pointers, "{M: 6}"))
		w.tables = append(w.tables, name)
	case 15:
		if len(w.structs) > 0 {
			name := w.fresh("g")
			fmt.Fprintf(b, "%s := func() int { %s%s++; return %s }\n", name, w.one(w.structs, ""), w.assignable(), w.number())
			w.calls = append(w.calls, name+"()")
		}
	case 0, 1:
		name := w.fresh("i")
		fmt.Fprintf(b, "%s := %s\n", name, w.number())
		w.ints = append(w.ints, name)
	case 2:
		name := w.fresh("s")
		fmt.Fprintf(b, "%s := []int{%s, %s}\n", name, w.number(), w.number())
		w.slices = append(w.slices, name)
	case 3:
		name := w.fresh("s")
		fmt.Fprintf(b, "%s := %s[:1]\n", name, w.one(w.slices, "[]int{1, 2}"))
		w.slices = append(w.slices, name)
	case 4:
		name := w.fresh("m")
		fmt.Fprintf(b, "%s := map[string]int{\"k\": %s}\n", name, w.number())
		w.maps = append(w.maps, name)
	case 5:
		name := w.fresh("p")
		fmt.Fprintf(b, "%s := P{N: %s, S: %s}\n", name, w.number(), w.one(w.slices, "nil"))
		w.structs = append(w.structs, name)
	case 6:
		name := w.fresh("q")
		fmt.Fprintf(b, "%s := &%s\n", name, w.one(w.structs, "P{N: 5}"))
		w.pointers = append(w.pointers, name)
	case 7:
		name := w.fresh("f")
		fmt.Fprintf(b, "func %s() int { return %s + %s }\n", name, w.number(), w.number())
		w.calls = append(w.calls, name+"()")
	case 8:
		if len(w.ints) > 0 {
			name := w.fresh("f")
			fmt.Fprintf(b, "func %s() int { %s++; return %s }\n", name, w.one(w.ints, ""), w.number())
			w.calls = append(w.calls, name+"()")
		}
	case 9:
		if len(w.ints) > 0 {
			name := w.fresh("g")
			fmt.Fprintf(b, "%s := func() int { %s += 2; return %s }\n", name, w.one(w.ints, ""), w.number())
			w.calls = append(w.calls, name+"()")
		}
	}
}

// change writes a statement that may change variables.
func (w *Writer) change(b *strings.Builder) {
	switch 10 + w.IntN(18) {
	case 22, 23:
		if len(w.structs) > 0 {
			fmt.Fprintf(b, "%s%s %s %s\n", w.one(w.structs, ""), w.assignable(), w.one([]string{"=", "+="}, ""), w.number())
		}
	case 24:
		if len(w.structs) > 0 {
			fmt.Fprintf(b, "%s.%s\n", w.one(w.structs, ""), w.one([]string{"In.Bump(" + w.number() + ")", "Move()", "In = Q{" + w.number() + ", 1}", "S = append([]int{}, " + w.number() + ")"}, ""))
		}
	case 25:
		if len(w.parts) > 0 {
			fmt.Fprintf(b, "*%s %s %s\n", w.one(w.parts, ""), w.one([]string{"=", "+="}, ""), w.number())
		}
	case 26:
		if len(w.lists) > 0 {
			fmt.Fprintf(b, "%s[0]%s += %s\n", w.one(w.lists, ""), w.assignable(), w.number())
		}
	case 27:
		if len(w.tables) > 0 {
			fmt.Fprintf(b, "%s[\"k\"]%s = %s\n", w.one(w.tables, ""), w.assignable(), w.number())
		}
	case 10, 11:
		if len(w.ints) > 0 {
			fmt.Fprintf(b, "%s %s %s\n", w.one(w.ints, ""), w.one([]string{"=", "+=", "-="}, ""), w.number())
		}
	case 12:
		fmt.Fprintf(b, "%s[0] = %s\n", w.one(w.slices, "[]int{1}"), w.number())
	case 13:
		if len(w.maps) > 0 {
			fmt.Fprintf(b, "%s[\"k\"] += %s\n", w.one(w.maps, ""), w.number())
		}
	case 14:
		if len(w.structs) > 0 {
			fmt.Fprintf(b, "%s.%s\n", w.one(w.structs, ""), w.one([]string{"Add(" + w.number() + ")", "N = " + w.number()}, ""))
		}
	case 15:
		if len(w.pointers) > 0 {
			fmt.Fprintf(b, "%s\n", w.one([]string{w.one(w.pointers, "") + ".N++", w.one(w.pointers, "") + ".Add(" + w.number() + ")", "raise(" + w.one(w.pointers, "") + ", " + w.number() + ")"}, ""))
		}
	case 16:
		fmt.Fprintf(b, "grow(%s, %s)\n", w.one(w.slices, "nil"), w.number())
	case 17:
		fmt.Fprintf(b, "slices.Sort(%s)\n", w.one(w.slices, "[]int{2, 1}"))
	case 18:
		if len(w.slices) > 1 {
			fmt.Fprintf(b, "%s = %s\n", w.one(w.slices, ""), w.one(w.slices, ""))
		}
	case 19:
		if len(w.structs) > 0 {
			fmt.Fprintf(b, "if len(%s.S) > 0 { %[1]s.S[0] = %s }\n", w.one(w.structs, ""), w.number())
		}
	case 20:
		if len(w.ints) > 0 {
			fmt.Fprintf(b, "for i := range 3 { if i > 1 { %s = %s } }\n", w.one(w.ints, ""), w.number())
		}
	case 21:
		if len(w.pointers) > 0 && len(w.structs) > 0 {
			fmt.Fprintf(b, "%s = &%s\n", w.one(w.pointers, ""), w.one(w.structs, ""))
		}
	}
}

// New returns a writer. Writers with one seed write the same cells.
func New(seed uint64) *Writer { return &Writer{Rand: rand.New(rand.NewPCG(seed, 7))} }

// Values returns expressions for the values of the variables that the cells so far define,
// functions excepted.
func (w *Writer) Values() (list []string) {
	for _, names := range [][]string{w.ints, w.slices, w.maps, w.structs, w.lists} {
		list = append(list, names...)
	}
	for _, p := range slices.Concat(w.pointers, w.parts) {
		list = append(list, "*"+p)
	}
	for _, t := range w.tables {
		list = append(list, "*"+t+`["k"]`)
	}
	return list
}

// literal matches a character and the first digit of a number after it.
var literal = regexp.MustCompile(`[ ={(\[,][1-9]`)

// Edit changes a number in a cell and reports whether it has one.
func (w *Writer) Edit(source string) (edited string, ok bool) {
	all := literal.FindAllStringIndex(source, -1)
	if all == nil {
		return source, false
	}
	at := all[w.IntN(len(all))]
	return source[:at[0]+1] + fmt.Sprint(1+w.IntN(8)) + source[at[0]+1:], true
}
