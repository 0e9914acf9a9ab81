// Small functions that call themselves, which run to some levels in one frame.

package programs

import (
	"errors"
	"fmt"
	"strings"
)

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}
func countDown(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + countDown(n-1)
}
func factorial(n int) (r int) {
	r = 1
	if n > 1 {
		r = n * factorial(n-1)
	}
	return
}
func ackermannOf(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ackermannOf(m-1, 1)
	}
	return ackermannOf(m-1, ackermannOf(m, n-1))
}
func divisorOf(a, b int) int {
	if b == 0 {
		return a
	}
	return divisorOf(b, a%b)
}
func reversedText(s string) string {
	if s == "" {
		return s
	}
	return reversedText(s[1:]) + s[:1]
}
func shrunk(n int) int { // assigns to its parameter before and after the call
	if n <= 0 {
		return 0
	}
	n--
	r := shrunk(n) + n
	n *= 10
	return r + n
}
func minMax(xs []int) (lo, hi int) {
	if len(xs) == 1 {
		return xs[0], xs[0]
	}
	lo, hi = minMax(xs[1:])
	return min(lo, xs[0]), max(hi, xs[0])
}
func halves(n int) (string, int) {
	if n == 0 {
		return "", 0
	}
	s, k := halves(n / 2)
	return fmt.Sprint(n%2) + s, k + 1
}
func turned(v triple, n int) triple { // a result in memory
	if n == 0 {
		return v
	}
	w := turned(v, n-1)
	return triple{w.y, w.z, w.x + v.x}
}
func collatzSteps(n, steps int) int {
	switch {
	case n == 1:
		return steps
	case n%2 == 0:
		return collatzSteps(n/2, steps+1)
	}
	return collatzSteps(3*n+1, steps+1)
}
func parsed(s string) (n int, err error) {
	switch {
	case s == "":
		return 0, nil
	case s[0] < '0':
		return 0, errors.New("below 0: " + s)
	}
	if n, err = parsed(s[1:]); err != nil {
		return -1, err
	}
	return n + int(s[0]-'0'), nil
}
func broken(n int) int { // has a switch with a break around a call and inside it
	r := 0
	switch n {
	case 0:
		break
	default:
		if n%3 == 0 {
			r = 100
			break
		}
		r = broken(n-1) + 1
	}
	return r
}
func divided(n, d int) int {
	if n == 0 {
		return 12 / d
	}
	return divided(n-1, d) + 1
}
func sumTo[T int | float64](n T) T {
	if n <= 0 {
		return 0
	}
	return n + sumTo(n-1)
}
func anyDepth(x any) int {
	if list, ok := x.([]any); ok && len(list) > 0 {
		return 1 + anyDepth(list[0])
	}
	return 0
}
func totalOf(xs ...int) int {
	if len(xs) == 0 {
		return 0
	}
	return xs[0] + totalOf(xs[1:]...)
}
func traced(n int, b *strings.Builder) int {
	if n == 0 {
		b.WriteString(".")
		return 0
	}
	fmt.Fprint(b, n, " ")
	r := traced(n-1, b) + traced(n/2, b)
	fmt.Fprint(b, "-", n)
	return r + 1
}

type triple struct{ x, y, z float64 }

type treeNode struct {
	left, right *treeNode
	value       int
}

func (t *treeNode) with(v int) *treeNode {
	if t == nil {
		return &treeNode{value: v}
	}
	if v < t.value {
		t.left = t.left.with(v)
	} else {
		t.right = t.right.with(v)
	}
	return t
}
func (t *treeNode) sum() int {
	if t == nil {
		return 0
	}
	return t.left.sum() + t.value + t.right.sum()
}
func (t *treeNode) depth() int {
	if t == nil {
		return 0
	}
	return 1 + max(t.left.depth(), t.right.depth())
}

type nestedList []nestedList

func (n nestedList) size() int {
	if len(n) == 0 {
		return 1
	}
	return n[0].size() + n[1:].size()
}

// laterSelf returns a value that deferred and started calls of a recursive function have made.
func laterSelf() (r int) {
	c := make(chan int)
	defer func() { r = <-c + r }()
	go func() { c <- countDown(17) }()
	defer fibonacci(3)
	return countDown(5)
}

var Recursions = map[string]func() string{
	"numbers": func() string {
		return fmt.Sprint(fibonacci(15), countDown(100), countDown(1), factorial(0), factorial(1), factorial(10), ackermannOf(2, 3), divisorOf(84, 36), divisorOf(7, 0))
	},
	"strings":            func() string { return reversedText("résumé") + reversedText("") + reversedText("ab") },
	"assigned parameter": func() string { return fmt.Sprint(shrunk(0), shrunk(1), shrunk(2), shrunk(3), shrunk(7)) },
	"several results": func() string {
		lo, hi := minMax([]int{3, -1, 4, 1, -5, 9})
		s, k := halves(37)
		n, err := parsed("12345")
		_, bad := parsed("12-45")
		return fmt.Sprint(lo, hi, s, k, n, err, bad)
	},
	"results in memory": func() string {
		return fmt.Sprint(turned(triple{1, 2, 3}, 0), turned(triple{1, 2, 3}, 1), turned(triple{1, 2, 3}, 6))
	},
	"switches": func() string { return fmt.Sprint(collatzSteps(27, 0), broken(0), broken(2), broken(5), broken(7)) },
	"panics": func() (s string) {
		for n := range 6 {
			func() {
				defer func() { s += fmt.Sprint(recover(), " ") }()
				divided(n, 0)
			}()
		}
		return s + fmt.Sprint(divided(5, 3))
	},
	"generic functions": func() string { return fmt.Sprint(sumTo(10), sumTo(2.5)) },
	"interfaces": func() string {
		return fmt.Sprint(anyDepth([]any{[]any{[]any{1}, 2}}), anyDepth([]any{}), anyDepth(nil))
	},
	"variadic": func() string { return fmt.Sprint(totalOf(), totalOf(1), totalOf(1, 2, 3, 4, 5)) },
	"order of evaluation": func() string {
		var b strings.Builder
		r := traced(5, &b)
		return fmt.Sprint(r, b.String())
	},
	"methods": func() string {
		var root *treeNode
		for i := range 40 {
			root = root.with(i * 17 % 41)
		}
		return fmt.Sprint(root.sum(), root.depth(), nestedList{{}, {{}, {}}, {{{}}}}.size())
	},
	"later calls": func() string { return fmt.Sprint(laterSelf()) },
	"values": func() string {
		f, m := fibonacci, (*treeNode).depth
		return fmt.Sprint(f(12), m(&treeNode{left: &treeNode{}}))
	},
	"goroutines": func() string {
		c := make(chan int)
		for i := range 8 {
			go func() { c <- fibonacci(8 + i) }()
		}
		sum := 0
		for range 8 {
			sum += <-c
		}
		return fmt.Sprint(sum)
	},
}
