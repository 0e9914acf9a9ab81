package main

import (
	"fmt"
	"os"
	"strings"
)

// headersFile holds the crossing of the headers of Go's statements: every part present or left
// out, in every form, with every way to leave or capture what it declares.
const headersFile = "runtime/internal/testdata/headers.cells"

// writeHeaders writes the cases of the crossing, without what they show.
//
//	go run ./runtime/internal/testdata/generate -headers
func writeHeaders() error {
	var b strings.Builder
	crossings := []struct {
		name  string
		forms []string
	}{
		{"for statements", forHeaders()},
		{"if statements", ifHeaders()},
		{"expression switches", switchHeaders()},
		{"type switches", typeSwitchHeaders()},
		{"select statements", selectHeaders()},
		{"range statements", rangeHeaders()},
	}
	const perCase = 60
	for _, c := range crossings {
		for first := 0; first < len(c.forms); first += perCase {
			part := c.forms[first:min(first+perCase, len(c.forms))]
			fmt.Fprintf(&b, "=== headers of %s, from %d\n--- cell\n%s\n", c.name, first, preamble)
			var calls []string
			for i, form := range part {
				name := fmt.Sprintf("h%d", first+i)
				switch i % 3 {
				case 0: // a declared function
					fmt.Fprintf(&b, "func %s() {\n%s}\n", name, form)
					calls = append(calls, fmt.Sprintf("run(%d, %s)", first+i, name))
				case 1: // a literal
					calls = append(calls, fmt.Sprintf("run(%d, func() {\n%s})", first+i, form))
				default: // the body of a loop over a function
					calls = append(calls, fmt.Sprintf("run(%d, func() {\nfor range once {\n%s}\n})", first+i, form))
				}
			}
			b.WriteString(strings.Join(calls, "\n") + "\n--- output\n\n\n")
		}
	}
	return os.WriteFile(headersFile, []byte(b.String()), 0o644)
}

const preamble = `var out strings.Builder
var i, k, n int
var fs []func() int
var ps []*int
type box struct{ v int }
var bx *box
var xs []int
func note(values ...any) { fmt.Fprint(&out, values...); out.WriteByte(' ') }
func step(p *int) int { *p++; note("s"); return *p }
func below(x, y int) bool { note("c"); return x < y }
func set(p *int, x int) int { *p = x; note("i"); return x }
func once(yield func() bool) { yield() }
func run(number int, f func()) {
	out.Reset()
	i, k, n, fs, ps, bx, xs = 0, 0, 0, nil, nil, &box{}, []int{0, 0, 0}
	func() { defer func() { if r := recover(); r != nil { note("panic") } }(); f() }()
	for _, f := range fs { note("f", f()) }
	for _, p := range ps { note("p", *p) }
	fmt.Println(number, i, k, n, bx.v, xs, out.String())
}`

// bodies are what the body of a loop does besides going on. In each, I stands for the variable.
var bodies = []string{
	"note(I)\n",
	"if I == 1 { continue }\nnote(I)\n",
	"L1:\nfor j := 0; ; j++ { if j == 1 { continue LABEL }; if n > 3 { break LABEL }; continue L1 }\n",
	"fs = append(fs, func() int { I += 10; return I })\nnote(I)\n",
	"ps = append(ps, &I)\nif I == 2 { continue }\nnote(I)\n",
	"switch { case I == 1: continue LABEL; case I == 2: break; default: note(I) }\n",
	"func() { defer func() { recover(); note(\"r\") }(); if I == 1 { panic(I) }; note(I) }()\n",
	"select { default: if I == 2 { break LABEL }; note(I) }\n",
	"if n == 2 { goto again }\nnote(I)\nagain:\nnote(\"g\")\n",
}

