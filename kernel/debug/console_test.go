//go:build !race

package debug_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// planets is a cell that stops with many variables to examine.
const planets = `type Planet struct { Name string; Mass float64; moons []string }
func (p *Planet) Moons() int { return len(p.moons) }
type Shape interface { Area() float64 }
type Disc struct { r float64 }
func (d Disc) Area() float64 { return 3 * d.r * d.r }
func look(big []int, byName map[string]*Planet, shape Shape, seen [2]bool) int {
	const mars = "mars"
	return len(big) + byName[mars].Moons()
}
weights := make([]int, 25_000)
weights[24_999] = 7
look(weights, map[string]*Planet{"mars": {"Mars", 0.107, []string{"Phobos", "Deimos"}}, "earth": {"Earth", 1, []string{"Moon"}}}, Disc{2}, [2]bool{true})`

// stopAtPlanets runs the cell to its breakpoint, and returns the frame and its variables.
func stopAtPlanets(t *testing.T) (c *client, id string, frame int, local map[string]dap.Variable) {
	t.Helper()
	c = dial(t)
	c.attach()
	c.breakIn(planets, dap.SourceBreakpoint{Line: 8})
	id = c.execute(planets)
	frame = c.at("look:8 Cell [1]:12")[0].Id
	var scopes dap.ScopesResponseBody
	c.ask("scopes", dap.ScopesArguments{FrameId: frame}, &scopes)
	if len(scopes.Scopes) != 2 || scopes.Scopes[0].PresentationHint != "locals" || scopes.Scopes[0].NamedVariables != 4 {
		t.Fatalf("scopes are %+v", scopes.Scopes)
	}
	local = map[string]dap.Variable{"": {VariablesReference: scopes.Scopes[0].VariablesReference}}
	var list dap.VariablesResponseBody
	c.ask("variables", dap.VariablesArguments{VariablesReference: scopes.Scopes[0].VariablesReference}, &list)
	for _, v := range list.Variables {
		local[v.Name] = v
	}
	return c, id, frame, local
}

