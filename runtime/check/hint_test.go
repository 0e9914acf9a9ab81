package check_test

import (
	"errors"
	"testing"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

func TestTypeErrorsTellWhatToWrite(t *testing.T) {
	cases := []struct{ source, hint string }{
		{"x = 5", "a new variable is declared with := , as in x := ..."},
		{"lmit = 5", "did you mean limit? A new variable is declared with := , as in lmit := ..."},
		{"fmt.Println(lisst)", "did you mean list?"},
		{"y := later + 1\nlater := 2", "later is declared below, in line 2: statements run from top to bottom"},
		{"Println(1)", "did you mean fmt.Println?"},
		{"fmt.Prinln(1)", "did you mean fmt.Println?"},
		{"strngs.ToUpper(text)", "did you mean strings?"},
		{"wholly.Unknown()", "no package of this name is preloaded, and no cell that has run declares wholly"},
		{"message.Subject", "no cell that has run declares message, and the package golang.org/x/text/message has other names"},
		{"T{Nmae: text}", "did you mean Name?"},
		{"T{Absent: 1}", "its fields are n, Name"},
		{"image.Point{Z: 1}", "its fields are X, Y"},
		{"[]*image.Point{{Z: 1}}", "its fields are X, Y"},
		{"tar.Header{Zebra: 1}", ""}, // has too many fields for a line
		{"list.GroupBy(1)", "groups are a map of slices: for _, v := range list { groups[v.Key] = append(groups[v.Key], v) }"},
		{"slices.Sum(list)", "write floats.Sum(xs) for []float64, or a loop"},
		{"T{}.Gett()", "did you mean T{}.Get?"},
		{"text.upper()", "package strings has it: strings.ToUpper(text)"},
		{"list.push(3)", "append gives a new slice: list = append(list, ...)"},
		{"float64(n) * n", "convert one of them: float64(n) * float64(n)"},
		{"n * 1.5", "convert the other side: float64(n) * 1.5"},
		{"\"n = \" + n", "convert to text: \"n = \" + fmt.Sprint(n)"},
		{"time.Sleep(n * time.Second)", "convert: time.Duration(n) * time.Second"},
		{"n = two()", "n, err := two()"},
		{"two() + 1", "must(two()) is its result without the error; or assign its results first: a, err := two()"},
		{"1 < n < 3", "compare twice: 1 < n && n < 3"},
		{"list[-1]", "counting from the end: list[len(list)-1]"},
		{"text[0] = 'a'", "texts cannot be changed; take a copy: b := []byte(text); b[i] = ...; string(b)"},
		{"limit = 3", "limit is a constant; declare it with var or := to change it"},
		{"var s string = any1", "take it out with an assertion: any1.(string)"},
		{"import \"json\"", "did you mean \"encoding/json\"?"},
		{"import \"github.com/a/b\"", "write %require github.com/a/b@latest in a line above the import"},
		{"import \"github.com/go-gota/gota/dataframe\"", "write %require github.com/go-gota/gota@latest in a line above the import"},
		{"import \"./helpers\"", "a folder is imported by its path from the notebook's folder, as in import \"./helpers\""},
		{"fmt.Println(math.MaxUint64)", "the value does not fit; uint64 holds it: uint64(math.MaxUint64)"},
		{"x := 1 << 64", "no integer type holds the value; float64(1 << 64) rounds it, and big.Int of math/big has any number of digits"},
		{"var u uint8 = 300", "the value does not fit; int and int64 hold it: int64(300)"},
		{"var u uint8 = -1", "the value does not fit; int and int64 hold it: int64(-1)"},
		{"none(two())", "two has 2 results; assign them first: a, err := two()"},
		{"one := func(x int) {}; one(two())", "two has 2 results; assign them first: a, err := two()"},
		{"return 1", "a cell returns nothing; its last expression is shown"},
		{"none(1)", "it is declared as none()"},
		{"type G struct{}\nfunc (G) Read[B any](b B) (int, error) { return 0, nil }\nvar r io.Reader = G{}", "a method with type parameters implements no method of an interface: declare Read without them, and give the one with them another name"},
		{"type G struct{}\nfunc (G) Two[A, B any]() (a A, b B) { return }\nG{}.Two()", "name the type argument: G{}.Two[int, ...](...)"},
		{"type G struct{}\nfunc (G) One[A any]() (a A) { return }\none := G.One", "name the type argument: G.One[int]"},
		{"type G[T any] struct{}\nfunc (G[T]) One[T any]() {}", "the receiver has a type parameter T already: give this one another name"},
		{"type A struct{ Identity int }\ntype B struct{ A }\nB{Identty: 1}", "did you mean Identity?"},
		{"type A struct{ ID int }\ntype B struct{ *A }\nB{ID: 1}", "make the struct that A points to: A: &A{ID: ...}"},
		{"type A struct{ ID int }\ntype C struct{ A }\ntype D struct{ ID int }\ntype B struct{ A; D }\n[]*B{{ID: 1}}", "A and D have a field ID: set it in one of them, A: A{ID: ...}"},
		{"type A struct{ ID, N int }\ntype B struct{ A }\nB{A: A{1, 2}, N: 1}", "set N in the value of A, A: A{N: ...}, or set all fields of A by keys of their own"},
		{"true && nil", ""},
	}
	for _, c := range cases {
		s := check.NewSession(store(t))
		mustCheck(t, s, 1, beforeMistakes)
		_, err := checkCell(s, 2, c.source)
		var list cell.Errors
		if !errors.As(err, &list) {
			t.Errorf("%q: %v, want errors of a cell", c.source, err)
			continue
		}
		if list[0].Hint != c.hint {
			t.Errorf("%q (%s): hint %q, want %q", c.source, list[0].Message, list[0].Hint, c.hint)
		}
	}
}

func TestHintsSeeLocalNames(t *testing.T) {
	s := check.NewSession(store(t))
	_, err := checkCell(s, 1, "func f(counter int) int {\n\tif counter > 0 {\n\t\tremaining := counter\n\t\treturn remainng\n\t}\n\treturn conter\n}")
	var list cell.Errors
	if !errors.As(err, &list) || len(list) < 2 {
		t.Fatalf("got %v, want two errors", err)
	}
	hints := map[string]bool{}
	for _, e := range list {
		hints[e.Hint] = true
	}
	if !hints["did you mean remaining?"] || !hints["did you mean counter?"] {
		t.Errorf("hints %v", hints)
	}
}
