package assist

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// packageMembers holds the exported members of a compiled package, in the order in which they are
// shown if no type is expected. Compiled packages do not change, so the information about a member
// is cached. A large package such as syscall has thousands of members, and computing all signatures
// and documentation at the first request would take too long.
type packageMembers struct {
	mu     sync.Mutex // guards the fields below
	list   []Match    // Signature and Doc are filled in when first needed
	filled []filled
}

// filled records which fields of a Match of packageMembers have been computed.
type filled struct{ signature, doc bool }

// membersOf returns the members of a compiled package. Two goroutines may compute the list at the
// same time; one result is kept.
func (a *Assistant) membersOf(p *types.Package) *packageMembers {
	if known, ok := a.members.Load(p); ok {
		return known.(*packageMembers)
	}
	type member struct {
		rank string
		Match
	}
	var all []member
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			object := p.Scope().Lookup(name)
			m := Match{Text: name, Type: kindOf(object), object: object}
			all = append(all, member{rank(m), m})
		}
	}
	// Names are sorted, so that equal ranks keep the order of the names.
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Compare(a.rank, b.rank) })
	m := &packageMembers{list: make([]Match, len(all)), filled: make([]filled, len(all))}
	for i := range all {
		m.list[i] = all[i].Match
	}
	known, _ := a.members.LoadOrStore(p, m)
	return known.(*packageMembers)
}

// choose returns the indexes of the members that begin with a prefix, in order: those with the same
// case, or if there are none, those that differ in case. The list is in the order to show, so no
// sorting is needed.
func (m *packageMembers) choose(prefix string) []int {
	exact, all := make([]int, 0, len(m.list)), []int(nil)
	for i := range m.list {
		switch text := m.list[i].Text; {
		case strings.HasPrefix(text, prefix):
			exact = append(exact, i)
		case len(exact) == 0 && len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix):
			all = append(all, i)
		}
	}
	if len(exact) == 0 {
		return all
	}
	return exact
}

// addPackageMembers adds the matching members of a package, sorted and documented. It replaces the
// matches found so far, since nothing else can follow the dot. Members that fit keep their order
// among each other.
func (f *finder) addPackageMembers(p *types.Package) {
	m := f.assistant.membersOf(p)
	m.mu.Lock()
	defer m.mu.Unlock()
	chosen := m.choose(f.prefix)
	fitting := 0
	if f.expected != nil {
		var first, rest []int
		for _, i := range chosen {
			if f.fits(m.list[i].object) {
				first = append(first, i)
			} else {
				rest = append(rest, i)
			}
		}
		chosen, fitting = append(first, rest...), len(first)
	}
	f.matches = make([]Match, len(chosen))
	for n, i := range chosen {
		f.fill(m, i, n)
		match := m.list[i]
		match.Fits = n < fitting
		if n >= mostSigned {
			match.Signature = ""
		}
		if n >= mostDocumented {
			match.Doc = ""
		}
		f.matches[n] = match
	}
	f.ordered, f.documented = true, true
}

// fill fills in the information shown for member i as the nth of a list. The caller holds the lock.
func (f *finder) fill(m *packageMembers, i, n int) {
	match, done := &m.list[i], &m.filled[i]
	if n < mostSigned && !done.signature {
		match.Signature, done.signature = signatureOf(match.object), true
	}
	if n < mostDocumented && !done.doc {
		match.Doc, done.doc = firstSentence(f.assistant.doc(f.probe, match.object)), true
	}
}
