package difference

import (
	"fmt"
	"strings"
)

// adapters writes iterators that are made from each other, among them some that go on when the loop
// has ended, and loops over them that are left in all ways.
func (g *generator) adapters() string {
	t := g.basicType()
	names := make([]string, 4)
	for i := range names {
		names[i] = g.name("it")
	}
	var b strings.Builder
	b.WriteString("\t{\n")
	for i, name := range names {
		b.WriteString("\t" + g.adapter(t, name, names[:i]) + "\t_ = " + name + "\n")
	}
	seq := names[len(names)-1] + "(" + fmt.Sprint(1+g.n(3)) + ")"
	b.WriteString(g.fill(`	func() {
		defer func() {
			if r := recover(); r != nil {
				fmt.Println(§, "recovered", r)
			}
		}()
		fmt.Println(func() (out $t, n int) {
			outer:
			for x, i := range $seq {
				n++
				if i == $a {
					$leave
				}
				out = x
				add := func(d int) int { n += d; return n }
				for y, j := range $other(2) {
					if i+j == $b {
						$inner
					}
					_ = y
					add(j)
				}
				if add(i) > 400 { break outer }
			}
			return out, n
		}())
	}()
`, "$t", t.text, "$seq", seq, "$other", names[g.n(len(names))], "$a", fmt.Sprint(g.n(3)), "$b", fmt.Sprint(g.n(4)),
		"$leave", pick(g, []string{"break", "continue", "return x, -i", "continue outer", "break outer", "i += 10", "panic(i)"}),
		"$inner", pick(g, []string{"break", "continue", "return y, j", "continue outer", "break outer", "j += 10", "panic(fmt.Sprint(j))"})))
	b.WriteString("\t}\n")
	return b.String()
}

// adapter writes a function that returns an iterator over values and their numbers, which may use
// the iterators of others.
func (g *generator) adapter(t *typ, name string, others []string) string {
	bodies := []string{
		"for i := 0; i < n; i++ {\n\t\t\tif !yield($v, i) { return }\n\t\t}",
		"for i := range n {\n\t\t\tif i != 1 && !yield($v, i) { return }\n\t\t\tn--\n\t\t}",
		"i := 0\n\t\tfor i < n {\n\t\t\tif !yield($v, i) { break }\n\t\t\ti++\n\t\t}\n\t\tif i > 1 { yield($w, -1) }",
		"_ = yield($v, 0) && yield($w, n) && yield($v, 2)",
		"for i := range n {\n\t\t\tyield($v, i)\n\t\t}",
		"once := func(i int) bool { return yield($v, i) }\n\t\t_ = once(0) && once(n)",
		"defer fmt.Println(§, n)\n\t\tif yield($v, 0) { yield($w, 1) }",
	}
	if len(others) > 0 {
		bodies = append(bodies,
			"for x, i := range $o(n) {\n\t\t\tif i != 0 && !yield(x, i+n) { return }\n\t\t}",
			"for x, i := range $o(n) {\n\t\t\tif !yield(x, i) { break }\n\t\t}\n\t\tfor x, i := range $p(1) {\n\t\t\tif !yield(x, 20+i) { return }\n\t\t}",
			"for _, i := range $o(n) {\n\t\t\tfor y, j := range $p(2) {\n\t\t\t\tif !yield(y, 10*i+j) { return }\n\t\t\t}\n\t\t}",
			"$o(n)(yield)",
			"seq := $o(n)\n\t\tseq(yield)\n\t\tseq(yield)",
			"$o(n)(func(x $t, i int) bool { return yield(x, i+1) })",
			"func() {\n\t\t\tdefer func() { fmt.Println(§, recover()) }()\n\t\t\tfor x, i := range $o(n) {\n\t\t\t\tif !yield(x, i) { return }\n\t\t\t}\n\t\t}()",
		)
	}
	body, o, p := pick(g, bodies), "", ""
	if len(others) > 0 {
		o, p = pick(g, others), pick(g, others)
	}
	text := "$name := func(n int) iter.Seq2[$t, int] {\n\t\treturn func(yield func($t, int) bool) {\n\t\t" + body + "\n\t}\n\t}\n"
	return g.fill(text, "$name", name, "$o", o, "$p", p, "$t", t.text, "$v", g.literal(t, 0), "$w", g.literal(t, 0))
}