func forHeaders() []string {
	inits := []struct{ text, variable string }{
		{"", "i"}, {"i := 0", "i"}, {"i = 0", "i"}, {"i, k := 0, 5", "i"}, {"i, k = 0, 5", "i"}, {"set(&i, 0)", "i"}, {"q := set(&i, 0)", "q"},
		{"bx.v = 0", "bx.v"}, {"xs[set(&k, 1)] = 0", "xs[1]"}, {"i--", "i"}, {"p := &i", "*p"}, {"q := (&box{})", "q.v"},
	}
	conditions := []string{"", "I < 3", "below(I, 3)", "I < 3 && below(I, 2)", "true"}
	posts := []string{"", "I++", "I = I + 1", "I, k = I+1, k+2", "step(&I)", "I, _ = step(&I), 1"}
	var list []string
	turn := 0
	for _, init := range inits {
		for _, condition := range conditions {
			for _, post := range posts {
				for number, body := range bodies {
					if turn++; number > 1 && turn%4 != 0 {
						continue
					}
					before := ""
					if strings.HasPrefix(init.text, "i, k :=") {
						before = "_ = k\n"
					}
					advance := ""
					if post == "" {
						advance = "I++\n"
					}
					label := ""
					if strings.Contains(body, "LABEL") {
						label = "outer:\n"
					}
					text := label + "for " + init.text + "; " + condition + "; " + post + " {\n" + before + "n++\nif n > 4 { break }\n" + advance + body + "}\nnote(\"end\")\n"
					text = strings.ReplaceAll(text, "LABEL", "outer")
					list = append(list, strings.ReplaceAll(text, "I", init.variable))
				}
			}
		}
	}
	// A goto back to the statement runs all of it again.
	for _, header := range []string{"i := 0; ; ", "i := set(&k, 2); i < 4; i++ ", "; ; ", "i = 0; ; i++ ", "i := range 3", "i := range xs", "i, k = range set3()"} {
		if strings.Contains(header, "set3") {
			header = strings.Replace(header, "set3()", "[]int{set(&n, n+1), 4}", 1)
		}
		list = append(list, "times := 0\nagain:\nfor "+header+" {\nnote(i)\ni++\nif i > 2 { break again }\nif i == 1 { continue again }\n}\ntimes++\nif times < 3 { goto again }\n")
	}
	return list
}

// simples are the statements that can stand before a semicolon in a header.
var simples = []string{"", ";", "x := step(&k);", "k = 2;", "step(&k);", "x, y := step(&k), step(&n);", "k, n = n+1, k;", "xs[step(&i)] = 7;", "k++;", "k += step(&n);",
	"x := &k;", "f := func() int { return step(&k) };", "_, x := xs[0], 3;", "x := any(k);"}

// uses makes what a header declares used.
func uses(simple string) string {
	left, _, ok := strings.Cut(simple, ":=")
	if !ok {
		return ""
	}
	text := ""
	for _, name := range strings.Split(left, ",") {
		if name = strings.TrimSpace(name); name != "_" {
			text += "_ = " + name + "\n"
		}
	}
	if strings.HasPrefix(simple, "f :=") {
		text += "note(f())\n"
	}
	if strings.HasPrefix(simple, "x := step") {
		text += "fs = append(fs, func() int { x++; return x })\n"
	}
	return text
}

// leaves are the ways out of a clause of a statement that stands in a loop with label outer.
var leaves = []string{"note(\"a\")\n", "continue outer\n", "break outer\n", "if n == 0 { n++; continue }\nnote(\"b\")\n", "goto done\n", "return\n"}

// inLoop puts a statement into a loop of a few turns.
func inLoop(statement string) string {
	done := ""
	if strings.Contains(statement, "goto done") {
		done = "done:\n"
	}
	text := "turns := 0\nouter:\nfor {\nturns++\nif turns > 3 { break outer }\n" + statement + "note(\"t\")\n}\n" + done + "note(\"end\")\n"
	if !strings.Contains(text, "continue outer") && !strings.Contains(text, "break outer") {
		text = strings.Replace(text, "outer:\n", "", 1)
	}
	return text
}

func ifHeaders() []string {
	var list []string
	elses := []string{"", " else { note(\"e\"); LEAVE }", " else if k == 1 { note(\"f\") } else { note(\"g\"); LEAVE }", " else if y := step(&n); y > 1 { note(\"h\", y) }",
		" else if step(&i); i > 1 { LEAVE } else { note(\"j\") }", " else if ; k > 1 { note(\"k\") }"}
	for s, simple := range simples {
		for c, condition := range []string{"k > 0", "below(k, 2)", "k == 1 || below(n, 1)", "!(n > 0)"} {
			for o, other := range elses {
				leave := leaves[(s+c+o)%len(leaves)]
				body := uses(simple) + leaves[(s+2*c+o)%len(leaves)]
				used := ""
				if uses(simple) != "" && !strings.HasPrefix(simple, "f") {
					used = uses(simple)
				}
				list = append(list, inLoop("if "+simple+" "+condition+" {\n"+body+"}"+strings.ReplaceAll(other, "LEAVE", used+leave)+"\n"))
			}
		}
	}
	return list
}