func TestTranscriptOfVariablesOfCellTypesAndTheirPages(t *testing.T) {
	c, id, _, local := stopAtPlanets(t)
	for name, want := range map[string]string{
		"byName": `map[string]*Planet map["earth":&{Name:"Earth" Mass:1 moons:["Moon"]} "mars":&{Name:"Mars" Mass:0.107 moons:["Phobos" "Deimos"]}] 2`,
		"shape":  "Shape(Disc) {r:2} 0", "seen": "[2]bool [true false] 2",
	} {
		v := local[name]
		if got := fmt.Sprint(v.Type, " ", v.Value, " ", v.IndexedVariables); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if v := local["big"]; v.Type != "[]int" || v.IndexedVariables != 25_000 || !strings.HasPrefix(v.Value, "[0 0 0 0") || !strings.HasSuffix(v.Value, "… length 25000") || len(v.Value) > 400 {
		t.Errorf("big is %s", v.Value)
	}
	for _, p := range []struct {
		of   string
		page dap.VariablesArguments
		want string
	}{
		{"big", dap.VariablesArguments{Filter: "indexed", Start: 24_998, Count: 100}, "[24998] int = 0; [24999] int = 7"},
		{"big", dap.VariablesArguments{Filter: "named"}, ""},
		{"shape", dap.VariablesArguments{}, "r float64 = 2"},
		{"byName", dap.VariablesArguments{Start: 1, Count: 1}, `["mars"] *Planet = &{Name:"Mars" Mass:0.107 moons:["Phobos" "Deimos"]}`},
		{"seen", dap.VariablesArguments{}, "[0] bool = true; [1] bool = false"},
	} {
		p.page.VariablesReference = local[p.of].VariablesReference
		var list dap.VariablesResponseBody
		c.ask("variables", p.page, &list)
		if got := words(list.Variables); got != p.want {
			t.Errorf("%s %+v has %s, want %s", p.of, p.page, got, p.want)
		}
	}
	// A client that requests all of them gets groups, and groups of groups.
	reference, names := local["big"].VariablesReference, []string{}
	for range 3 {
		var list dap.VariablesResponseBody
		c.ask("variables", dap.VariablesArguments{VariablesReference: reference}, &list)
		last := list.Variables[len(list.Variables)-1]
		reference, names = last.VariablesReference, append(names, fmt.Sprint(len(list.Variables), " ", last.Name))
	}
	compare(t, "groups", names, "3 [20000:25000]", "50 [24900:25000]", "100 [24999]")
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ended(id, "ok")
}

func TestTranscriptOfTheConsole(t *testing.T) {
	c, id, frame, local := stopAtPlanets(t)
	c.evaluates(frame, "big[0] = 5", "")
	c.evaluates(frame, "big[0]++; big[0]", "int 6")
	c.evaluates(frame, `byName["mars"].Moons()`, "int 2")
	c.evaluates(frame, "mars", `string "mars"`)
	c.evaluates(frame, "shape.(Disc).r", "float64 2")
	c.evaluates(frame, "x := 1", "a debugger declares nothing: assign with =, or declare in a cell")
	c.evaluates(frame, "big[len(big)]", "runtime error: index out of range [25000] with length 25000")
	c.evaluates(0, "len(big)", "undefined: big") // outside of the call
	c.evaluates(frame, `fmt.Println("printed")`, "")
	var set dap.SetVariableResponseBody
	c.ask("setVariable", dap.SetVariableArguments{VariablesReference: local["big"].VariablesReference, Name: "[1]", Value: "big[0] * 2"}, &set)
	if set.Value != "12" || set.Type != "int" {
		t.Errorf("setting gives %+v", set)
	}
	var expression dap.SetExpressionResponseBody
	c.ask("setExpression", dap.SetExpressionArguments{FrameId: frame, Expression: `byName["mars"].Mass`, Value: "0.11"}, &expression)
	if expression.Value != "0.11" {
		t.Errorf("setting gives %+v", expression)
	}
	if problem := c.ask("setVariable", dap.SetVariableArguments{VariablesReference: local[""].VariablesReference, Name: "seen", Value: "1"}, nil); !strings.Contains(problem, "cannot use 1") {
		t.Errorf("a wrong type gives %q", problem)
	}
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ended(id, "ok")
	c.ended(c.execute("weights[1]"), "ok")
	_, outputs := c.told()
	compare(t, "outputs", outputs, "stream printed", "execute_result 25002", "execute_result 12")
}

func TestTheConsoleCompletesNamesOfTheStoppedCall(t *testing.T) {
	c, id, frame, _ := stopAtPlanets(t)
	complete := func(frame int, text string) dap.CompletionsResponseBody {
		var found dap.CompletionsResponseBody
		lines := strings.Split(text, "\n")
		c.ask("completions", dap.CompletionsArguments{FrameId: frame, Text: text, Line: len(lines), Column: len([]rune(lines[len(lines)-1])) + 1}, &found)
		return found
	}
	for _, p := range []struct {
		frame int
		text  string
		want  []string // "label kind start length"
		not   []string
	}{
		{frame, "b", []string{"big variable 1 1", "byName variable 1 1", "bool class 1 1"}, []string{"weights variable"}},
		{frame, `1 + byName["mars"].`, []string{"Name field 20 0", "Moons method 20 0", "moons field 20 0"}, []string{"big variable"}},
		{frame, "ma", []string{"mars value 1 2", "math module 1 2"}, nil},
		{frame, "big[0] = 1\nshape.A", []string{"Area method 7 1"}, nil},
		{frame, "wei", []string{"weights variable 1 3"}, nil},
		{0, "b", []string{"bool class 1 1"}, []string{"big variable", "byName variable"}},
	} {
		var got []string
		for _, item := range complete(p.frame, p.text).Targets {
			got = append(got, fmt.Sprint(item.Label, " ", item.Type, " ", item.Start, " ", item.Length))
			if slices.Contains(p.not, fmt.Sprint(item.Label, " ", item.Type)) {
				t.Errorf("%q offers %s", p.text, item.Label)
			}
		}
		for _, want := range p.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q offers %q, want %s among them", p.text, got, want)
			}
		}
	}
	if problem := c.ask("completions", dap.CompletionsArguments{FrameId: 99, Text: "b", Column: 2}, nil); !strings.Contains(problem, "there is no frame 99") {
		t.Errorf("an unknown frame gives %q", problem)
	}
	c.ask("continue", map[string]any{"threadId": 1}, nil)
	c.ended(id, "ok")
}
