package graph

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"gosphere/runtime/check"
)

// A reached is a place of a cell at which something is read or changed.
type reached struct {
	pos                       token.Pos
	certain, through, updates bool
	whole                     bool // see change
	portion
	why string
}

// A closed is the effects of statements with those of all functions that they may call.
type closed struct {
	builder  *builder
	mentions map[string]token.Pos // nil if they are not wanted
	reads    map[string]reached
	changes  map[string]reached
	unknown  []unknown
	done     map[string]bool // functions whose effects are included
	called   map[string]bool // signatures of function values whose functions are included
}

// closure adds to the effects of statements those of the functions that they mention, and of the
// functions which these mention.
func (b *builder) closure(whole *effects, mentions bool) *closed {
	c := &closed{
		builder: b, reads: make(map[string]reached, len(whole.reads)), unknown: slices.Clone(whole.unknown),
	}
	if mentions {
		c.mentions = map[string]token.Pos{}
		for _, m := range whole.mentions {
			c.mentions[m.name] = m.pos
		}
	}
	for _, m := range whole.reads {
		c.reads[m.name] = reached{pos: m.pos, certain: true, portion: m.portion}
	}
	if len(whole.changes) > 0 {
		c.changes = make(map[string]reached, len(whole.changes))
	}
	for name, change := range whole.changes {
		c.changes[name] = reached{pos: change.pos, certain: change.certain, through: change.through, updates: change.updates, whole: change.whole, portion: change.portion}
	}
	b.passed(c, whole, token.NoPos, "")
	for _, m := range whole.mentions {
		c.add(m.name, m.pos, true)
	}
	for _, m := range whole.reads {
		c.add(m.name, m.pos, true)
	}
	for _, m := range whole.interfaces {
		c.addMethods(m.name, m.pos, true)
	}
	for _, u := range whole.unknown {
		c.addAny(u.signature, u.pos)
	}
	return c
}

// change records a change.
func (c *closed) change(name string, r reached) {
	if c.changes == nil {
		c.changes = map[string]reached{}
	}
	c.changes[name] = r
}

// follow adds the effects of a function. certain is unset if the function is only possibly called.
func (c *closed) follow(e *effects, pos token.Pos, of string, certain bool) {
	for _, m := range e.reads {
		name := m.name
		r := reached{pos: pos, certain: certain, why: "through " + of, portion: m.portion}
		if old, ok := c.reads[name]; ok {
			r.portion = old.with(m.portion)
			if !certain || old.certain {
				r.pos, r.certain, r.why = old.pos, old.certain, old.why
			}
		}
		c.reads[name] = r
		c.add(name, pos, certain)
	}
	for _, m := range e.mentions {
		if _, ok := c.mentions[m.name]; !ok && c.mentions != nil {
			c.mentions[m.name] = pos
		}
	}
	for name, change := range e.changes {
		r := reached{pos: pos, certain: certain && change.certain, through: change.through, updates: change.updates, portion: change.portion, why: "through " + of}
		if old, ok := c.changes[name]; ok {
			r.whole, r.portion, r.through, r.updates = old.whole, old.with(change.portion), old.through || r.through, old.updates || r.updates
			if !r.certain || old.certain {
				r.pos, r.certain, r.why = old.pos, old.certain, old.why
			}
		}
		c.change(name, r)
	}
	for _, u := range e.unknown {
		c.unknown = append(c.unknown, unknown{what: of + " " + u.what, pos: pos})
		c.addAny(u.signature, pos)
	}
}

// add adds the effects of a function, or those of evaluating a type or constant, by its name.
func (c *closed) add(name string, pos token.Pos, certain bool) {
	b := c.builder
	if c.done[name] || b.functions[name] == nil && b.types[name] == nil && (b.names[name] == nil || b.names[name].Kind != check.Variable) {
		return
	}
	if c.done == nil {
		c.done = map[string]bool{}
	}
	c.done[name] = true
	if e := b.functions[name]; e != nil {
		c.follow(e, pos, name, certain)
		b.passed(c, e, pos, name)
		for _, m := range e.interfaces {
			method := m.name
			c.addMethods(method, pos, certain)
		}
	} else if n := b.names[name]; n != nil && n.Kind == check.Variable {
		if key, function := functionKey(n); function {
			c.unknown = append(c.unknown, unknown{what: "calls or passes on the function value " + name, pos: pos})
			c.addAny(key, pos)
			// A call may change what the function has captured.
			old, ok := c.changes[name]
			if !ok {
				old.pos = pos
			}
			old.through, old.portion = true, portion{}
			c.change(name, old)
		}
	}
	if e := b.types[name]; e != nil {
		c.follow(e, pos, name, certain)
	}
}

// addMethods adds the methods of cells with a name, which a call by way of an interface may reach.
func (c *closed) addMethods(method string, pos token.Pos, certain bool) {
	for name := range c.builder.functions {
		if strings.HasSuffix(name, "."+method) {
			if _, ok := c.reads[name]; !ok {
				c.reads[name] = reached{pos: pos, certain: certain, why: "by way of an interface"}
			}
			c.add(name, pos, certain)
		}
	}
}

