// Select statements.

package programs

import (
	"fmt"
	"time"
)

// Selects are the programs of this file.
var Selects = map[string]func() string{
	"default": func() string {
		c := make(chan int, 1)
		s := ""
		for range 4 {
			select {
			case c <- 1:
				s += "sent "
			case x := <-c:
				s += fmt.Sprint("got ", x, " ")
			}
			select {
			case x, ok := <-c:
				s += fmt.Sprint("had ", x, ok, " ")
			default:
				s += "empty "
			}
		}
		return s
	},
	"nil and closed channels": func() string {
		var none chan int
		done := make(chan string)
		close(done)
		n := 0
		for range 3 {
			select {
			case <-none:
				return "never"
			case none <- 1:
				return "never"
			case s, ok := <-done:
				if s == "" && !ok {
					n++
				}
			}
		}
		return fmt.Sprint(n)
	},
	"places that receive": func() string {
		c := make(chan int, 5)
		var list [3]int
		m := map[string]int{}
		var v any
		var ok bool
		for i := range 5 {
			c <- i + 1
		}
		close(c)
		select {
		case list[1] = <-c:
		}
		select {
		case m["k"], ok = <-c:
		}
		select {
		case v = <-c:
		}
		select {
		case _ = <-c:
		}
		select {
		case _, ok = <-c:
		}
		return fmt.Sprint(list, m, v, ok, len(c))
	},
	"operands are evaluated in order": func() string {
		var r result
		c, d := make(chan int, 1), make(chan int)
		get := func(name string, c chan int) chan int { r.add("channel", name); return c }
		value := func(n int) int { r.add("value", n); return n }
		select {
		case <-get("d", d):
		case get("c", c) <- value(7):
			r.add("sent")
		case get("none", nil) <- value(8):
		}
		r.add(<-c)
		return r.text()
	},
	"breaks and loops": func() string {
		c := make(chan int)
		quit := make(chan bool)
		go func() {
			for i := range 5 {
				c <- i
			}
			quit <- true
		}()
		sum := 0
	loop:
		for {
			select {
			case x := <-c:
				if x == 1 {
					break
				}
				if x == 3 {
					continue loop
				}
				sum += x
			case <-quit:
				break loop
			}
		}
		return fmt.Sprint(sum)
	},
	"many clauses are fair": func() string {
		a, b := make(chan int, 1000), make(chan int, 1000)
		for range 1000 {
			a <- 1
			b <- 1
		}
		x, y := 0, 0
		for range 1000 {
			select {
			case <-a:
				x++
			case <-b:
				y++
			}
		}
		return fmt.Sprint(x > 100, y > 100, x+y)
	},
	"timers": func() string {
		select {
		case <-make(chan int):
			return "never"
		case <-time.After(time.Millisecond):
			return "time is up"
		}
	},
}
