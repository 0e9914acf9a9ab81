// Loops over functions: jumps, defers and panics that leave them.

package programs

import (
	"errors"
	"fmt"
)

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func pairsOf[K comparable, V any](keys []K, value func(K) V) func(func(K, V) bool) {
	return func(yield func(K, V) bool) {
		for _, k := range keys {
			if !yield(k, value(k)) {
				return
			}
		}
	}
}

func filtered[T any](in func(func(T) bool), keep func(T) bool) func(func(T) bool) {
	return func(yield func(T) bool) {
		for v := range in {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func taken[T any](in func(func(T) bool), n int) func(func(T) bool) {
	return func(yield func(T) bool) {
		if n <= 0 {
			return
		}
		left := n
		for v := range in {
			if !yield(v) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

type branch struct {
	left, right *branch
	value       int
}

func (b *branch) insert(v int) *branch {
	switch {
	case b == nil:
		return &branch{value: v}
	case v < b.value:
		b.left = b.left.insert(v)
	default:
		b.right = b.right.insert(v)
	}
	return b
}

func (b *branch) walk(yield func(int) bool) bool {
	return b == nil || b.left.walk(yield) && yield(b.value) && b.right.walk(yield)
}

func (b *branch) all(yield func(int) bool) { b.walk(yield) }

// logged notes when an iteration ends.
func (r *result) logged(name string, n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer r.add(name, "ends")
		for i := range n {
			if !yield(i) {
				r.add(name, "stops at", i)
				return
			}
		}
		r.add(name, "is done")
	}
}

func find(r *result, limit int) (at int, text string) {
	defer func() { r.add("find", at, text) }()
	for i := range r.logged("outer", 4) {
		for j := range r.logged("inner", 3) {
			if i*j >= limit {
				return i, fmt.Sprint("product ", i*j)
			}
			if j > i {
				break
			}
		}
	}
	return -1, "none"
}

func namedResult(r *result) (n int, err error) {
	for i := range r.logged("named", 5) {
		n += i
		defer func() { n *= 2; r.add("deferred", i, n) }()
		if i == 2 {
			err = errors.New("two")
			return
		}
	}
	return n, nil
}

func labels(r *result) (text string) {
outer:
	for i := range r.logged("a", 5) {
		for j := range r.logged("b", 4) {
			for k := range 3 {
				switch {
				case k == 2 && j == 1:
					continue outer
				case i == 2:
					break outer
				case k == 1:
					break
				default:
					text += fmt.Sprint(i, j, k, " ")
				}
			}
			if j == 2 {
				continue
			}
			for range r.logged("c", 9) {
				if i == 1 {
					break outer
				}
				break
			}
		}
	}
	return text
}

func jumped(r *result) (text string) {
	n := 0
again:
	for i := range r.logged("goto", 3) {
		n++
		text += fmt.Sprint(n, i, " ")
		if n < 4 && i == 1 {
			goto again
		}
		if n == 6 {
			goto end
		}
	}
	text += "loop ends "
end:
	return text + "end"
}

// Iterators are the programs of this file.
var Iterators = map[string]func() string{
	"returns": func() string {
		var r result
		for limit := range 8 {
			r.add(find(&r, limit))
		}
		r.add(namedResult(&r))
		return r.text()
	},
	"labels and goto": func() string {
		var r result
		r.add(labels(&r), jumped(&r))
		return r.text()
	},
	"chains": func() string {
		var root *branch
		for _, v := range []int{5, 2, 8, 1, 9, 3, 7} {
			root = root.insert(v)
		}
		var r result
		for v := range root.all {
			r.add(v)
			if v > 6 {
				break
			}
		}
		for v := range taken(filtered(root.all, func(v int) bool { return v%2 == 1 }), 3) {
			r.add("odd", v)
		}
		for range taken(upTo(9), 0) {
			r.add("never")
		}
		for k, v := range pairsOf([]string{"a", "bb", "ccc"}, func(s string) int { return len(s) }) {
			if v == 2 {
				continue
			}
			r.add(k, v)
		}
		total := 0
		for i := range upTo(4) {
			for j := range upTo(i) {
				total += i*10 + j
			}
		}
		var none *branch
		for v := range none.all {
			r.add("never", v)
		}
		for range func(yield func() bool) {
			for yield() {
				total++
			}
		} {
			if total > 200 {
				break
			}
		}
		r.add(total)
		return r.text()
	},
	"variables": func() string {
		var r result
		var functions []func() int
		i := 100
		for i := range upTo(3) {
			functions = append(functions, func() int { i += 10; return i })
			i++
		}
		var k, v any
		for k, v = range pairsOf([]int{1, 2}, func(n int) string { return fmt.Sprint("v", n) }) {
			r.add(k, v)
		}
		list := make([]int, 3)
		at := 0
		for list[at] = range upTo(3) {
			at++
			if at == 3 {
				break
			}
		}
		for _, f := range functions {
			r.add(f(), f())
		}
		p := new(int)
		for *p = range upTo(4) {
			i += *p
		}
		r.add(i, k, v, list, *p)
		return r.text()
	},
	"defers": func() string {
		var r result
		f := func() (n int) {
			defer func() { r.add("last", n) }()
			for i := range r.logged("loop", 3) {
				defer func() { n += i; r.add("deferred", i, recover()) }()
				if i == 1 {
					func() {
						for j := range upTo(2) {
							defer r.add("inner", i, j)
						}
					}()
				}
			}
			n = 10
			panic("after the loop")
		}
		r.add(f())
		return r.text()
	},
	"panics": func() string {
		var r result
		r.add(try(func() {
			for i := range r.logged("body", 3) {
				if i == 1 {
					panic("in the body")
				}
			}
		}))
		r.add(try(func() {
			for i := range func(yield func(int) bool) { yield(1); panic("in the function") } {
				r.add(i)
			}
		}))
		r.add(try(func() {
			for i := range func(yield func(int) bool) {
				defer func() { r.add("recovers", recover()); yield(7) }()
				yield(1)
			} {
				r.add(i)
				panic("recovered by the function")
			}
		}))
		r.add(try(func() {
			for i := range func(yield func(int) bool) { yield(1); yield(2) } {
				r.add(i)
				break
			}
		}))
		var kept func(int) bool
		for i := range func(yield func(int) bool) { kept = yield; yield(3) } {
			r.add(i)
		}
		r.add(try(func() { kept(4) }))
		r.add(try(func() {
			var none func(func(int) bool)
			for range none {
				r.add("never")
			}
		}))
		r.add(try(func() {
			for i := range func(yield func(int) bool) {
				done := make(chan string)
				go func() { done <- try(func() { yield(5) }) }()
				r.add(<-done)
			} {
				r.add("from another goroutine", i)
			}
		}))
		return r.text()
	},
	"recursion of a body": func() string {
		var r result
		for i := range func(yield func(int) bool) {
			r.add(try(func() { yield(1) }))
			r.add("continues")
			r.add(try(func() { yield(2) }))
		} {
			r.add("body", i)
		}
		var walk func(depth int) func(func(string) bool)
		walk = func(depth int) func(func(string) bool) {
			return func(yield func(string) bool) {
				if depth == 0 {
					yield("leaf")
					return
				}
				for s := range walk(depth - 1) {
					if !yield(fmt.Sprint(depth, s)) || !yield(s) {
						return
					}
				}
			}
		}
		n := 0
		for s := range walk(4) {
			if n++; n > 9 {
				break
			}
			r.add(s)
		}
		return r.text()
	},
}
