package difference

import "fmt"

// declareConstrained writes generic functions and types with nontrivial constraints.
func (g *generator) declareConstrained() {
	g.constrained = g.top("k")
	g.declared.WriteString(g.fill(`type Number$k interface { ~int | ~int8 | ~uint8 | ~int32 | ~int64 | ~uint64 | ~float64 }
type Texts$k interface { comparable; fmt.Stringer }
type Setter$k[T any] interface { *T; Set(int); Get() int }
type Cell$k struct { n int }
func (c *Cell$k) Set(n int) { c.n = n * 2 }
func (c *Cell$k) Get() int { return c.n }
type Level$k int8
func (l Level$k) String() string { return fmt.Sprintf("level(%d)", int8(l)) }
type Node$k[K cmp.Ordered, V any] struct { Key K; Value V; left, right *Node$k[K, V] }
func (n *Node$k[K, V]) Put(k K, v V) *Node$k[K, V] {
	switch {
	case n == nil: return &Node$k[K, V]{Key: k, Value: v}
	case k < n.Key: n.left = n.left.Put(k, v)
	case k > n.Key: n.right = n.right.Put(k, v)
	default: n.Value = v
	}
	return n
}
func (n *Node$k[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { n.walk(yield) }
}
func (n *Node$k[K, V]) walk(yield func(K, V) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.Key, n.Value) && n.right.walk(yield)
}
type Set$k[T comparable] map[T]struct{}
func (s Set$k[T]) Add(x ...T) Set$k[T] { for _, v := range x { s[v] = struct{}{} }; return s }
func (s Set$k[T]) Has(x T) bool { _, ok := s[x]; return ok }
type Ring$k[T any] struct { Set$k[string]; items [3]T; at int }
func (r *Ring$k[T]) Put(x T) (old T) { r.at = (r.at + 1) % len(r.items); old, r.items[r.at] = r.items[r.at], x; return }
func sum$k[T Number$k](xs ...T) (total T) { for _, x := range xs { total += x }; return }
func scale$k[S ~[]T, T Number$k](xs S, by T) S { out := make(S, 0, len(xs)); for _, x := range xs { out = append(out, x * by) }; return out }
func fold$k[T, A any](xs []T, start A, f func(A, T) A) A { for _, x := range xs { start = f(start, x) }; return start }
func texts$k[T Texts$k](xs []T) (out []string) { for i, x := range xs { if i > 0 && x == xs[i-1] { continue }; out = append(out, x.String()) }; return }
func made$k[T any, P Setter$k[T]](n int) T { var x T; P(&x).Set(n); P(&x).Set(P(&x).Get() + 1); return x }
func keys$k[M ~map[K]V, K cmp.Ordered, V any](m M) []K { return slices.Sorted(maps.Keys(m)) }
func kind$k[T any](x T) string {
	switch any(x).(type) {
	case int, int8: return "small"
	case []T: return "list"
	case fmt.Stringer: return "texts"
	case string: return "string"
	}
	return fmt.Sprintf("%T", x)
}
func zero$k[T comparable](x T) bool { var z T; return x == z }
func pairs$k[K comparable, V any](ks []K, vs []V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { for i, k := range ks { if i >= len(vs) || !yield(k, vs[i]) { return } } }
}
func pull$k[T any](seq iter.Seq[T], n int) (out []T) {
	next, stop := iter.Pull(seq)
	defer stop()
	for range n { x, ok := next(); if !ok { break }; out = append(out, x) }
	return
}
`, "$k", g.constrained))
}