func switchHeaders() []string {
	var list []string
	tags := []string{"", "k", "step(&n)", "2", "any(k)", "true", "below(k, 2)", "[2]int{k, 1}", "bx", "fmt.Sprint(k)"}
	values := map[string][2]string{"": {"k == 1", "below(k, 3)"}, "k": {"1", "step(&i)"}, "step(&n)": {"1", "k + 1"}, "2": {"k", "1, 2"}, "any(k)": {"1", "int8(1), step(&i)"},
		"true": {"k == 1", "below(k, 3), n > 1"}, "below(k, 2)": {"true", "k > 5"}, "[2]int{k, 1}": {"[2]int{1, 1}", "[2]int{2, 1}"}, "bx": {"nil", "bx"}, "fmt.Sprint(k)": {"\"1\"", "\"0\", \"2\""}}
	for s, simple := range simples {
		for t, tag := range tags {
			for shape := range 7 {
				if s > 4 && (s+t+shape)%3 != 0 {
					continue
				}
				a, b := leaves[(s+t+shape)%len(leaves)], leaves[(s+2*t+3*shape)%len(leaves)]
				if shape == 3 || shape == 5 {
					a = strings.Replace(a, "note(\"a\")\n", "if k == 1 { break }\nnote(\"c\")\n", 1)
				}
				first, second := "case "+values[tag][0]+":\n"+a, "case "+values[tag][1]+":\nnote(\"v\")\n"+b
				clauses := [][]string{{}, {"default:\n" + a}, {first, second}, {first, "default:\nnote(\"d\")\n" + b}, {"default:\nnote(\"d\")\n", first, second},
					{"case " + values[tag][0] + ":\nnote(\"x\")\nfallthrough\n", "default:\nnote(\"d\")\n" + b, second}, {second, "case " + values[tag][0] + ":\n"}}[shape]
				header := "switch " + simple + " " + tag + " {\n"
				used := uses(simple)
				if used != "" {
					if len(clauses) == 0 {
						continue // what it declares would not be used
					}
					clauses = append([]string(nil), clauses...)
					place := len(clauses) - 1
					if i := strings.Index(clauses[place], ":\n"); i >= 0 {
						clauses[place] = clauses[place][:i+2] + used + clauses[place][i+2:]
					}
				}
				list = append(list, inLoop(header+strings.Join(clauses, "")+"}\n"))
			}
		}
	}
	return list
}

func typeSwitchHeaders() []string {
	var list []string
	for s, simple := range simples {
		for v, value := range []string{"any(k)", "[]any{nil, \"a\", 2, bx}[k%4]", "error(nil)", "func() any { step(&n); return k }()"} {
			for shape := range 6 {
				binds := (s+v+shape)%2 == 0
				variable, use := "", ""
				if binds {
					variable, use = "v := ", "note(v == nil)\n"
				}
				a, b := leaves[(s+v+shape)%len(leaves)], leaves[(s+2*v+shape+1)%len(leaves)]
				clauses := []string{"", "default:\n" + use + a, "case interface{ Do() }:\n" + use + a + "default:\nnote(\"d\")\n" + b,
					"default:\n" + b + "case nil:\n" + use + "note(\"nil\")\n" + a, "case nil, error:\n" + use + a + "case interface{ A() }, fmt.Stringer:\nif k > 0 { break }\nnote(\"c\")\n" + b,
					"case nil:\n" + use + "default:\n" + use + "if k == 1 { break }\n" + a}[shape]
				used := uses(simple)
				if used != "" || shape == 0 && binds {
					if shape == 0 {
						continue
					}
					i := strings.Index(clauses, ":\n")
					clauses = clauses[:i+2] + used + clauses[i+2:]
				}
				list = append(list, inLoop("switch "+simple+" "+variable+value+".(type) {\n"+clauses+"}\n"))
			}
		}
	}
	return list
}

