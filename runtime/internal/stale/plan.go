package stale

// Plan returns the cells to run again, in their order, so that all stale cells show what a run from
// the top would show. Besides the stale cells, these are cells that restore a value which a stale
// one uses and which a cell below has changed since, and cells that write again what these write.
// If a cell has run again and no cell is stale, these are the cells below it that write the same
// names, so that the variables have the values of a run from the top.
//
// A cell in the plan may have another result than before, which makes further cells stale. Run
// plans until there is none.
func (t *Tracker) Plan() (list []Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	planned := map[*cell]bool{}
	for _, c := range t.cells {
		planned[c] = c.state.degree > Fresh
	}
	for t.extend(planned) {
	}
	for _, c := range t.cells {
		if planned[c] {
			list = append(list, c.Run)
		}
	}
	return list
}

// extend adds the cells that the plan lacks and reports whether there are any. It follows the state
// of each name while the planned cells run.
func (t *Tracker) extend(planned map[*cell]bool) (more bool) {
	t.scratch = append(t.scratch[:0], t.current...)
	now := t.scratch
	provided := make([]*write, len(t.names))
	copy(provided, t.base)
	rewritten := make([]bool, len(t.names)) // by a planned cell, or by one that has run late
	for _, c := range t.cells {
		for _, w := range c.writes {
			// What a planned cell writes, the cells below write on.
			if rewritten[w.name] && !planned[c] {
				planned[c], more = true, true
			}
		}
		if planned[c] {
			for _, r := range c.reads {
				p := provided[r.name]
				if p == nil || now[r.name] == p || now[r.name] != nil && p.print.Equal(now[r.name].print) {
					continue
				}
				if !planned[p.cell] {
					planned[p.cell], more = true, true
				}
			}
		}
		for _, w := range c.writes {
			provided[w.name] = w.write
			if last := t.end[w.name]; w.write == t.current[w.name] && last != w.write && !w.print.Equal(last.print) {
				rewritten[w.name] = true
			}
			if planned[c] {
				now[w.name], rewritten[w.name] = w.write, true
			}
		}
	}
	return more
}
