package guard

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// samples are values of the kinds that have printing functions of their own.
var samples = map[string][]any{
	"int":    {0, 7, -1, math.MaxInt, math.MinInt},
	"string": {"", "a", "κ\n", strings.Repeat("long ", 40), "%d %v"},
	"float64": {
		0.0, math.Copysign(0, -1), 1.0, -2.5, 0.1, 1e20, 1e21, 123456789.0, 1e-4, 1e-5, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 100000.0, 1000000.0,
	},
}

// printedBy is what a function of printSupport prints for arguments, in a cell.
func printedBy(t *testing.T, g *Guard, f any, arguments []any) string {
	t.Helper()
	var text strings.Builder
	c := g.NewCell(1, func(_, s string) { text.WriteString(s) })
	var in []reflect.Value
	for _, a := range arguments {
		in = append(in, reflect.ValueOf(a))
	}
	if o := c.Run(func() { reflect.ValueOf(f).Call(in) }); o.Kind != Finished {
		t.Fatalf("%v: %+v", arguments, o)
	}
	c.Flush()
	return text.String()
}

// combinations calls f with every choice of one sample for each kind.
func combinations(kinds []string, chosen []any, f func([]any)) {
	if len(chosen) == len(kinds) {
		f(chosen)
		return
	}
	for i, v := range samples[kinds[len(chosen)]] {
		if len(kinds) < 3 || i%2 == len(chosen)%2 { // enough of so many
			combinations(kinds, append(chosen[:len(chosen):len(chosen)], v), f)
		}
	}
}

func TestPrintsOfPlainValuesAreThoseOfFmt(t *testing.T) {
	g := New()
	support := g.printSupport()
	formats := []string{"", "%", "%v", "[%v] %v", "%5.2f|%d|%s", "%q %x"}
	for _, first := range []string{"int", "string", "float64"} {
		for _, second := range []string{"", "int", "string", "float64"} {
			for _, third := range []string{"", "int", "string", "float64"} {
				kinds := strings.Fields(first + " " + second + " " + third)
				if second == "" && third != "" {
					continue
				}
				combinations(kinds, nil, func(values []any) {
					for function, want := range map[string]func(...any) string{"Print": fmt.Sprint, "Println": fmt.Sprintln} {
						name := Following("fmt", function, kinds)
						if support[name] == nil {
							t.Fatalf("there is no %s", name)
						}
						if got := printedBy(t, g, support[name], values); got != want(values...) {
							t.Errorf("%s%v prints %q, want %q", name, values, got, want(values...))
						}
					}
				})
				if first != "string" {
					continue
				}
				for _, format := range formats {
					name, values := Following("fmt", "Printf", kinds), []any{}
					for _, kind := range kinds[1:] {
						values = append(values, samples[kind][2])
					}
					if got, want := printedBy(t, g, support[name], append([]any{format}, values...)), fmt.Sprintf(format, values...); got != want {
						t.Errorf("%s of %q %v prints %q, want %q", name, format, values, got, want)
					}
				}
			}
		}
	}
}

func TestFollowingNamesAFunctionForEveryCall(t *testing.T) {
	support := New().printSupport()
	for _, name := range []string{"Print", "Printf", "Println"} {
		for _, kinds := range [][]string{nil, {}, {""}, {"", "int"}, {"string", "", "int"}, {"string", "int", "int", "int"}, {"string", "string"}} {
			if f := Following("fmt", name, kinds); support[f] == nil {
				t.Errorf("%s%q: there is no %q", name, kinds, f)
			}
		}
	}
	if f := Following("fmt", "Sprint", nil); f != "" {
		t.Errorf("what prints nothing is replaced by %s", f)
	}
}