// constrainedUse writes calls of generic functions with constraints.
func (g *generator) constrainedUse() string {
	if g.constrained == "" {
		return ""
	}
	t, u := g.valueType(1), g.basicType()
	for !t.comparable() || t.kind == pointerKind {
		t = g.basicType()
	}
	n := pick(g, []string{"int", "int8", "uint8", "float64", "int64", "Level$k", "uint64", "rune"})
	text := pick(g, []string{
		"xs := []$n{1, 100, 27}\n\tfmt.Println(§, sum$k(xs...), sum$k[$n](), scale$k(xs, 3))\n\tfmt.Printf(\"%T %v\\n\", sum$k(xs[0]), fold$k(xs, \"\", func(a string, x $n) string { return fmt.Sprint(x, a) }))",
		"type list []$n\n\tfmt.Printf(\"§ %T %v\\n\", scale$k(list{1, 2}, 50), scale$k(list{}, 1) == nil)",
		"fmt.Println(§, texts$k([]Level$k{1, 1, 2, 1}), kind$k(Level$k(1)), kind$k($v), kind$k([]$t{$v}), kind$k(any(3)), kind$k[any](nil), kind$k[error](nil))",
		"c := made$k[Cell$k](4)\n\tfmt.Printf(\"§ %v %+v %T\\n\", c, c, c)",
		"var tree *Node$k[string, $t]\n\tfor i, k := range []string{\"m\", \"c\", \"x\", \"a\", \"c\"} {\n\t\tif i == 3 { tree = tree.Put(k, $w); continue }\n\t\ttree = tree.Put(k, $v)\n\t}\n\tfor k, v := range tree.All() {\n\t\tif k == \"x\" { break }\n\t\tfmt.Println(§, k, v)\n\t}\n\tfmt.Printf(\"%T %v\\n\", tree, tree.left.right == nil)",
		"s := Set$k[$t]{}.Add($v, $w)\n\tfmt.Println(§, s.Has($w), len(s) > 0)\n\tfmt.Printf(\"%T\\n\", s)",
		"r := Ring$k[$t]{Set$k: Set$k[string]{}}\n\tr.Add(\"a\")\n\told := r.Put($v)\n\tcopied := r\n\tr.Put($w)\n\tr.Add(\"b\")\n\tfmt.Println(§, old, r.items, copied.items, r.Has(\"b\"), copied.Has(\"b\"), r.at)",
		"fmt.Println(§, keys$k(map[string]$t{\"b\": $v, \"a\": $w}), zero$k($v), zero$k(\"\"), zero$k([2]int{}), zero$k(struct{ X any }{}))",
		"for k, v := range pairs$k([]$t{$v, $w, $v}, []$u{$x, $x}) {\n\t\tfmt.Println(§, k, v)\n\t}\n\tfmt.Println(pull$k(slices.Values([]$u{$x, $x, $x}), 2), pull$k(maps.Keys(map[int]int{4: 1}), 3))",
		"f := fold$k[int, $t]\n\tfmt.Printf(\"§ %T %v\\n\", f, f([]int{1, 2}, $v, func(a $t, n int) $t { if n > 1 { return $w }; return a }))",
		"var g func($t) string = kind$k\n\tfs := []func(int) bool{zero$k[int], zero$k[int]}\n\tfmt.Println(§, g($v), fs[0](0), fs[1](1))",
	})
	text = g.fill(text, "$n", n, "$t", t.text, "$u", u.text, "$v", g.literal(t, 1), "$w", g.literal(t, 1), "$x", g.literal(u, 0))
	return "\t{\n\t" + g.fill(text, "$k", g.constrained) + "\n\t}\n"
}

