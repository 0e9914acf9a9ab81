package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

// A writer writes random cells. The names that it may mention are those of the cells so far.
type writer struct {
	*rand.Rand
	n                                            int
	ints, slices, maps, structs, pointers, calls []string
}

// fresh returns a new name.
func (w *writer) fresh(prefix string) string {
	w.n++
	return fmt.Sprintf("%s%d", prefix, w.n)
}

// one returns one of a list, or the alternative if it is empty.
func (w *writer) one(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	return list[w.IntN(len(list))]
}

// number returns an expression of type int.
func (w *writer) number() string {
	switch w.IntN(7) {
	case 0:
		return w.one(w.ints, "3")
	case 1:
		return w.one(w.slices, "[]int{7}") + "[0]"
	case 2:
		return w.one(w.maps, "map[string]int{}") + `["k"]`
	case 3:
		return w.one(w.structs, "(P{N: 4})") + ".N"
	case 4:
		return w.one(w.calls, "len(\"ab\")")
	case 5:
		if len(w.pointers) > 0 {
			return w.one(w.pointers, "") + ".N"
		}
	}
	return fmt.Sprint(w.IntN(50))
}

// setup declares the types and functions that all notebooks have.
const setup = `type P struct { N int; S []int }
func (p *P) Add(n int) { p.N += n }
func (p P) Twice() int { return 2 * p.N }
type Adder interface { Add(int) }
func grow(xs []int, n int) { for i := range xs { xs[i] += n } }
func total(xs []int) (t int) { for _, x := range xs { t += x }; return }
func raise(a Adder, n int) { a.Add(n) }`

// cell returns the text of a cell.
func (w *writer) cell() string {
	var b strings.Builder
	for range 1 + w.IntN(2) {
		if w.IntN(22) < 10 {
			w.definition(&b)
		} else {
			w.change(&b)
		}
	}
	fmt.Fprintf(&b, "fmt.Println(%s)", w.one([]string{w.number(), w.one(w.slices, "0"), w.one(w.maps, "0"), w.one(w.structs, "0"), "total(" + w.one(w.slices, "nil") + ")", w.one(w.structs, "P{}") + ".Twice()"}, ""))
	return b.String()
}

// definition writes a statement or declaration that defines a name.
func (w *writer) definition(b *strings.Builder) {
	switch w.IntN(10) {
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
func (w *writer) change(b *strings.Builder) {
	switch 10 + w.IntN(12) {
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

// outputs runs a notebook and returns what each cell prints, by number.
func outputs(t *testing.T, n *nbformat.Notebook) map[int]string {
	t.Helper()
	// Errors of cells are part of the comparison.
	for _, c := range n.Cells {
		c.Metadata["tags"] = []any{"raises-exception"}
	}
	n.ClearOutputs()
	if err := run.Run(context.Background(), sessiontest.New(t), n, run.Options{}); err != nil {
		t.Fatal(err)
	}
	texts := map[int]string{}
	for i, c := range n.Cells {
		for _, o := range c.Outputs {
			if o.Name != "stderr" {
				texts[i+1] += o.Text + o.Evalue
			}
		}
	}
	return texts
}

// literal matches a character and the first digit of a number after it.
var literal = regexp.MustCompile(`[ ={(\[,][1-9]`)

// TestEveryChangedCellIsStale edits a number in one cell of random notebooks and runs them before
// and after. A cell that prints something else must be stale. Stale cells that print the same are
// counted: their share is bounded, since marks on everything would be right as well.
func TestEveryChangedCellIsStale(t *testing.T) {
	notebooks := 40
	if testing.Short() {
		notebooks = 10
	}
	packages := sessiontest.Packages(t)
	var changed, marked, cells int
	for seed := range notebooks {
		w := &writer{Rand: rand.New(rand.NewPCG(uint64(seed), 7))}
		n := nbformat.New()
		n.Add(nbformat.Code, setup)
		for range 14 {
			n.Add(nbformat.Code, w.cell())
		}
		before := outputs(t, n)
		edited := 1 + w.IntN(8)
		source := n.Cells[edited].Source
		at := literal.FindStringIndex(source)
		if at == nil {
			continue
		}
		n.Cells[edited].Source = source[:at[0]+1] + "9" + source[at[0]+1:]
		after := outputs(t, n)
		g := Build(n, packages)
		stale := g.Stale([]int{edited + 1}, true)
		for number := range n.Cells {
			number++
			if number <= edited+1 {
				continue
			}
			cells++
			isStale := slices.Contains(stale, number)
			differs := before[number] != after[number]
			if isStale {
				marked++
			}
			if differs {
				changed++
			}
			if differs && !isStale {
				t.Fatalf("seed %d: cell %d printed %q and prints %q after an edit of cell %d, and is not stale\n%s\n%v\n%s", seed, number, before[number], after[number], edited+1, texts(n), stale, g)
			}
		}
	}
	if changed == 0 || marked > 2*cells/3 {
		t.Errorf("of %d cells below edits, %d changed and %d are stale", cells, changed, marked)
	}
	t.Logf("%d cells below edits: %d changed, %d stale", cells, changed, marked)
}

// texts returns the cells with their numbers.
func texts(n *nbformat.Notebook) string {
	var b strings.Builder
	for i, c := range n.Cells {
		fmt.Fprintf(&b, "[%d]\n%s\n", i+1, c.Source)
	}
	return b.String()
}
