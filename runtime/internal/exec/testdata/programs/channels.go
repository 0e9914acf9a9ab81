// Channels of every class, in sends, receives, loops and select statements.

package programs

import (
	"fmt"
	"sync"
)

// exchanged sends values through channels in every form.
func exchanged[T comparable](a, b T) string {
	var r result
	var zero T
	c, d := make(chan T, 3), make(chan T)
	var in chan<- T = c
	var out <-chan T = c
	in <- a
	in <- b
	x := <-out
	y, ok := <-out
	r.add(x == a, y == b, ok, len(c), cap(out))
	go func() {
		defer close(d)
		for i := range 4 {
			select {
			case d <- a:
			case d <- b:
			}
			if i == 2 {
				d <- zero
			}
		}
	}()
	known, n := 0, 0
	for v := range d {
		if v == a || v == b || v == zero {
			known++
		}
		n++
	}
	v, open := <-d
	r.add(known, n, v == zero, open)
	list, table, holder := make([]T, 2), map[string]T{}, struct {
		pad byte
		v   T
	}{}
	p, i := &list[1], 0
	for range 5 {
		select {
		case c <- a:
			i++
		default:
			list[0] = <-c
		}
	}
	r.add(i, len(c), list[0] == a)
	select {
	case *p = <-c:
	}
	select {
	case table["k"], ok = <-c:
	}
	c <- b
	select {
	case holder.v = <-c:
		r.add(holder.v == a || holder.v == b)
	case <-(chan T)(nil):
		r.add("never")
	}
	var held any
	c <- b
	for len(c) > 0 {
		select {
		case held = <-c:
		case v := <-make(chan T):
			r.add("never", v)
		}
	}
	r.add(list[1] == a, table["k"] == a, ok, held == any(b), holder.pad)
	channels := []chan T{make(chan T, 1), c}
	channels[i%2] <- <-func() chan T { c <- b; return c }()
	nested := make(chan chan T, 1)
	nested <- channels[i%2]
	last := <-<-nested
	r.add(last == b, len(nested), c == channels[1], channels[0] != c, (chan T)(nil) == nil)
	return r.text() + "\n"
}

// Channels are the programs of this file.
var Channels = map[string]func() string{
	"of every class": func() string {
		n, m := 1, 2
		return exchanged(true, false) + exchanged[int8](-1, 5) + exchanged[uint16](1, 2) + exchanged('a', 'b') + exchanged(1, 2) + exchanged[uint64](1<<63, 1) + exchanged(float32(0.5), 2) +
			exchanged(1.5, -2) + exchanged(1i, 2) + exchanged[complex64](1, 2i) + exchanged("a", "bc") + exchanged(point{1, 2}, point{3, 4}) + exchanged([3]string{"a"}, [3]string{2: "b"}) +
			exchanged(&n, &m) + exchanged[any](1, "x") + exchanged[error](&failure{1}, &failure{2}) + exchanged(make(chan int), make(chan int)) + exchanged([200]byte{1}, [200]byte{199: 2})
	},
	"without a size": func() string {
		c := make(chan struct{}, 2)
		c <- struct{}{}
		v, ok := <-c
		close(c)
		w, no := <-c
		d := make(chan [0]int, 1)
		select {
		case d <- [0]int{}:
		default:
		}
		return fmt.Sprint(v, ok, w, no, len(d), <-d)
	},
	"operands in their order": func() string {
		var r result
		c, i := make(chan int, 5), 0
		next := func() int { i++; return i }
		get := func() chan int { r.add("channel", next()); return c }
		get() <- next()
		c <- i
		get() <- <-get()
		list := make([]int, 9)
		select {
		case list[next()] = <-get():
			r.add("received", i, list)
		}
		select {
		case get() <- next() + i:
		case list[next()] = <-(chan int)(nil):
		}
		x, y := <-get(), <-get()
		r.add(x, y, i, len(c))
		m := map[int]int{}
		c <- 1
		m[next()], m[next()] = <-c, next()
		r.add(m)
		c <- 1
		r.add(try(func() { list[20+len(c)], i = <-get(), 3 }))
		return r.text()
	},
	"workers": func() string {
		jobs, results := make(chan func() (int, error)), make(chan string, 20)
		var group sync.WaitGroup
		for range 3 {
			group.Add(1)
			go func() {
				defer group.Done()
				for job := range jobs {
					results <- try(func() {
						n, err := job()
						results <- fmt.Sprint(n, err)
					})
				}
			}()
		}
		for i := range 9 {
			jobs <- func() (int, error) {
				if i%4 == 3 {
					return i, fmt.Errorf("job %d", i)
				}
				return 100 / (i % 3), nil
			}
		}
		close(jobs)
		group.Wait()
		close(results)
		count := map[string]int{}
		for text := range results {
			count[text]++
		}
		return fmt.Sprint(count)
	},
}
