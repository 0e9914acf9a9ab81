package run

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

func parameters(t *testing.T, texts ...string) []Parameter {
	t.Helper()
	var all []Parameter
	for _, text := range texts {
		p, err := ParseParameter(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestValuesBecomeGoLiterals(t *testing.T) {
	for _, test := range []struct{ value, wanted, want string }{
		{"5", "", "5"},
		{"-007", "", "-7"},
		{"2.5", "", "2.5"},
		{"1e-3", "", "0.001"},
		{"1e30", "", "1e+30"},
		{"3.0", "", "3.0"},
		{"inf", "", "math.Inf(1)"},
		{"-inf", "", "math.Inf(-1)"},
		{"nan", "", "math.NaN()"},
		{"0x10", "", `"0x10"`},
		{"99999999999999999999", "", "1e+20"},
		{"True", "", "true"},
		{"false", "", "false"},
		{"None", "", "nil"},
		{"coco", "", `"coco"`},
		{`say "κ"`, "", `"say \"κ\""`},
		{"", "", `""`},
		{"5", "string", `"5"`},
		{"True", "string", `"True"`},
		{"[1, 2]", "", "[]int{1, 2}"},
		{"[1, 2.5]", "", "[]float64{1, 2.5}"},
		{"[1, 2]", "[]float64", "[]float64{1, 2}"},
		{`["a", "b"]`, "", `[]string{"a", "b"}`},
		{"[true]", "", "[]bool{true}"},
		{`[1, "a", null]`, "", `[]any{1, "a", nil}`},
		{"[[1], [2, 3]]", "", "[][]int{[]int{1}, []int{2, 3}}"},
		{"[[1], [2]]", "[][]float64", "[][]float64{[]float64{1}, []float64{2}}"},
		{"[]", "", "[]any{}"},
		{"[]", "[]string", "[]string{}"},
		{`{"b": 1, "a": 2.5}`, "", `map[string]float64{"a": 2.5, "b": 1}`},
		{`{"k": [1, null]}`, "map[string]any", `map[string]any{"k": []any{1, nil}}`},
		{`{"a": {"b": [true]}}`, "", `map[string]map[string][]bool{"a": map[string][]bool{"b": []bool{true}}}`},
		{`{"a": 1, "b": "x"}`, "", `map[string]any{"a": 1, "b": "x"}`},
		{`{}`, "", "map[string]any{}"},
		{`{}`, "map[string]int", "map[string]int{}"},
		{`{"2": "b", "10": "a"}`, "map[int]string", `map[int]string{10: "a", 2: "b"}`},
		{`{"true": [1]}`, "map[bool][]float64", "map[bool][]float64{true: []float64{1}}"},
		{`[{"a": 1}, {"b": 2}]`, "", `[]map[string]int{map[string]int{"a": 1}, map[string]int{"b": 2}}`},
		{`[{"a": 1}]`, "[]map[string]float64", `[]map[string]float64{map[string]float64{"a": 1}}`},
		{`{"a": null}`, "map[string][]int", `map[string][]int{"a": nil}`},
		{`{"lr": 0.1}`, "Rates", `Rates{"lr": 0.1}`},
		{`[1]`, "Sizes", `Sizes{1}`},
		{"None", "map[string]int", "nil"},
		{`{"a": 1}`, "string", `"{\"a\": 1}"`},
		{"{name}.csv", "", `"{name}.csv"`},
	} {
		got, err := Literal(test.value, test.wanted)
		if err != nil || got != test.want {
			t.Errorf("%s as %q: got %s, %v, want %s", test.value, test.wanted, got, err, test.want)
		}
	}
	for _, test := range []struct{ value, wanted, want string }{
		{"[1,", "", `[1, is no list as JSON has them, such as [1, 2] or ["a", "b"]: unexpected EOF`},
		{"[1] 2", "", "[1] 2 is no list as JSON has them, such as [1, 2] or [\"a\", \"b\"]: more text follows the value"},
		{"{1}", "map[string]int", `{1} is no object as JSON has them, such as {"a": 1}: `},
		{"x", "map[string]int", `x is no object as JSON has them`},
		{"x", "[]int", `x is no list as JSON has them`},
		{"3", "[]int", `3 is no value of []int`},
		{"[1]", "map[string]int", "a list is no value of map[string]int"},
		{"{}", "[]int", "an object is no value of []int"},
		{`{"a": 1.5}`, "map[string]int", `the value of "a": 1.5 is no value of int`},
		{`{"a": "x"}`, "map[string]float64", `the value of "a": "x" is no value of float64`},
		{`{"a": null}`, "map[string]string", `the value of "a": null is no value of string`},
		{`{"a": [1, true]}`, "map[string][]int", `the value of "a": element 2: true is no value of int`},
		{`{"a": 1}`, "map[int]int", `the key "a" is not an integer`},
		{`["a"]`, "[]bool", `element 1: "a" is no value of bool`},
	} {
		value := test.value
		want := test.want
		if _, err := Literal(value, test.wanted); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", value, err)
		}
	}
}

func TestTextsThatAreNoValueOfTheParametersTypeAreRefused(t *testing.T) {
	for _, c := range []struct{ source, value, want string }{
		{"p := 3", "many", `parameter p: "many" is not an integer`},
		{"p := 3", "1.5", `parameter p: "1.5" is not an integer`},
		{"var p uint8", "0x10", `parameter p: "0x10" is not an integer`},
		{"p := 3", "1e3", ""},
		{"p := 0.5", "half", `parameter p: "half" is no number`},
		{"p := 0.5", "2", ""},
		{"var p float32", "nan", ""},
		{"p := true", "yes", `parameter p: "yes" is no bool: write true or false`},
		{"p := true", "False", ""},
		{"p := f()", "anything", ""}, // its type is not seen here
		{"import \"math\"\np := 1", "x", `parameter p: "x" is not an integer`},
	} {
		n := nbformat.New()
		n.Add(nbformat.Code, c.source, "parameters")
		unknown, err := Inject(n, parameters(t, "p="+c.value))
		if c.want == "" && (err != nil || len(unknown) > 0) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %s: %q, %v, want %s", c.source, c.value, unknown, err, c.want)
		}
	}
	n := nbformat.New()
	n.Add(nbformat.Code, "b, a := 1, 2\nvar c string\n_ = a", "parameters")
	if got := Defined(n); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("defined are %q", got)
	}
	if _, err := Inject(n, parameters(t, "a=1", "a=2")); err == nil || !strings.Contains(err.Error(), "a is given twice") {
		t.Errorf("twice: %v", err)
	}
}