// numbers writes constants, shifts, conversions and overflows.
func (g *generator) numbers() string {
	t := g.basicType()
	for !t.integer() {
		t = g.basicType()
	}
	u := pick(g, []*typ{byteType, runeType, basic("int16", intKind, 16), basic("uint64", uintKind, 64), intType})
	text := pick(g, []string{
		"const big = 1 << 70\n\tconst third, c = 1.0 / 3, 'a' + 1.0\n\tvar f float32 = third\n\tfmt.Println(§, big>>68, big/3>>60, c, f, float64(f) == third, third*3 == 1, len(\"héé\"), 7/2*2.0, -7/2, 1<<3.0)\n\tfmt.Printf(\"%T %T %T %T\\n\", c, third, 'a'*2, 2i*2i)",
		"x, s := $t($v), uint($n)\n\tfmt.Println(§, x<<s, x>>s, x<<(s*16), x>>(s*16), 1<<s, $t(1)<<s, ^x, -x, x&^3)\n\tx <<= s\n\tx += $t(1) << s\n\tx ^= x >> 1\n\tfmt.Println(x, $u(x), $u(x)<<s>>s, int8(x), uint16(x), float32($u(x)))",
		"x, y := $t($v), $t($w)|1\n\tfmt.Println(§, x/y, x%y, x*y, x-y, x+y, x/y*y+x%y == x, -x/y, x > y, x&y|x^y)\n\tx++\n\ty--\n\tx *= x\n\tfmt.Println(x, y, min(x, y, 3), max(x, 2))",
		"s := \"a\\xffé日\\U0001F600\"\n\tbs, rs := []byte(s), []rune(s)\n\tbs[0]++\n\trs[1] = $r\n\tfor i, r := range s[1:] { fmt.Print(i, \":\", r, \" \") }\n\tfor i := range bs { if i > 2 { break }; fmt.Print(s[i], bs[i]^s[i], \" \") }\n\tfmt.Println(§, len(s), len(rs), string(rs), string(bs[:3]) == s[:3], string(rs[2:3])+s[2:4], strings.Compare(s, string(bs)), s > \"a\", string(rune($t(65)%7+65)))\n\tfmt.Printf(\"%q %x %+q %v\\n\", s, s, rs, bs[1:3])",
		"a, b := complex(float64($t($v)%9), 2), complex64(1-2i)\n\ta *= complex128(b)\n\ta -= 1i\n\tfmt.Println(§, a, b*b, real(a)+float64(imag(b)), a == complex(real(a), imag(a)), a/(2-1i), -b, a != 0)\n\tfmt.Printf(\"%.2f %T %v\\n\", a, imag(b), []complex64{b, 1i})",
		"zero, nan := 0.0, math.NaN()\n\tinf, minus := 1/zero, -zero\n\tm := map[float64]int{nan: 1, inf: 2, zero: 3}\n\tm[nan]++\n\tm[minus]++\n\tfmt.Println(§, len(m), m[0], m[nan], nan == nan, nan < 1, inf > 1e308, min(nan, 1), max(minus, 0), 1/math.Copysign(0, -1), int64(math.Trunc(-2.7)))\n\tclear(m)\n\tfmt.Println(len(m), math.Float32bits(0.1), math.MaxInt64, uint64(math.MaxUint64), math.MinInt64, math.Pi*1e3)",
		"type bits$l uint8\n\tconst (\n\t\tA bits$l = 1 << iota\n\t\t_\n\t\tB\n\t\tC = B | A\n\t)\n\tx := A | B<<1\n\tx &^= A\n\tx |= C\n\tfmt.Printf(\"§ %08b %d %T %v %v\\n\", x, C, B, x&A != 0, ^x)\n\tfor i := range bits$l(3) { x += i; x-- }\n\tfmt.Println(x, [...]string{A: \"a\", B: \"b\"}, bits$l(255)+x)",
		"xs := [...]$t{2: $v, 0: $w}\n\tys := xs\n\tys[1]--\n\tpx := &xs\n\tfor i, x := range px { px[2-i] += x }\n\tfor i := range len(px) { ys[i] ^= px[i] }\n\tfmt.Println(§, xs, ys, xs == ys, len(px), cap(px[:2]), xs != [3]$t{})",
	})
	return "\t{\n\t" + g.fill(text, "$t", t.text, "$u", u.text, "$v", g.literal(t, 0), "$w", g.literal(t, 0), "$n", fmt.Sprint(g.n(5)),
		"$r", g.literal(runeType, 0), "$l", g.name("")) + "\n\t}\n"
}
