package json

import (
	"encoding/json/jsontext"
	standard "encoding/json/v2"
	"errors"
	"fmt"
	"testing"
)

type (
	celsius float64
	room    struct {
		Name string
		Now  celsius
		Past []celsius
		Any  any
		By   map[string]*celsius
	}
)

func (c celsius) String() string { return fmt.Sprintf("%gC", float64(c)) }

var warm = celsius(21.5)

// rooms are values that contain the types of the functions in several places.
func rooms() any {
	return []any{room{"a", 20, []celsius{1, 2}, celsius(3), map[string]*celsius{"k": &warm, "n": nil}}, &warm, 1, "x", []int{1}, nil}
}

// marshalPairs are equal functions of both packages.
func marshalPairs() map[string][2]*standard.Marshalers {
	text := func(c celsius) ([]byte, error) { return []byte(`"` + c.String() + `"`), nil }
	pointer := func(c *celsius) ([]byte, error) { return []byte(`"*` + c.String() + `"`), nil }
	stringer := func(s fmt.Stringer) ([]byte, error) { return []byte(`"s` + s.String() + `"`), nil }
	invalid := func(celsius) ([]byte, error) { return []byte(`{`), nil }
	fails := func(celsius) ([]byte, error) { return nil, errors.New("too warm") }
	unsupported := func(celsius) ([]byte, error) { return nil, errors.ErrUnsupported }
	to := func(e *jsontext.Encoder, c celsius) error {
		if c == 2 {
			return errors.ErrUnsupported
		}
		return e.WriteToken(jsontext.String(c.String()))
	}
	nothing := func(*jsontext.Encoder, celsius) error { return nil }
	located := func(e *jsontext.Encoder, c celsius) error { return &standard.SemanticError{Err: errors.New("own")} }
	return map[string][2]*standard.Marshalers{
		"text":        {MarshalFunc(text), standard.MarshalFunc(text)},
		"pointer":     {MarshalFunc(pointer), standard.MarshalFunc(pointer)},
		"interface":   {MarshalFunc(stringer), standard.MarshalFunc(stringer)},
		"invalid":     {MarshalFunc(invalid), standard.MarshalFunc(invalid)},
		"fails":       {MarshalFunc(fails), standard.MarshalFunc(fails)},
		"unsupported": {MarshalFunc(unsupported), standard.MarshalFunc(unsupported)},
		"to":          {MarshalToFunc(to), standard.MarshalToFunc(to)},
		"nothing":     {MarshalToFunc(nothing), standard.MarshalToFunc(nothing)},
		"located":     {MarshalToFunc(located), standard.MarshalToFunc(located)},
		"joined": {
			standard.JoinMarshalers(MarshalToFunc(to), MarshalFunc(stringer)),
			standard.JoinMarshalers(standard.MarshalToFunc(to), standard.MarshalFunc(stringer)),
		},
	}
}

func TestMarshalersAgree(t *testing.T) {
	for name, pair := range marshalPairs() {
		got, errGot := standard.Marshal(rooms(), standard.Deterministic(true), standard.WithMarshalers(pair[0]))
		want, errWant := standard.Marshal(rooms(), standard.Deterministic(true), standard.WithMarshalers(pair[1]))
		if string(got) != string(want) || fmt.Sprint(errGot) != fmt.Sprint(errWant) {
			t.Errorf("%s: %s, %v\nwant %s, %v", name, got, errGot, want, errWant)
		}
	}
}

func TestUnmarshalersAgree(t *testing.T) {
	text := func(b []byte, c *celsius) error { *c = celsius(len(b)); return nil }
	fails := func([]byte, *celsius) error { return errors.New("too warm") }
	unsupported := func([]byte, *celsius) error { return errors.ErrUnsupported }
	from := func(d *jsontext.Decoder, c *celsius) error {
		if d.PeekKind() == '"' {
			return errors.ErrUnsupported
		}
		v, err := d.ReadValue()
		*c = celsius(100 + len(v))
		return err
	}
	nothing := func(*jsontext.Decoder, *celsius) error { return nil }
	for name, pair := range map[string][2]*standard.Unmarshalers{
		"text":        {UnmarshalFunc(text), standard.UnmarshalFunc(text)},
		"fails":       {UnmarshalFunc(fails), standard.UnmarshalFunc(fails)},
		"unsupported": {UnmarshalFunc(unsupported), standard.UnmarshalFunc(unsupported)},
		"from":        {UnmarshalFromFunc(from), standard.UnmarshalFromFunc(from)},
		"nothing":     {UnmarshalFromFunc(nothing), standard.UnmarshalFromFunc(nothing)},
	} {
		for _, in := range []string{`{"Name":"a","Now":"xyz","Past":[1,22],"By":{"k":3}}`, `{"Past":[1,22],"Any":[1]}`, `{"Now":{`, `{"Now":}`, ``} {
			var got, want room
			errGot := standard.Unmarshal([]byte(in), &got, standard.WithUnmarshalers(pair[0]))
			errWant := standard.Unmarshal([]byte(in), &want, standard.WithUnmarshalers(pair[1]))
			if fmt.Sprint(got.Name, got.Now, got.Past, got.Any, len(got.By)) != fmt.Sprint(want.Name, want.Now, want.Past, want.Any, len(want.By)) || fmt.Sprint(errGot) != fmt.Sprint(errWant) {
				t.Errorf("%s of %s: %v, %v\nwant %v, %v", name, in, got, errGot, want, errWant)
			}
		}
	}
}

func panicking(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestWrongTypesPanicAlike(t *testing.T) {
	type named *celsius
	for _, pair := range [][2]func(){
		{func() { MarshalFunc[named](nil) }, func() { standard.MarshalFunc[named](nil) }},
		{func() { UnmarshalFunc[celsius](nil) }, func() { standard.UnmarshalFunc[celsius](nil) }},
		{func() { UnmarshalFromFunc[named](nil) }, func() { standard.UnmarshalFromFunc[named](nil) }},
	} {
		if got, want := panicking(pair[0]), panicking(pair[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOptionsHaveTheirValues(t *testing.T) {
	m := standard.MarshalToFunc(func(*jsontext.Encoder, celsius) error { return nil })
	opts := standard.JoinOptions(standard.Deterministic(true), jsontext.WithIndent("  "), standard.WithMarshalers(m))
	flag, hasFlag := GetOption(opts, standard.Deterministic)
	missing, hasMissing := GetOption(opts, standard.StringifyNumbers)
	indent, hasIndent := GetOption(opts, jsontext.WithIndent)
	marshalers, hasMarshalers := GetOption(opts, standard.WithMarshalers)
	if !flag || !hasFlag || missing || hasMissing || indent != "  " || !hasIndent || marshalers != m || !hasMarshalers {
		t.Error(flag, hasFlag, missing, hasMissing, indent, hasIndent, marshalers == m, hasMarshalers)
	}
}
