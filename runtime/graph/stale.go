package graph

import "slices"

// Stale returns the numbers of the cells whose result may differ after the cells with the given
// numbers have been edited or run again, in the order in which they are to be run. The given cells
// are not in the result.
//
// A cell is stale if it reads, itself or in a function that it calls, a name that a stale or given
// cell defines or changes. A cell that only declares a function which does is not, because a
// session checks declarations again by itself. A cell that does not compile may compile after any
// change. Only cells below count: a notebook runs from its first to its last cell. possible reports
// whether possible changes count as well.
func (g *Graph) Stale(numbers []int, possible bool) (list []int) {
	touched := map[string]bool{} // names that a given or stale cell defines or changes
	for _, c := range g.Cells {
		given := slices.Contains(numbers, c.Number)
		if !given && !c.dependsOn(touched, possible) {
			// A cell that defines a name anew ends the dependence on its earlier declarations.
			for _, n := range c.Defines {
				delete(touched, n.Text)
			}
			continue
		}
		if !given {
			list = append(list, c.Number)
		}
		for _, n := range c.Defines {
			touched[n.Text] = true
		}
		for _, name := range c.Declares {
			touched[name] = true // also of a cell that does not compile
		}
		for _, e := range c.Changes {
			if e.Certain || possible {
				touched[e.Name.Text] = true
			}
		}
	}
	return list
}

// dependsOn reports whether the cell reads one of the names.
func (c *Cell) dependsOn(names map[string]bool, possible bool) bool {
	if len(c.Errors) > 0 {
		return len(names) > 0
	}
	return slices.ContainsFunc(c.Reads, func(e Effect) bool { return names[e.Name.Text] && (e.Certain || possible) })
}

// Order returns the numbers of the cells on which a cell depends, directly and indirectly, in the
// order of the notebook: what must have run before it.
func (g *Graph) Order(number int) []int {
	wanted := g.Cell(number)
	if wanted == nil {
		return nil
	}
	needed := map[*Cell]bool{wanted: true}
	for _, c := range slices.Backward(g.Cells) {
		if !needed[c] {
			continue
		}
		names := map[string]bool{}
		for _, u := range c.Uses {
			names[u.Name.Text] = true
		}
		for _, e := range c.Reads {
			names[e.Name.Text] = true
		}
		for _, earlier := range g.Cells {
			if earlier.Number >= c.Number {
				break
			}
			if slices.ContainsFunc(earlier.Defines, func(n *Name) bool { return names[n.Text] }) ||
				slices.ContainsFunc(earlier.Changes, func(e Effect) bool { return names[e.Name.Text] }) {
				needed[earlier] = true
			}
		}
	}
	var list []int
	for _, c := range g.Cells {
		if needed[c] && c != wanted {
			list = append(list, c.Number)
		}
	}
	return list
}
