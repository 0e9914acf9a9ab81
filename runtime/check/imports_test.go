package check_test

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/runtime/check"
)

// importsOf formats the imports of a checked cell.
func importsOf(c *check.Checked) string {
	var parts []string
	for _, i := range c.Imports {
		text := fmt.Sprintf("%s=%s", i.Name, i.Path)
		if i.Added {
			text += "+"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestImports(t *testing.T) {
	cases := map[string][]step{
		"stated, used and added": {
			{"import \"fmt\"\nfmt.Println(strings.ToUpper(\"a\"))", "fmt=fmt strings=strings+"},
			{"strings.ToLower(fmt.Sprint())", "fmt=fmt strings=strings"},
			{"import \"os\"", "os=os"},
			{"1", ""},
		},
		"repeated and renamed": {
			{"import \"fmt\"\nimport \"fmt\"\nimport (\n\tf \"fmt\"\n\t\"math/rand\"\n)", "f=fmt fmt=fmt rand=math/rand"},
			{"func roll() int { return rand.Intn(6) }", "rand=math/rand"},
			{"import rand \"math/rand/v2\"", "rand=math/rand/v2"},
			{"rand.IntN(1) + roll()", "rand=math/rand/v2"},
			{"rand.Intn(1)", "error: Cell [5]:1:6: undefined: rand.Intn (but have IntN)"},
			{"import . \"math\"\nSqrt(16)", ".=math"},
			{"Sqrt(16) + Pi", ".=math"},
			{"import _ \"no/such\"", "error: Cell [8]:1:10: could not import no/such (it is not preloaded; there are the standard library and the modules that %modules lists)"},
		},
		"names of the user win": {
			{"import \"strings\"", "strings=strings"},
			{"strings := strings.Split(\"a b\", \" \")\nlen(strings)", "strings=strings"},
			{"strings.ToUpper(\"a\")", "error: Cell [3]:1:9: strings.ToUpper undefined (type []string has no field or method ToUpper)"},
			{"import \"strings\"\nstrings.ToUpper(\"a\")", "strings=strings"},
			{"sort := 3\nsort.Ints(nil)", "error: Cell [5]:2:6: sort.Ints undefined (type int has no field or method Ints)"},
			{"func sort() {}\nsort.Ints(nil)", "error: Cell [6]:2:6: sort.Ints undefined (type func() has no field or method Ints)"},
			{"func f(sort struct{ n int }) int { return sort.n }", ""},
			{"sort.Ints(nil)", "sort=sort+"},
			{"unknown.F()", "error: Cell [9]:1:1: undefined: unknown"},
			{"message.Subject", "error: Cell [10]:1:1: undefined: message"}, // and not golang.org/x/text/message
			{"mat.NewDence(1, 1, nil)", "error: Cell [11]:1:5: undefined: mat.NewDence"},
		},
		"functions keep the package that a variable hides": {
			{"import \"strings\"\nfunc up(s string) string { return strings.ToUpper(s) + suffix() }\nfunc suffix() string { return \"!\" }", "strings=strings"},
			{"strings := 1\nfunc suffix() string { return fmt.Sprint(strings) }", "fmt=fmt+ strings=strings"},
			{"up(\"a\")", ""},
			{"func suffix() string { return \"?\" }", "strings=strings"},
		},
		"the best guess": {
			{"rand.Intn(3)", "rand=math/rand+"},
			{"x := rand.New(rand.NewSource(1))\nx.Intn(2)", "rand=math/rand"},
		},
		"the guess that has everything": {
			{"rand.Intn(3)", "rand=math/rand+"},
			{"func roll() int { return rand.Intn(6) + bonus() }\nfunc bonus() int { return 0 }", "rand=math/rand"},
			{"rand.New(rand.NewPCG(1, 2)).IntN(3)", "rand=math/rand/v2+"},
			{"rand.IntN(3)", "rand=math/rand/v2"},
			{"func bonus() int { return 1 }", "rand=math/rand"},
			{"roll() + rand.N(2)", "rand=math/rand/v2"},
			{"rand.Intn(3) + rand.IntN(3)", "error: Cell [7]:1:6: undefined: rand.Intn (but have IntN)"},
			{"template.HTML(\"x\")", "template=html/template+"},
			{"rand.Intn(4)", "rand=math/rand+"},
		},
		"dot imports give way": {
			{"import . \"strings\"\nfunc up() string { return ToUpper(\"a\") }", ".=strings"},
			{"func ToUpper(s string) string { return s }", ""},
			{"ToUpper(\"a\") + up()", ""},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			s := check.NewSession(store(t))
			for i, step := range steps {
				got := ""
				checked, err := checkCell(s, i+1, step.source)
				if err != nil {
					got = "error: " + err.Error()
				} else {
					got = importsOf(checked)
				}
				if got != step.want {
					t.Errorf("cell %d\n%s\ngot  %s\nwant %s", i+1, step.source, got, step.want)
				}
			}
		})
	}
}
