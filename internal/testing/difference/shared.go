package difference

import "fmt"

// concurrent writes goroutines that share data. The output does not depend on their order.
func (g *generator) concurrent() string {
	t := g.basicType()
	text := pick(g, []string{
		// Several clauses are ready at the same time.
		"a, b, done := make(chan int, 4), make(chan $t, 4), make(chan struct{})\n\tfor i := range 4 { a <- i; b <- $v }\n\tclose(done)\n\tsum, got := 0, 0\n\tfor range 8 {\n\t\tselect {\n\t\tcase x := <-a: sum += x\n\t\tcase y, ok := <-b: if ok && y == y { got++ }\n\t\t}\n\t}\n\tselect { case <-done: fmt.Println(§, sum, got); case <-a: fmt.Println(§) }",
		// Workers share one select statement.
		"jobs, results, quit := make(chan int), make(chan int, $n), make(chan bool)\n\tvar wg sync.WaitGroup\n\tfor w := range 3 {\n\t\twg.Add(1)\n\t\tgo func() {\n\t\t\tdefer wg.Done()\n\t\t\tfor {\n\t\t\t\tselect {\n\t\t\t\tcase j, ok := <-jobs:\n\t\t\t\t\tif !ok { return }\n\t\t\t\t\tresults <- j*j + w*0\n\t\t\t\tcase <-quit:\n\t\t\t\t\treturn\n\t\t\t\t}\n\t\t\t}\n\t\t}()\n\t}\n\tfor j := range 6 { jobs <- j }\n\t$end\n\twg.Wait()\n\tclose(results)\n\tvar list []int\n\tfor r := range results { list = append(list, r) }\n\tsort.Ints(list)\n\tfmt.Println(§, list)",
		// Sends and receives in one select statement, by which producers stop.
		"out, stop := make(chan $t), make(chan struct{})\n\tvar wg sync.WaitGroup\n\tfor range 3 {\n\t\twg.Go(func() {\n\t\t\tfor {\n\t\t\t\tselect {\n\t\t\t\tcase out <- $v:\n\t\t\t\tcase <-stop: return\n\t\t\t\t}\n\t\t\t}\n\t\t})\n\t}\n\tvar first $t\n\tfor i := range 5 {\n\t\tif x := <-out; i == 0 { first = x }\n\t}\n\tclose(stop)\n\twg.Wait()\n\tfmt.Println(§, first)",
		// A mutex, an atomic counter and a map, all written concurrently.
		"var mu sync.Mutex\n\tvar wg sync.WaitGroup\n\tvar n atomic.Int64\n\tm := map[int]$t{}\n\tfor i := range 5 {\n\t\twg.Go(func() {\n\t\t\tmu.Lock()\n\t\t\tdefer mu.Unlock()\n\t\t\tm[i%3] = $v\n\t\t\tn.Add(int64(i))\n\t\t})\n\t}\n\twg.Wait()\n\tfmt.Println(§, len(m), m[1], n.Load())",
		// Received values are assigned to operands of every kind.
		"c, m, xs, k := make(chan $t, 6), map[string]$t{}, make([]$t, 3), 0\n\tfor range 5 { c <- $v }\n\tclose(c)\n\tvar ok, more bool\n\tvar held any\n\tp := new($t)\n\tat := func() int { k++; return k }\n\tselect { case xs[at()] = <-c: case xs[at()], ok = <-(chan $t)(nil): }\n\tselect { case m[\"k\"], ok = <-c: }\n\tselect { case *p = <-c: default: fmt.Println(§) }\n\tselect { case held = <-c: default: }\n\tselect { case x, _ := <-c: fmt.Println(§, x) }\n\tselect { case _, more = <-c: case <-(chan int)(nil): }\n\tfmt.Println(§, xs, m, *p, held, ok, more, k)",
		// A context ends it.
		"ctx, cancel := context.WithCancel(context.WithValue(context.Background(), \"key\", $v))\n\tdefer cancel()\n\tticks, done := make(chan int), make(chan string)\n\tgo func() {\n\t\tdefer close(done)\n\t\tn := 0\n\t\tfor {\n\t\t\tselect {\n\t\t\tcase <-ctx.Done():\n\t\t\t\tdone <- fmt.Sprint(n, ctx.Err(), ctx.Value(\"key\"), context.Cause(ctx) == context.Canceled)\n\t\t\t\treturn\n\t\t\tcase k := <-ticks:\n\t\t\t\tn += k\n\t\t\t}\n\t\t}\n\t}()\n\tfor k := range 4 { ticks <- k }\n\tcancel()\n\tfmt.Println(§, <-done)\n\t_, open := <-done\n\tfmt.Println(§, open, errors.Is(ctx.Err(), context.Canceled))",
		// sync.Once, and values computed once.
		"var once sync.Once\n\tvar wg sync.WaitGroup\n\tvar calls atomic.Int64\n\tget := sync.OnceValue(func() $t { calls.Add(1); return $v })\n\tfor range 4 { wg.Go(func() { once.Do(func() { calls.Add(10) }); _ = get() }) }\n\twg.Wait()\n\tfmt.Println(§, calls.Load(), get())",
		// A jump out of a select statement in a loop in a select statement.
		"c, d := make(chan int, 3), make(chan $t, 3)\n\tc <- 1; c <- 2; c <- 3\nouter:\n\tfor i := 0; ; i++ {\n\t\tselect {\n\t\tcase x := <-c:\n\t\t\tswitch {\n\t\t\tcase x == 2: continue outer\n\t\t\tcase x == 3: break\n\t\t\t}\n\t\t\tfor {\n\t\t\t\tselect {\n\t\t\t\tcase d <- $v:\n\t\t\t\t\tif len(d) < 2 { break }\n\t\t\t\t\tcontinue outer\n\t\t\t\tdefault: break outer\n\t\t\t\t}\n\t\t\t}\n\t\tdefault:\n\t\t\tfmt.Println(§, i, len(d))\n\t\t\tbreak outer\n\t\t}\n\t}\n\tfmt.Println(§, len(c), len(d), <-d)",
		// A condition, and an answer on a channel in the question.
		"type ask struct { n int; back chan $t }\n\tasks := make(chan ask)\n\tgo func() {\n\t\tfor a := range asks {\n\t\t\tif a.n%2 == 0 { close(a.back); continue }\n\t\t\ta.back <- $v\n\t\t}\n\t}()\n\tfor i := range 3 {\n\t\ta := ask{i, make(chan $t)}\n\t\tasks <- a\n\t\tx, ok := <-a.back\n\t\tfmt.Println(§, i, x, ok)\n\t}\n\tclose(asks)",
		// A broadcast by a condition variable.
		"var mu sync.RWMutex\n\tready := sync.NewCond(mu.RLocker())\n\tvar wg sync.WaitGroup\n\tvar n atomic.Int32\n\topen := false\n\tfor range 3 {\n\t\twg.Go(func() {\n\t\t\tready.L.Lock()\n\t\t\tfor !open { ready.Wait() }\n\t\t\tready.L.Unlock()\n\t\t\tn.Add(1)\n\t\t})\n\t}\n\tmu.Lock()\n\topen = true\n\tmu.Unlock()\n\tready.Broadcast()\n\twg.Wait()\n\tfmt.Println(§, n.Load(), open)",
	})
	return "\tfunc() {\n\t" + g.fill(text, "$t", t.text, "$v", g.literal(t, 1), "$n", fmt.Sprint(6+g.n(3)),
		"$end", pick(g, []string{"close(jobs)", "for range 3 { quit <- true }", "close(quit)"})) + "\n\t}()\n"
}