func TestParameterNeedsAGoName(t *testing.T) {
	p, err := ParseParameter("data=a=b")
	if err != nil || p != (Parameter{"data", "a=b"}) {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, text := range []string{"epochs", "=5", "two words=1", "func=1", "a-b=1"} {
		if _, err := ParseParameter(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestInjectedCellFollowsTheParametersCell(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Markdown, "# Title")
	n.Add(nbformat.Code, `epochs, seeds := 40, []float64{0}
rate := 0.01
var data string
var (
	quick = false
	names []string
)`, "parameters")
	n.Add(nbformat.Code, "epochs")
	unknown, err := Inject(n, parameters(t, "epochs=5", "seeds=[1, 2]", "rate=1", "data=7", "quick=True", `names=["a"]`, "typo=x"))
	if err != nil {
		t.Fatal(err)
	}
	want := `// Parameters
epochs = 5
seeds = []float64{1, 2}
rate = 1
data = "7"
quick = true
names = []string{"a"}
typo := "x"`
	injected := n.Cells[2]
	if injected.Source != want || !injected.HasTag("injected-parameters") || len(n.Cells) != 4 {
		t.Errorf("got\n%s", injected.Source)
	}
	if strings.Join(unknown, " ") != "typo" {
		t.Errorf("unknown names %q", unknown)
	}
}

func TestInjectingAgainReplacesTheCell(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Code, "epochs := 40", "parameters")
	for _, value := range []string{"epochs=1", "epochs=2"} {
		if _, err := Inject(n, parameters(t, value)); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.Cells) != 2 || n.Cells[1].Source != "// Parameters\nepochs = 2" {
		t.Errorf("%d cells, injected %q", len(n.Cells), n.Cells[1].Source)
	}
}

func TestWithoutParametersCellTheValuesComeFirst(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Code, "x + 1")
	unknown, err := Inject(n, parameters(t, "x=nan"))
	if err != nil || n.Cells[0].Source != "// Parameters\nimport \"math\"\nx := math.NaN()" || len(unknown) != 1 {
		t.Errorf("got %q, %v, %v", n.Cells[0].Source, unknown, err)
	}
}

func TestNothingToInjectChangesNothing(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Code, "x", "injected-parameters")
	if _, err := Inject(n, nil); err != nil || len(n.Cells) != 1 || n.Cells[0].Source != "x" {
		t.Errorf("notebook changed, %v", err)
	}
}

func TestBrokenParametersCellStillTakesValues(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Code, "epochs := := 3", "parameters")
	unknown, err := Inject(n, parameters(t, "epochs=5"))
	if err != nil || len(unknown) != 1 || n.Cells[1].Source != "// Parameters\nepochs := 5" {
		t.Errorf("got %q, %v, %v", n.Cells[1].Source, unknown, err)
	}
	if _, err := Inject(n, parameters(t, "list=[1")); err == nil || !strings.Contains(err.Error(), "parameter list: [1 is no list") {
		t.Errorf("got %v", err)
	}
}

func TestValuesOfParametersAreThoseThatCount(t *testing.T) {
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "quick := false\nvar epochs, seed int = 20, 1\ndata := []string{\"a\"}\nquick = true // the last one counts", "parameters")
	if _, err := Inject(notebook, parameters(t, "epochs=inf", "other=x")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"quick": "true", "epochs": "math.Inf(1)", "seed": "1", "data": `[]string{"a"}`, "other": `"x"`}
	if got := Values(notebook); !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := Values(nbformat.New()); len(got) != 0 {
		t.Errorf("an empty notebook has the parameters %q", got)
	}
}
