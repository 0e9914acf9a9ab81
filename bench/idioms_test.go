package main

// idioms are programs in the style of larger ones: iterators, deferred calls, interfaces,
// callbacks from compiled packages, goroutines and texts.
var idioms = []program{
	{"iterators 1e5", "func numbers(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }\n" +
		"func apply(in iter.Seq[int], f func(int) int) iter.Seq[int] { return func(yield func(int) bool) { for v := range in { if !yield(f(v)) { return } } } }\n" +
		"func only(in iter.Seq[int], ok func(int) bool) iter.Seq[int] { return func(yield func(int) bool) { for v := range in { if ok(v) && !yield(v) { return } } } }",
		"s := 0; for v := range only(apply(numbers(n), func(v int) int { return v * v % 997 }), func(v int) bool { return v&3 != 0 }) { s += v }; return s",
		`    def apply(values, f):
        for v in values:
            yield f(v)
    def only(values, ok):
        for v in values:
            if ok(v):
                yield v
    s = 0
    for v in only(apply(upto(n), lambda v: v * v % 997), lambda v: v & 3 != 0):
        s += v
`, 100_000},
	{"deferred Unlock 3e4", "type counter struct { mu sync.Mutex; n int }\nfunc (c *counter) add(k int) int { c.mu.Lock(); defer c.mu.Unlock(); c.n += k; return c.n }",
		"c := &counter{}; s := 0; for i := 0; i < n; i++ { s += c.add(i) & 7 }; return s",
		`    import threading
    class counter:
        def __init__(self):
            self.mu, self.n = threading.Lock(), 0
        def add(self, k):
            with self.mu:
                self.n += k
                return self.n
    c = counter()
    s = 0
    for i in range(n):
        s += c.add(i) & 7
`, 30_000},
	{"deferred closures 3e4", "type gauge struct { level, most int }\nfunc (g *gauge) leave() { g.level-- }\nfunc walk(g *gauge, depth int) (n int) { g.level++; defer g.leave(); defer func() { n += g.level }(); g.most = max(g.most, g.level); if depth > 0 { n = walk(g, depth-1) }; return n }",
		"g := &gauge{}; s := 0; for i := 0; i < n/10; i++ { s += walk(g, 9) }; return s + g.most", "", 30_000},
	{"recovered panic 5e3", "func quotient(a, b int) (q int, err error) { defer func() { if r := recover(); r != nil { err = errDivision } }(); return a / b, nil }\nvar errDivision = errors.New(\"division\")",
		"s := 0; for i := 0; i < n; i++ { q, err := quotient(i, i%4); if err != nil { q = 1 }; s += q }; return s",
		`    def quotient(a, b):
        try:
            return a // b
        except ZeroDivisionError:
            return 1
    s = 0
    for i in range(n):
        s += quotient(i, i % 4)
`, 5_000},
	{"shortest paths, container/heap", "type place struct{ node, far int }\ntype queue []place\nfunc (q queue) Len() int { return len(q) }\nfunc (q queue) Less(i, j int) bool { return q[i].far < q[j].far }\nfunc (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }\n" +
		"func (q *queue) Push(x any) { *q = append(*q, x.(place)) }\nfunc (q *queue) Pop() any { last := len(*q) - 1; x := (*q)[last]; *q = (*q)[:last]; return x }\ntype road struct{ to, length int }",
		"roads := make([][]road, n); seed := uint32(7); for i := range roads { for k := 0; k < 4; k++ { seed = seed*1664525 + 1013904223; roads[i] = append(roads[i], road{int(seed>>9) % n, 1 + int(seed>>22)}) } }; " +
			"far := make([]int, n); for i := range far { far[i] = math.MaxInt }; far[0] = 0; q := &queue{{0, 0}}; for q.Len() > 0 { p := heap.Pop(q).(place); if p.far > far[p.node] { continue }; for _, r := range roads[p.node] { if d := p.far + r.length; d < far[r.to] { far[r.to] = d; heap.Push(q, place{r.to, d}) } } }; " +
			"s := 0; for _, d := range far { if d < math.MaxInt { s += d } }; return s",
		`    import heapq
    seed = 7
    roads = []
    for i in range(n):
        out = []
        for k in range(4):
            seed = (seed * 1664525 + 1013904223) & 0xffffffff
            out.append(((seed >> 9) % n, 1 + (seed >> 22)))
        roads.append(out)
    far = [1 << 62] * n
    far[0] = 0
    q = [(0, 0)]
    while q:
        d, node = heapq.heappop(q)
        if d > far[node]:
            continue
        for to, length in roads[node]:
            if d + length < far[to]:
                far[to] = d + length
                heapq.heappush(q, (d + length, to))
    s = sum(d for d in far if d < 1 << 62)
`, 2_000},
	{"figures behind an interface", "type figure interface { area() float64; grow(k float64) }\ntype square struct{ a float64 }\ntype disc struct{ r float64 }\ntype ring struct{ in, out float64 }\n" +
		"func (s *square) area() float64 { return s.a * s.a }\nfunc (s *square) grow(k float64) { s.a *= k }\nfunc (d *disc) area() float64 { return 3.14159 * d.r * d.r }\nfunc (d *disc) grow(k float64) { d.r *= k }\nfunc (r *ring) area() float64 { return 3.14159 * (r.out*r.out - r.in*r.in) }\nfunc (r *ring) grow(k float64) { r.in *= k; r.out *= k }",
		"var all []figure; for i := 0; i < 300; i++ { f := float64(i); switch i % 3 { case 0: all = append(all, &square{f}); case 1: all = append(all, &disc{f}); default: all = append(all, &ring{f, f + 1}) } }; s := 0.0; for i := 0; i < n; i++ { for _, f := range all { s += f.area(); if i%50 == 7 { f.grow(0.9) } } }; return int(s)",
		`    class square:
        def __init__(self, a): self.a = a
        def area(self): return self.a * self.a
        def grow(self, k): self.a *= k
    class disc:
        def __init__(self, r): self.r = r
        def area(self): return 3.14159 * self.r * self.r
        def grow(self, k): self.r *= k
    class ring:
        def __init__(self, a, b): self.a, self.b = a, b
        def area(self): return 3.14159 * (self.b * self.b - self.a * self.a)
        def grow(self, k):
            self.a *= k
            self.b *= k
    made = [lambda f: square(f), lambda f: disc(f), lambda f: ring(f, f + 1)]
    figures = [made[i % 3](float(i)) for i in range(300)]
    s = 0.0
    for i in range(n):
        for f in figures:
            s += f.area()
            if i % 50 == 7:
                f.grow(0.9)
`, 300},
	{"sort.Slice of structs 6e3", "type person struct { name string; age int }\n" + people,
		"list := people(n); sort.Slice(list, func(i, j int) bool { if list[i].age != list[j].age { return list[i].age < list[j].age }; return list[i].name < list[j].name }); return list[n/2].age",
		pythonPeople + "    list.sort(key=lambda p: (p[1], p[0]))\n", 6_000},
	{"slices.SortFunc of structs 6e3", "type person struct { name string; age int }\n" + people,
		"list := people(n); slices.SortFunc(list, func(a, b person) int { if a.age != b.age { return a.age - b.age }; return strings.Compare(a.name, b.name) }); return list[n/2].age",
		pythonPeople + "    list.sort(key=lambda p: (p[1], p[0]))\n", 6_000},
	{"sieve of channels", "func send(n int, out chan<- int) { for i := 2; i < n; i++ { out <- i }; close(out) }\nfunc sift(p int, in <-chan int, out chan<- int) { for v := range in { if v%p != 0 { out <- v } }; close(out) }",
		"c := make(chan int); go send(n, c); found := 0; for { p, ok := <-c; if !ok { return found }; found++; next := make(chan int); go sift(p, c, next); c = next }",
		`    def sift(p, values):
        for v in values:
            if v % p != 0:
                yield v
    values = iter(range(2, n))
    found = 0
    while True:
        p = next(values, None)
        if p is None:
            break
        found += 1
        values = sift(p, values)
`, 1_200},
	{"workers and a mutex", "", "jobs := make(chan int, 16); var wg sync.WaitGroup; var mu sync.Mutex; s := 0; for w := 0; w < 4; w++ { wg.Add(1); go func() { defer wg.Done(); for j := range jobs { k := j * j % 11; mu.Lock(); s += k; mu.Unlock() } }() }; for i := 0; i < n; i++ { jobs <- i }; close(jobs); wg.Wait(); return s",
		"", 10_000},
	{"select of two channels", "", "a, b, quit := make(chan int), make(chan int), make(chan bool); go func() { for i := 0; i < n; i++ { if i&1 == 0 { a <- i } else { b <- i } }; close(quit) }(); s := 0; for { select { case v := <-a: s += v; case v := <-b: s -= v; case <-quit: return s } }",
		"", 5_000},
	{"text by appending", "func line(i int) string { s := \"\"; for k := 0; k < 12; k++ { s += string(rune('a' + (i+k)%26)); s += \" \" }; return s }",
		"text := \"\"; for i := 0; i < n; i++ { text += line(i); text += \"\\n\" }; return len(text)",
		`    def line(i):
        s = ''
        for k in range(12):
            s += chr(97 + (i + k) % 26)
            s += ' '
        return s
    text = ''
    for i in range(n):
        text += line(i)
        text += '\n'
`, 500},
}

const people = `func people(n int) []person { list := make([]person, n); seed := uint32(5); for i := range list { seed = seed*1664525 + 1013904223; list[i] = person{"p" + strconv.Itoa(int(seed>>12)%5000), int(seed>>20) % 80} }; return list }
`

const pythonPeople = `    seed = 5
    list = []
    for i in range(n):
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        list.append(('p' + str((seed >> 12) % 5000), (seed >> 20) % 80))
`
