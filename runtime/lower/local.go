package lower

import (
	"go/types"
	"slices"
	"strings"

	"gosphere/runtime/check"
)

// Types declared in functions. Each instance of a generic function has types of its own,
// whether they mention its type parameters or not, and their names give its arguments. As
// arguments of other types they are told apart by a number.

// declares tells whether a type is declared inside the generic function that is being
// emitted.
func (env *environment) declares(o *types.TypeName) bool {
	for scope := o.Parent(); scope != nil && env.scope != nil; scope = scope.Parent() {
		if scope == env.scope {
			return true
		}
	}
	return false
}

// localInstance gives a type that was declared inside a generic function an identity of
// its own for each instance of the function.
func (s *Session) localInstance(t *types.Named, w *substituter) types.Type {
	if !w.env.declares(t.Obj()) {
		return t
	}
	return s.localType(t, localKey{t.Obj(), w.env.key}, s.argumentTexts(w.env.list), w)
}

// localGenericInstance is localInstance for an instance of a generic type.
func (s *Session) localGenericInstance(t *types.Named, arguments []types.Type, w *substituter) types.Type {
	inner := &environment{arguments: map[*types.TypeParam]types.Type{}, list: w.env.list, key: w.env.key, scope: w.env.scope}
	for parameter, a := range w.env.arguments {
		inner.arguments[parameter] = a
	}
	origin := t.Origin()
	for i := range origin.TypeParams().Len() {
		inner.arguments[origin.TypeParams().At(i)] = arguments[i]
	}
	texts := s.argumentTexts(arguments)
	key := localKey{origin.Obj(), w.env.key + "\x00" + s.keys(&unit{s: s}, arguments)}
	return s.localType(origin, key, s.argumentTexts(w.env.list)+";"+texts, &substituter{s, inner})
}

// localType makes one such type, whose name shows the arguments.
func (s *Session) localType(t *types.Named, key localKey, arguments string, w *substituter) types.Type {
	if n := s.locals[key]; n != nil {
		return n
	}
	o := t.Obj()
	name := types.NewTypeName(o.Pos(), o.Pkg(), o.Name()+"["+arguments+"]", nil)
	n := types.NewNamed(name, nil, nil)
	s.locals[key] = n
	s.numbers[name] = s.numbers[o]
	n.SetUnderlying(w.typ(t.Underlying()))
	return n
}

// number counts the types that the functions of a cell declare, in the order of the text.
func (s *Session) number(c *check.Checked) {
	var names []*types.TypeName
	for _, o := range c.Info.Defs {
		t, ok := o.(*types.TypeName)
		if !ok || t.IsAlias() || t.Pkg() == nil || t.Parent() == nil || t.Parent() == t.Pkg().Scope() || s.numbers[t] > 0 {
			continue
		}
		if _, parameter := t.Type().(*types.TypeParam); !parameter {
			names = append(names, t)
		}
	}
	slices.SortFunc(names, func(a, b *types.TypeName) int { return int(a.Pos()) - int(b.Pos()) })
	for i, t := range names {
		s.numbers[t] = i + 1
	}
}

// argumentTexts writes type arguments as they stand in the names of types.
func (s *Session) argumentTexts(list []types.Type) string {
	var texts []string
	for _, t := range list {
		texts = append(texts, s.displayed(t))
	}
	return strings.Join(texts, ",")
}
