// Jumps, switches and conditions.

package programs

import "fmt"

func grade(n int) string {
	switch {
	case n < 0, n > 100:
		return "invalid"
	case n > 80:
		return "good"
	default:
		if n == 42 {
			break
		}
		return "fair"
	case n > 60:
		n++
		fallthrough
	case n == 1000:
		return fmt.Sprint("fine ", n)
	}
	return "answer"
}

func search(rows [][]int, x int) (int, int) {
rows:
	for i, row := range rows {
		for j, y := range row {
			switch {
			case y == x:
				return i, j
			case y < 0:
				continue rows
			case y > 100:
				break rows
			}
		}
	}
	return -1, -1
}

func collatz(n int) (steps int) {
again:
	if n == 1 {
		goto done
	}
	steps++
	if n%2 == 0 {
		n /= 2
		goto again
	}
	n = 3*n + 1
	goto again
done:
	return
}

// Jumps are the programs of this file.
var Jumps = map[string]func() string{
	"switches": func() string {
		var r result
		for _, n := range []int{-1, 101, 90, 70, 42, 5} {
			r.add(grade(n))
		}
		for i := range 4 {
			switch x := i * i; x {
			case 0, 9:
				r.add("ends")
			case 1:
				r.add("one")
				fallthrough
			default:
				r.add("default", x)
			}
		}
		return r.text()
	},
	"switches over values of several types": func() string {
		var r result
		for _, v := range []any{1, "a", nil, 2.5, point{1, 2}, true, uint8(3)} {
			switch v {
			case 1:
				r.add("one")
			case "a":
				r.add("text")
			case nil:
				r.add("nil")
			case point{1, 2}:
				r.add("point")
			case uint8(3):
				r.add("byte")
			default:
				r.add("other", v)
			}
		}
		return r.text()
	},
	"labels": func() string {
		rows := [][]int{{1, 2}, {-1, 3}, {4, 5}, {101, 6}, {7}}
		var r result
		for x := range 9 {
			r.add(search(rows, x))
		}
		return r.text()
	},
	"goto":                      func() string { return fmt.Sprint(collatz(27), collatz(1), collatz(6)) },
	"statement with two labels": func() string { return twoLabels(1) + twoLabels(5) + twoLabels(9) },
	"loops": func() string {
		var r result
		for i, j := 0, 10; i < j; i, j = i+1, j-2 {
			if i == 2 {
				continue
			}
			r.add(i, j)
		}
		n := 0
		for n < 5 {
			n += 2
		}
		for {
			n++
			if n%7 == 0 {
				break
			}
		}
		for i := 3; i > 0; i-- {
			for j := 0; ; j++ {
				if j == i {
					break
				}
				r.add(i, j)
			}
		}
		r.add(n)
		return r.text()
	},
	"conditions": func() string {
		var r result
		calls := 0
		yes, no := func() bool { calls++; return true }, func() bool { calls += 10; return false }
		r.add(yes() && no() || yes(), no() && yes(), yes() || no(), !(yes() && !no()), calls)
		if x := calls; x > 30 {
			r.add("many")
		} else if y := x * 2; y == 48 {
			r.add("exact", x, y)
		} else {
			r.add("few", x, y)
		}
		return r.text()
	},
	"shadowed names": func() string {
		x := 1
		s := ""
		{
			x := x + 1
			if x := x * 10; x > 5 {
				s += fmt.Sprint(x, " ")
				x, y := "inner", x
				s += fmt.Sprint(x, y, " ")
			}
			x++
			s += fmt.Sprint(x, " ")
		}
		return s + fmt.Sprint(x)
	},
}

// twoLabels jumps to both labels of a statement, from before it and after it.
func twoLabels(n int) (text string) {
	if n > 4 {
		goto second
	}
	text = "first "
first:
second:
	n++
	if n < 4 {
		goto first
	}
	if n < 8 {
		text += "second "
		goto second
	}
	return text + fmt.Sprintln(n)
}
