package main

// features are language operations that programs use together, measured like operations.
var features = []program{
	{"method of a pointer", shapes + "func (p *point) move(d int) { p.x += d; p.y -= d }", "p := &point{}; for i := 0; i < n; i++ { p.move(i) }; return p.x",
		"    p = point(0, 0)\n    for i in range(n):\n        p.move(i)\n", 100_000},
	{"generic function", "func larger[T int | float64](a, b T) T { if a > b { return a }; return b }", "s := 0; for i := 0; i < n; i++ { s = larger(s, i&7) }; return s",
		"    s = 0\n    for i in range(n):\n        s = larger(s, i & 7)\n", 100_000},
	{"type switch", shapes, "vs := []any{1, \"a\", point{1, 2}, 2.5}; s := 0; for i := 0; i < n; i++ { switch v := vs[i&3].(type) { case int: s += v; case string: s += len(v); case point: s += v.x; default: s++ } }; return s",
		"    vs = [1, 'a', point(1, 2), 2.5]\n    s = 0\n    for i in range(n):\n        v = vs[i & 3]\n        if isinstance(v, int):\n            s += v\n        elif isinstance(v, str):\n            s += len(v)\n        elif isinstance(v, point):\n            s += v.x\n        else:\n            s += 1\n", 100_000},
	{"map of structs", shapes, "m := map[int]point{}; for i := 0; i < n; i++ { p := m[i&255]; p.x += i; m[i&255] = p }; return len(m)",
		"    m = {}\n    for i in range(n):\n        p = m.get(i & 255)\n        if p is None:\n            p = point(0, 0)\n        m[i & 255] = point(p.x + i, p.y)\n", 100_000},
	{"rune of a string", "const text = \"naïve façade — five words\"", "s := 0; for i := 0; i < n; i += 25 { for _, r := range text { s += int(r) } }; return s",
		"    s = 0\n    for i in range(0, n, 25):\n        for r in 'naïve façade — five words':\n            s += ord(r)\n", 100_000},
	{"byte of a slice", "", "b := make([]byte, 4096); s := 0; for i := 0; i < n; i += 4096 { for j := range b { s += int(b[j]) ^ j } }; return s",
		"    b = bytearray(4096)\n    s = 0\n    for i in range(0, n, 4096):\n        for j in range(4096):\n            s += b[j] ^ j\n", 200_000},
	{"strings.Builder", "", "var b strings.Builder; for i := 0; i < n; i++ { b.WriteByte(byte('a' + i%26)); b.WriteString(\"xy\") }; return b.Len()",
		"    b = []\n    for i in range(n):\n        b.append(chr(97 + i % 26))\n        b.append('xy')\n    s = ''.join(b)\n", 100_000},
	{"value of an iterator", "func upTo(n int) func(func(int) bool) { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }", "s := 0; for i := range upTo(n) { s += i }; return s",
		"    s = 0\n    for i in upto(n):\n        s += i\n", 100_000},
	{"channel there and back", "", "a, b := make(chan int), make(chan int); go func() { for v := range a { b <- v + 1 }; close(b) }(); s := 0; for i := 0; i < n; i++ { a <- i; s += <-b }; close(a); return s", "", 5_000},
	{"JSON of a struct", "type record struct { Name string `json:\"name\"`; Values []int `json:\"values\"` }", "r := record{\"ab\", []int{1, 2, 3}}; s := 0; for i := 0; i < n; i++ { text, _ := json.Marshal(r); s += len(text) }; return s",
		"    s = 0\n    for i in range(n):\n        s += len(json.dumps({'name': 'ab', 'values': [1, 2, 3]}))\n", 5_000},
}

