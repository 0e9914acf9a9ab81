package formula

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// x and two are parts of many formulas below.
var (
	x   = Letter{Text: "x"}
	two = Number{Text: "2"}
)

func TestFormulasBecomeTrees(t *testing.T) {
	for text, want := range map[string]Node{
		``:                         Row{},
		` x ~ `:                    x,
		`{{x}}`:                    x,
		`x2`:                       Row{x, two},
		`3.14.`:                    Row{Number{Text: "3.14"}, Sign(".")},
		`.5`:                       Row{Sign("."), Number{Text: "5"}},
		`a-b*c`:                    Row{Letter{Text: "a"}, Sign("−"), Letter{Text: "b"}, Sign("∗"), Letter{Text: "c"}},
		`x_2`:                      Scripted{Base: x, Below: two},
		`x^22`:                     Row{Scripted{Base: x, Above: two}, two},
		`x^{22}`:                   Scripted{Base: x, Above: Number{Text: "22"}},
		`x'^2`:                     Scripted{Base: x, Above: Row{Sign("′"), two}},
		`x''_2`:                    Scripted{Base: x, Below: two, Above: Sign("′′")},
		`_2`:                       Scripted{Base: Row{}, Below: two},
		`\sum_2`:                   Scripted{Base: Large("∑"), Below: two, Limits: true},
		`\sum\nolimits_2`:          Scripted{Base: Large("∑"), Below: two},
		`\int_2`:                   Scripted{Base: Large("∫"), Below: two},
		`\int\limits_2`:            Scripted{Base: Large("∫"), Below: two, Limits: true},
		`\max_x`:                   Scripted{Base: Function("max"), Below: x, Limits: true},
		`\log_2`:                   Scripted{Base: Function("log"), Below: two},
		`\underbrace{x}_2`:         Scripted{Base: Accent{Name: "underbrace", Sign: "⏟", Over: x, Below: true, Grows: true}, Below: two, Limits: true},
		`\alpha x`:                 Row{Letter{Text: "α"}, x},
		`\mathrm{KL}`:              Letter{"KL", Upright},
		`\mathrm KL`:               Row{Letter{"K", Upright}, Letter{Text: "L"}},
		`\mathbf{x 2}`:             Row{Letter{"x", Bold}, Number{"2", Bold}},
		`\boldsymbol\mu`:           Letter{"μ", BoldItalic},
		`\mathbf{x\mathrm d}`:      Row{Letter{"x", Bold}, Letter{"d", Upright}},
		`\frac x2`:                 Fraction{Above: x, Below: two},
		`\tfrac{x}{2}`:             Fraction{Above: x, Below: two, Size: "text"},
		`\binom x 2`:               Fraction{Above: x, Below: two, Binomial: true},
		`\sqrt[2]{x}`:              Root{two, x},
		`\sqrt x`:                  Root{Under: x},
		`\hat{x}`:                  Accent{Name: "hat", Sign: "^", Over: x},
		`\text{if  \{x \}}`:        Words("if  {x }"),
		`\text{5 \$ }`:             Words("5 $ "),
		`\text{a}\textbf{$x$}`:     Row{Words("a"), x},
		`\mathbf{\text{if $x$}}`:   Row{Words("if "), x},
		`\text{if $x$ }`:           Row{Words("if "), x, Words(" ")},
		`\operatorname*{arg\,max}`: Name("arg\u2009max"),
		`\left( x \right]`:         Fenced{"(", "]", x},
		`\left. x \right\|`:        Fenced{"", "‖", x},
		`\Bigl\{`:                  Bracket{"{", 1.8},
		`x\quad x\!`:               Row{x, Space(1), x, Space(-0.167)},
		`\overset{2}{x}`:           Stacked{Base: x, Above: two},
		`\underset{2}{x}`:          Stacked{Base: x, Below: two},
		`\not=`:                    Negated{Sign("=")},
		`\phantom{x}`:              Phantom{x},
		`\begin{cases} x & 2 \\ 2 \\ \end{cases}`:                           Table{"cases", "{", "", [][]Node{{x, two}, {two}}},
		`\begin{array}{cc} x & {2 & 2} \end{array}`:                         nil,
		`\begin{matrix} \begin{matrix} x & 2 \end{matrix} & 2 \end{matrix}`: Table{Name: "matrix", Rows: [][]Node{{Table{Name: "matrix", Rows: [][]Node{{x, two}}}, two}}},
	} {
		got, err := Parse(text)
		if want == nil {
			if err == nil {
				t.Errorf("%s is read as %#v", text, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %#v, %v\nwant %#v", text, got, err, want)
		}
	}
}

func TestWhatIsNotKnownOrMissingIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`\unheard x`:               `\unheard is not known`,
		`\é`:                       `\é is not known`,
		`\`:                        `\ is not known`,
		`{x`:                       `} is missing`,
		`x}`:                       `} is not expected`,
		`a & b`:                    `& is not expected`,
		`100 %`:                    `% is not expected`,
		`x$y`:                      `$ is not expected`,
		`\frac{1}`:                 `an argument is missing`,
		`x_`:                       `an argument is missing`,
		`x^_`:                      `an argument is missing`,
		`\hat^2`:                   `an argument is missing`,
		`x_1_2`:                    `two indices or two exponents`,
		`x^1^2`:                    `two indices or two exponents`,
		`x^2'`:                     `two indices or two exponents`,
		`\sqrt[3 x`:                `] is missing`,
		`\left( x`:                 `\right is missing`,
		`\left( x \right`:          `a bracket is missing`,
		`\left\alpha x \right)`:    `\alpha is no bracket`,
		`\text x`:                  `{ is missing`,
		`\text{x`:                  `} is missing`,
		`\begin{tikz}`:             `\begin{tikz} is not known`,
		`\begin{matrix} a`:         `\end{matrix} is missing`,
		strings.Repeat("{", 200):   `nested too deeply`,
		strings.Repeat(`\hat`, 99): `an argument is missing`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// No command has two meanings, and none is shadowed by another table.