// addAny adds the effects of all functions of cells with a signature, one of which a function value
// may be. They are only possible. key is that of signatureKey, or "" for none.
func (c *closed) addAny(key string, pos token.Pos) {
	if key == "" || c.called[key] {
		return
	}
	if c.called == nil {
		c.called = map[string]bool{}
	}
	c.called[key] = true
	values := c.builder.values[key]
	if values == nil {
		return
	}
	for name := range values.names {
		if _, ok := c.reads[name]; !ok {
			c.reads[name] = reached{pos: pos, why: "through a function value"}
		}
		c.add(name, pos, false)
	}
	for _, e := range values.literals {
		c.follow(e, pos, "a function value", false)
		c.builder.passed(c, e, pos, "a function value")
		for _, m := range e.interfaces {
			method := m.name
			c.addMethods(method, pos, false)
		}
	}
}

// A valueSet has the functions of cells with one signature: the names of those that are declared,
// and the effects of literals.
type valueSet struct {
	names    map[string]bool
	literals []*effects
}

// maxLiterals bounds the number of literals with one signature that are kept apart. The effects of
// the others are those of one that has them all.
const maxLiterals = 64

// addValue records a function of a cell that a function value may be. name is "" for a literal.
func (b *builder) addValue(t *types.Signature, name string, e *effects) {
	key := signatureKey(t)
	set := b.values[key]
	if set == nil {
		set = &valueSet{names: map[string]bool{}}
		b.values[key] = set
	}
	switch {
	case name != "":
		set.names[name] = true
	case len(set.literals) < maxLiterals:
		set.literals = append(set.literals, e)
	default:
		set.literals[maxLiterals-1].merge(e)
	}
}

// merge adds the effects of another function, none of which is certain any more.
func (e *effects) merge(o *effects) {
	for _, m := range o.mentions {
		e.mentions.add(m.name, m.pos)
	}
	for _, m := range o.reads {
		e.reads.merge(m)
	}
	for _, m := range o.interfaces {
		e.interfaces.add(m.name, m.pos)
	}
	for name, c := range o.changes {
		c.certain = false
		e.changed(name, c)
	}
	e.calls = append(e.calls, o.calls...)
	e.unknown = append(e.unknown, o.unknown...)
	e.links = append(e.links, o.links...)
	if e.parameters == nil {
		e.parameters = map[int]bool{}
	}
	for i := range o.parameters {
		e.parameters[i] = false
	}
	e.variadic = max(e.variadic, o.variadic)
}

// signatureKey returns a text that is equal for identical signatures, without names and receiver.
func signatureKey(t *types.Signature) string {
	var b strings.Builder
	write := func(list *types.Tuple) {
		for v := range list.Variables() {
			b.WriteString(types.TypeString(v.Type(), (*types.Package).Path))
			b.WriteByte(',')
		}
	}
	write(t.Params())
	if t.Variadic() {
		b.WriteString("...")
	}
	b.WriteByte('>')
	write(t.Results())
	return b.String()
}

// functionKey returns the signature of a variable of a function type.
func functionKey(n *Name) (key string, function bool) {
	object, ok := n.symbol.Object.(*types.Var)
	if !ok {
		return "", strings.HasPrefix(n.Type, "func(")
	}
	signature, ok := object.Type().Underlying().(*types.Signature)
	if !ok {
		return "", false
	}
	return signatureKey(signature), true
}

// passed records the changes of variables that calls pass to functions of cells which change what
// their parameters refer to. pos and of are those of the outer call, or NoPos and "".
func (b *builder) passed(out *closed, e *effects, pos token.Pos, of string) {
	for _, c := range e.calls {
		at, why := c.pos, ""
		if pos.IsValid() {
			at, why = pos, "through "+of
		}
		changed, known := b.changedParameters(c.name, map[string]bool{})
		for i, roots := range c.roots {
			sure, changes := changed[b.parameterOf(c.name, i)]
			if known && !changes {
				continue
			}
			for _, r := range roots {
				if r.name == "" {
					continue
				}
				certain := sure && len(roots) == 1 && !r.doubtful
				old, ok := out.changes[r.name]
				if !ok || certain && !old.certain {
					out.change(r.name, reached{pos: at, certain: certain, through: true, whole: old.whole, why: why})
				} else {
					old.through, old.portion = true, portion{}
					out.change(r.name, old)
				}
			}
		}
	}
}

// changedParameters returns the parameters through which a function may change memory, directly or
// by passing them on; the value is set if the change is certain. known is unset for a function
// whose body is not known.
func (b *builder) changedParameters(name string, active map[string]bool) (changed map[int]bool, known bool) {
	e := b.functions[name]
	if e == nil {
		return nil, false
	}
	if active[name] {
		return nil, true
	}
	active[name] = true
	if changed = maps.Clone(e.parameters); changed == nil {
		changed = map[int]bool{}
	}
	for _, c := range e.calls {
		inner, known := b.changedParameters(c.name, active)
		for i, roots := range c.roots {
			sure, changes := inner[b.parameterOf(c.name, i)]
			if known && !changes {
				continue
			}
			for _, r := range roots {
				if r.name == "" {
					changed[r.parameter] = changed[r.parameter] || sure && len(roots) == 1 && !r.doubtful
				}
			}
		}
	}
	delete(active, name)
	return changed, true
}

// parameterOf returns the index of the parameter of a function for the argument with an index.
func (b *builder) parameterOf(name string, argument int) int {
	if e := b.functions[name]; e != nil && e.variadic >= 0 {
		return min(argument, e.variadic)
	}
	return argument
}