// classics are programs used by other comparisons of languages, each with its customary algorithm.
var classics = []program{
	{"spectral norm 60", "func spectral(i, j int) float64 { return 1 / float64((i+j)*(i+j+1)/2+i+1) }\n" +
		"func product(v, out []float64, transposed bool) { for i := range out { s := 0.0; for j := range v { if transposed { s += spectral(j, i) * v[j] } else { s += spectral(i, j) * v[j] } }; out[i] = s } }",
		"u, v, t := make([]float64, n), make([]float64, n), make([]float64, n); for i := range u { u[i] = 1 }; for i := 0; i < 3; i++ { product(u, t, false); product(t, v, true); product(v, t, false); product(t, u, true) }; a, b := 0.0, 0.0; for i := range u { a += u[i] * v[i]; b += v[i] * v[i] }; return int(math.Sqrt(a/b) * 1e9)",
		`    def entry(i, j):
        return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)
    def product(v, transposed):
        if transposed:
            return [sum(entry(j, i) * v[j] for j in range(n)) for i in range(n)]
        return [sum(entry(i, j) * v[j] for j in range(n)) for i in range(n)]
    u = [1.0] * n
    for i in range(3):
        v = product(product(u, False), True)
        u = product(product(v, False), True)
    s = math.sqrt(sum(a * b for a, b in zip(u, v)) / sum(b * b for b in v))
`, 60},
	{"n bodies, 500 steps", "type body struct { x, y, z, vx, vy, vz, mass float64 }\n" +
		"func advance(bs []body, dt float64) { for i := range bs { p := &bs[i]; for j := i + 1; j < len(bs); j++ { q := &bs[j]; dx, dy, dz := p.x-q.x, p.y-q.y, p.z-q.z; d := dx*dx + dy*dy + dz*dz; m := dt / (d * math.Sqrt(d)); p.vx -= dx * q.mass * m; p.vy -= dy * q.mass * m; p.vz -= dz * q.mass * m; q.vx += dx * p.mass * m; q.vy += dy * p.mass * m; q.vz += dz * p.mass * m } }; for i := range bs { p := &bs[i]; p.x += dt * p.vx; p.y += dt * p.vy; p.z += dt * p.vz } }",
		"bs := make([]body, 5); for i := range bs { f := float64(i + 1); bs[i] = body{f, f * 2, -f, 0.1 * f, 0.2, -0.05 * f, 1 / f} }; for i := 0; i < n; i++ { advance(bs, 0.001) }; return int(bs[0].x * 1e9)",
		`    bs = [[i, i * 2.0, -i, 0.1 * i, 0.2, -0.05 * i, 1.0 / i] for i in range(1, 6)]
    dt = 0.001
    for step in range(n):
        for i in range(5):
            p = bs[i]
            for j in range(i + 1, 5):
                q = bs[j]
                dx, dy, dz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
                d = dx * dx + dy * dy + dz * dz
                m = dt / (d * math.sqrt(d))
                p[3] -= dx * q[6] * m
                p[4] -= dy * q[6] * m
                p[5] -= dz * q[6] * m
                q[3] += dx * p[6] * m
                q[4] += dy * p[6] * m
                q[5] += dz * p[6] * m
        for p in bs:
            p[0] += dt * p[3]
            p[1] += dt * p[4]
            p[2] += dt * p[5]
`, 500},
	{"binary trees of depth 10", "type tree struct { left, right *tree }\nfunc grow(d int) *tree { if d == 0 { return &tree{} }; return &tree{grow(d - 1), grow(d - 1)} }\nfunc (t *tree) count() int { if t.left == nil { return 1 }; return 1 + t.left.count() + t.right.count() }",
		"s := 0; for i := 0; i < 4; i++ { s += grow(n).count() }; return s",
		`    def grow(d):
        if d == 0:
            return (None, None)
        return (grow(d - 1), grow(d - 1))
    def count(t):
        if t[0] is None:
            return 1
        return 1 + count(t[0]) + count(t[1])
    s = 0
    for i in range(4):
        s += count(grow(n))
`, 10},
	{"fannkuch 7", "", "p, q, c := make([]int, n), make([]int, n), make([]int, n); for i := range p { p[i] = i }; most, r := 0, n; for { for ; r != 1; r-- { c[r-1] = r }; if p[0] != 0 { copy(q, p); flips := 0; for k := q[0]; k != 0; k = q[0] { for i, j := 0, k; i < j; i, j = i+1, j-1 { q[i], q[j] = q[j], q[i] }; flips++ }; if flips > most { most = flips } }; for { if r == n { return most }; first := p[0]; for i := 0; i < r; i++ { p[i] = p[i+1] }; p[r] = first; c[r]--; if c[r] > 0 { break }; r++ } }",
		`    p = list(range(n))
    c = [0] * n
    most, r = 0, n
    while True:
        while r != 1:
            c[r - 1] = r
            r -= 1
        if p[0] != 0:
            q = p[:]
            flips = 0
            k = q[0]
            while k != 0:
                i, j = 0, k
                while i < j:
                    q[i], q[j] = q[j], q[i]
                    i += 1
                    j -= 1
                flips += 1
                k = q[0]
            most = max(most, flips)
        while True:
            if r == n:
                return most
            first = p[0]
            for i in range(r):
                p[i] = p[i + 1]
            p[r] = first
            c[r] -= 1
            if c[r] > 0:
                break
            r += 1
`, 7},
	{"Levenshtein 150", "func distance(a, b string) int { row := make([]int, len(b)+1); for j := range row { row[j] = j }; for i := 0; i < len(a); i++ { before := row[0]; row[0] = i + 1; for j := 0; j < len(b); j++ { cost := before; if a[i] != b[j] { cost++ }; before = row[j+1]; row[j+1] = min(cost, row[j]+1, before+1) } }; return row[len(b)] }",
		"a, b := strings.Repeat(\"kitten \", n/7+1), strings.Repeat(\"sitting\", n/7+1); return distance(a, b)",
		`    a, b = 'kitten ' * (n // 7 + 1), 'sitting' * (n // 7 + 1)
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        before = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            cost = before
            if a[i] != b[j]:
                cost += 1
            before = row[j + 1]
            row[j + 1] = min(cost, row[j] + 1, before + 1)
    s = row[len(b)]
`, 150},
}
