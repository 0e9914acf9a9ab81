// Goroutines and channels.

package programs

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Goroutines are the programs of this file.
var Goroutines = map[string]func() string{
	"sum over channels": func() string {
		c := make(chan int)
		for i := range 20 {
			go func() { c <- i * i }()
		}
		sum := 0
		for range 20 {
			sum += <-c
		}
		return fmt.Sprint(sum)
	},
	"pipeline": func() string {
		numbers := func(n int) <-chan int {
			c := make(chan int, 2)
			go func() {
				defer close(c)
				for i := range n {
					c <- i
				}
			}()
			return c
		}
		square := func(in <-chan int) <-chan int {
			out := make(chan int)
			go func() {
				for x := range in {
					out <- x * x
				}
				close(out)
			}()
			return out
		}
		s := ""
		for x := range square(square(numbers(8))) {
			s += fmt.Sprint(x, " ")
		}
		return s
	},
	"mutex and wait group": func() string {
		var group sync.WaitGroup
		var lock sync.Mutex
		m := map[int]int{}
		for i := range 10 {
			group.Add(1)
			go func(k int) {
				defer group.Done()
				for j := range 50 {
					lock.Lock()
					m[(k+j)%7]++
					lock.Unlock()
				}
			}(i)
		}
		group.Wait()
		total := 0
		for _, n := range m {
			total += n
		}
		return fmt.Sprint(total, len(m))
	},
	"atomic counters and once": func() string {
		var n atomic.Int64
		var once sync.Once
		var group sync.WaitGroup
		for range 8 {
			group.Add(1)
			go func() {
				defer group.Done()
				for range 100 {
					n.Add(2)
					runtime.Gosched()
				}
				once.Do(func() { n.Add(1) })
			}()
		}
		group.Wait()
		return fmt.Sprint(n.Load())
	},
	"panics stay in their goroutine when recovered": func() string {
		c := make(chan string)
		for i := range 5 {
			go func() {
				c <- try(func() {
					list := []int{1, 2, 3}
					list[i%2*3+i/4*4]++
					panic(i * 0)
				})
			}()
		}
		count := map[string]int{}
		for range 5 {
			count[<-c]++
		}
		return fmt.Sprint(count)
	},
	"method values and compiled functions": func() string {
		var group sync.WaitGroup
		var lock sync.Mutex
		x := &shared{&lock, 0}
		for range 6 {
			group.Add(2)
			go x.inc(&group)
			f := x.inc
			go f(&group)
		}
		group.Wait()
		go runtime.GC()
		return fmt.Sprint(x.n)
	},
	"channels of every type": func() string {
		a, b, c, d := make(chan string, 1), make(chan [3]int, 1), make(chan any, 2), make(chan struct{})
		e := make(chan chan int, 1)
		go func() { d <- struct{}{} }()
		a <- "a"
		b <- [3]int{1, 2, 3}
		c <- nil
		c <- point{1, 2}
		e <- make(chan int, 7)
		<-d
		close(c)
		x, ok := <-a
		y := <-b
		z, _ := <-c
		z2, _ := <-c
		z3, open := <-c
		return fmt.Sprint(x, ok, y, z, z2, z3, open, cap(<-e), len(a))
	},
	"allocate while others collect": func() string {
		results := make(chan int)
		for k := range 4 {
			go func() {
				var list []*node3
				for i := range 400 {
					list = append(list, &node3{value: i, name: fmt.Sprint(i)})
					if i%100 == k {
						runtime.GC()
					}
				}
				sum := 0
				for _, n := range list {
					sum += n.value + len(n.name)
				}
				results <- sum
			}()
		}
		return fmt.Sprint(<-results + <-results + <-results + <-results)
	},
}

type node3 struct {
	value int
	name  string
}

type shared struct {
	lock *sync.Mutex
	n    int
}

func (s *shared) inc(group *sync.WaitGroup) {
	defer group.Done()
	s.lock.Lock()
	defer s.lock.Unlock()
	s.n++
}