func TestEveryCommandHasOneMeaning(t *testing.T) {
	seen := map[string]string{}
	note := func(table string, names any) {
		for _, key := range reflect.ValueOf(names).MapKeys() {
			if other := seen[key.String()]; other != "" {
				t.Errorf(`\%s is in %s and in %s`, key, other, table)
			}
			seen[key.String()] = table
		}
	}
	note("letters", letters)
	note("signs", signs)
	note("large", large)
	note("spaces", spaces)
	note("functions", functions)
	note("accents", accents)
	note("fonts", fonts)
	note("sizes", sizes)
	for name := range seen {
		if strings.ContainsAny(name, "{}") {
			continue
		}
		if strings.HasSuffix(seen[name], "sizes") { // of brackets
			continue
		}
		for _, text := range []string{`\` + name + ` x`, `\` + name + `{x}`, `\` + name + `(x`} {
			if _, err := Parse(text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// walk visits each part of a tree.
func walk(tree Node, visit func(Node)) {
	visit(tree)
	value := reflect.ValueOf(tree)
	var into func(reflect.Value)
	into = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Slice:
			for i := range v.Len() {
				into(v.Index(i))
			}
		case reflect.Interface:
			if piece, ok := v.Interface().(Node); ok {
				walk(piece, visit)
			}
		}
	}
	switch value.Kind() {
	case reflect.Slice:
		into(value)
	case reflect.Struct:
		for i := range value.NumField() {
			into(value.Field(i))
		}
	}
}

// FuzzParse checks that formulas are rejected or become trees without nil parts, whose rows do not
// have one part.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`\frac{1}{2}`, `\begin{cases} a & b \\ c \end{cases}`, `x_1^{2'}`, `\left\{ \hat{x} \right.`, `\not=`, `\`, "x\x00\xff",
		`\begin{matrix}\begin{matrix}\end{matrix}\end{matrix}`, `\sqrt[\sqrt[3]{x}]{y}`, `\mathrm{a\mathbf{b}c}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text)
		if err != nil {
			if tree, again := Parse(text); again == nil || again.Error() != err.Error() {
				t.Errorf("%q: %v, and then %v, %v", text, err, tree, again)
			}
			return
		}
		if tree == nil {
			t.Fatalf("%q is nothing", text)
		}
		walk(tree, func(piece Node) {
			switch n := piece.(type) {
			case Row:
				if len(n) == 1 {
					t.Errorf("%q: a row of one piece in %s", text, fmt.Sprintf("%#v", tree))
				}
			case Scripted:
				if n.Base == nil || n.Below == nil && n.Above == nil {
					t.Errorf("%q: %#v", text, n)
				}
			}
		})
	})
}
