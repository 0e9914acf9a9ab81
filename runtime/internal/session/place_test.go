package session

import (
	"strings"
	"testing"
)

// The output of an interrupted cell after its first line.
var interruptedPlaces = map[string]struct{ code, want string }{
	"loop":                             {"n := 0\nfor {\n\tn++\n}", "Cell [1], line 3"},
	"loop in function":                 {"func spin(n int) {\n\tfor {\n\t\tn++\n\t}\n}\n\nspin(1)", "Cell [1], line 3, in spin|Cell [1], line 8"},
	"inner loop":                       {"for i := 0; ; i++ {\n\tfor j := range 1 << 40 {\n\t\t_ = j\n\t}\n}", "Cell [1], line 3"},
	"loop of a list behind another":    {"xs := []int{1}\nfor i := range xs {\n\txs[i] = 2\n}\nfor {\n}", "Cell [1], line 6"},
	"literal":                          {"spin := func() {\n\tfor {\n\t}\n}\nspin()", "Cell [1], line 3, in a function literal|Cell [1], line 6"},
	"method":                           {"type T struct{ n int }\nfunc (t *T) Spin() {\n\tfor { t.n++ }\n}\n(&T{}).Spin()", "Cell [1], line 4, in T.Spin|Cell [1], line 6"},
	"generic":                          {"func Spin[T any](x T) {\n\tfor { _ = x }\n}\nSpin(1)", "Cell [1], line 3, in Spin|Cell [1], line 5"},
	"deferred":                         {"func f() {\n\tdefer func() { recover() }()\n\tfor {\n\t}\n}\nf()", "Cell [1], line 4, in f|Cell [1], line 7"},
	"recursion":                        {"func fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}\nfib(60)", "*line 6, in fib|Cell [1], line 8"},
	"sleep":                            {"_ = 1\ntime.Sleep(time.Hour)", "    in time.Sleep|Cell [1], line 3"},
	"loop of sleeps":                   {"for {\n\ttime.Sleep(time.Second)\n}", "    in time.Sleep|Cell [1], line 3"},
	"receive":                          {"c := make(chan int)\n<-c", "    in a receive|Cell [1], line 3"},
	"value received":                   {"c := make(chan int)\nv := <-c\n_ = v", "    in a receive|Cell [1], line 3"},
	"send":                             {"c := make(chan int)\nc <- 1", "    in a send|Cell [1], line 3"},
	"range over a channel":             {"c := make(chan int, 1)\nc <- 1\nxs := []int{1}\nfor i := range c {\n\txs[i-1] = 1\n}", "    in a receive|Cell [1], line 5"},
	"select":                           {"c := make(chan int)\nselect {\ncase <-c:\n}", "    in a select statement|Cell [1], line 3"},
	"compiled call that waits":         {"var wg sync.WaitGroup\nwg.Add(1)\nfunc() {\n\twg.Wait()\n}()", "    in sync.(*WaitGroup).Wait|Cell [1], line 5, in a function literal|Cell [1], line 6"},
	"wait after a recovered panic":     {"type P struct{}\nfunc (P) String() string { panic(1) }\n_ = fmt.Sprint(P{})\ntime.Sleep(time.Hour)", "    in time.Sleep|Cell [1], line 5"},
	"condition that waits":             {"r, _, _ := os.Pipe()\nlines := bufio.NewScanner(r)\nxs := []int{1}\nfor lines.Scan() {\n\txs[0] = 1\n}", "    in bufio.(*Scanner).Scan|Cell [1], line 5"},
	"compiled call that computes":      {"x, _ := new(big.Int).SetString(strings.Repeat(\"7\", 400), 10)\nx.Exp(x, new(big.Int).Lsh(x, 2_000_000), new(big.Int).Add(x, big.NewInt(2)))", "    in math/big.(*Int).Exp, which nothing can stop: it goes on until it returns|Cell [1], line 3"},
	"function called by compiled code": {"sort.Slice(make([]int, 9), func(i, j int) bool {\n\tfor {\n\t}\n})", "Cell [1], line 3, in a function literal|Cell [1], line 2"},
	"print":                            {"for { fmt.Println(1) }", "*Cell [1], line 2"},
	"goroutine":                        {"xs := []int{1}\ndone := make(chan int)\ngo func() { for { xs[0]++ } }()\n<-done", "    in a receive|Cell [1], line 5"},
}

func TestInterruptTellsThePlace(t *testing.T) {
	for name, c := range interruptedPlaces {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			reply, _ := interrupted(t, s, c.code)
			if len(reply.Traceback) == 0 || reply.Traceback[0] != "KeyboardInterrupt: the cell was interrupted" {
				t.Fatalf("traceback %q", reply.Traceback)
			}
			got := strings.Join(reply.Traceback[1:], "|")
			if end, some := strings.CutPrefix(c.want, "*"); some && strings.HasSuffix(got, end) {
				return
			}
			if got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.code, got, c.want)
			}
		})
	}
}