func selectHeaders() []string {
	communications := []string{"<-ready", "x := <-ready", "x, ok := <-ready", "k = <-ready", "xs[step(&i)%3], flag = <-ready", "_ = <-ready", "_, flag = <-ready", "_, ok := <-ready",
		"full <- step(&k)", "<-closed", "x, ok := <-closed", "k, _ = <-closed", "bx.v = <-ready", "x := <-func() chan int { note(\"o\"); return ready }()", "(<-ready)"}
	var list []string
	for c, communication := range communications {
		for shape := range 5 {
			used := uses(communication)
			if strings.HasPrefix(communication, "x") && strings.Contains(communication, ":=") {
				used += "fs = append(fs, func() int { x++; return x })\n"
			}
			a, b := leaves[(c+shape)%len(leaves)], leaves[(c+2*shape+1)%len(leaves)]
			if shape == 3 {
				a = "if turns == 2 { break }\nnote(\"c\")\n"
			}
			clause := "case " + communication + ":\n" + used + a
			clauses := []string{clause, clause + "default:\n" + b, "default:\nnote(\"d\")\n" + clause, clause + "case <-never:\n", "case never <- step(&n):\n" + b + clause}[shape]
			blocks := "ready, full, closed, flag := make(chan int, 9), make(chan int, 9), make(chan int), false\nvar never chan int\n_, _, _, _, _ = ready, full, closed, flag, never\nclose(closed)\nfor j := range 9 { ready <- j + 5 }\n"
			text := inLoop("select {\n" + clauses + "}\n")
			list = append(list, strings.Replace(blocks+text, "done:\n", "done:\nnote(len(ready), len(full))\n", 1))
		}
	}
	list = append(list, inLoop("select { default: }\n"), inLoop("select { default: break }\n"), inLoop("select { default: continue outer }\n"))
	for i := range list {
		if strings.Contains(list[i], "goto done") { // which must not jump over declarations
			list[i] = "{\n" + list[i] + "}\n"
		}
	}
	return list
}

func rangeHeaders() []string {
	operands := []struct {
		text   string
		values int // how many variables there can be
		key    string
	}{
		{"3", 1, "int"}, {"xs", 2, "int"}, {"[]int{4, set(&k, 5)}", 2, "int"}, {"[3]int{1, 2, 3}", 2, "int"}, {"&[2]int{7, 8}", 2, "int"}, {"map[int]int{3: 4}", 2, "int"},
		{"func(yield func() bool) { for j := 0; j < 3 && yield(); j++ { note(\"y\") } }", 0, ""}, {"func(yield func(int) bool) { for j := 0; j < 3 && yield(j); j++ { note(\"y\") } }", 1, "int"},
		{"func(yield func(int, int) bool) { for j := 0; j < 3 && yield(j, j*2); j++ { } }", 2, "int"}, {"len(xs)", 1, "int"}, {"set(&k, 2)", 1, "int"}, {"[]int(nil)", 2, "int"},
		{"channel(3)", 1, "int"}, {"\"a\\xffé\"", 2, "int"},
	}
	var list []string
	for o, operand := range operands {
		text := strings.ReplaceAll(operand.text, "channel(3)", "func() chan int { c := make(chan int, 3); c <- 1; c <- 2; close(c); return c }()")
		forms := []struct{ text, variable string }{{"", "n"}}
		if operand.values > 0 {
			forms = append(forms, []struct{ text, variable string }{{"i := ", "i"}, {"i = ", "i"}, {"_ = ", "n"}, {"xs[set(&k, 1)] = ", "xs[1]"}, {"bx.v = ", "bx.v"}}...)
		}
		if operand.values > 1 {
			second := []struct{ text, variable string }{{"i, k := ", "i"}, {"i, k = ", "i"}, {"_, i = ", "i"}, {"i, _ = ", "i"}, {"_, _ = ", "n"}, {"_, q := ", "q"}, {"i, xs[i%2] = ", "i"}, {"bx.v, i = ", "i"}}
			if strings.HasPrefix(operand.text, "\"") {
				second = []struct{ text, variable string }{{"i, r := ", "i"}, {"_, r := ", "r"}, {"i, _ := ", "i"}}
			}
			forms = append(forms, second...)
		}
		for f, form := range forms {
			for number, body := range bodies {
				if number > 1 && (o+f+number)%3 != 0 {
					continue
				}
				before := ""
				for _, name := range []string{"i, k :=", "i, r :=", "_, r :=", "_, q :="} {
					if strings.HasPrefix(form.text, name) {
						before = "_ = " + string(name[3]) + "\n"
					}
				}
				if strings.Contains(form.text, ":=") && strings.HasPrefix(form.text, "i") {
					before += "_ = i\n"
				}
				if form.variable == "r" {
					body = strings.NewReplacer("func() int { I += 10; return I }", "func() int { I += 10; return int(I) }", "ps = append(ps, &I)\n", "").Replace(body)
				}
				label := ""
				if strings.Contains(body, "LABEL") {
					label = "outer:\n"
				}
				statement := label + "for " + form.text + "range " + text + " {\n" + before + "n++\nif n > 6 { break }\n" + body + "}\nnote(\"end\")\n"
				statement = strings.ReplaceAll(statement, "LABEL", "outer")
				list = append(list, strings.ReplaceAll(statement, "I", form.variable))
			}
		}
	}
	return list
}
