// Composite literals.

package programs

import "fmt"

type node struct {
	Name  string
	Left  *node
	Right *node
	Tags  map[string][]int
}

func (n *node) String() string {
	if n == nil {
		return "-"
	}
	return fmt.Sprintf("(%s %v %v %v)", n.Name, n.Left, n.Right, n.Tags)
}

// Composites are the programs of this file.
var Composites = map[string]func() string{
	"trees": func() string {
		var build func(n int) *node
		build = func(n int) *node {
			if n == 0 {
				return nil
			}
			return &node{Name: fmt.Sprint(n), Left: build(n - 1), Right: build(n / 2), Tags: map[string][]int{"n": {n, n * n}}}
		}
		return build(6).String()
	},
	"keys and gaps": func() string {
		n := 3
		a := [...]string{2: "c", "d", 0: "a"}
		s := []int{5: n, n + 1, 1: n * n}
		m := map[point][]string{{1, n}: {"x"}, {n, 1}: nil}
		t := [2][]point{{{1, 2}}, {{n, n}, {}}}
		return fmt.Sprint(a, len(a), s, m[point{1, 3}], len(m), t)
	},
	"are made anew each time": func() string {
		var list []*[2]int
		var maps []map[int]int
		for i := range 3 {
			list = append(list, &[2]int{i})
			maps = append(maps, map[int]int{i: i})
		}
		list[0][1] = 9
		maps[0][5] = 5
		return fmt.Sprint(*list[0], *list[1], *list[2], maps)
	},
	"unnamed structs": func() string {
		x := struct {
			A int
			B struct{ C []any }
		}{A: 1}
		x.B.C = []any{x.A, "b", struct{}{}}
		y := x
		y.A++
		return fmt.Sprintf("%+v %+v", x, y)
	},
}
