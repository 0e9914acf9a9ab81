package display

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

type result struct {
	Method string
	recall float64
	Note   any
}

func TestSliceOfStructsHasATable(t *testing.T) {
	data, _ := Bundle([]result{{"<clip>", 0.5, nil}, {"vmf", 1.0 / 3, "ok"}})
	want := `<table>
<thead>
<tr><th style="text-align:left">Method</th><th style="text-align:right">recall</th><th style="text-align:left">Note</th></tr>
</thead>
<tbody>
<tr><td style="text-align:left">&lt;clip&gt;</td><td style="text-align:right">0.5</td><td style="text-align:left">&lt;nil&gt;</td></tr>
<tr><td style="text-align:left">vmf</td><td style="text-align:right">0.333333</td><td style="text-align:left">ok</td></tr>
</tbody>
</table>
`
	if data[textHTML] != want {
		t.Errorf("got %s", data[textHTML])
	}
}

func TestNoTableWhereTheTextSaysMore(t *testing.T) {
	for _, value := range []any{[]time.Time{{}}, []result{}, []int{1, 2}, []struct{}{{}}, map[string]int{}, []celsius{1}, [][]byte{{1}}, []byte("a")} {
		if data, _ := Bundle(value); data[textHTML] != nil {
			t.Errorf("%T: %s", value, data[textHTML])
		}
	}
}

func TestAStructHasATableOfItsFields(t *testing.T) {
	for _, value := range []any{point{1, 2}, &point{1, 2}} {
		data, _ := Bundle(value)
		page, _ := data[textHTML].(string)
		if !strings.Contains(page, `<td style="text-align:left">X</td><td style="text-align:right">1</td>`) || !strings.Contains(page, ">Y<") {
			t.Errorf("%T: %q", value, page)
		}
	}
	// Single fields, unexported fields, and values that format themselves.
	for _, value := range []any{struct{ A int }{1}, time.Time{}, &strings.Builder{}, (*point)(nil), struct{}{}, stringer{1, 2}, &stringer{1, 2}} {
		if data, _ := Bundle(value); data[textHTML] != nil {
			t.Errorf("%T: %s", value, data[textHTML])
		}
	}
}

type stringer struct{ A, B int }

func (*stringer) String() string { return "own" }

func TestPointersAndNilInATable(t *testing.T) {
	data, _ := Bundle([]*result{{Method: "a"}, nil})
	if page := data[textHTML].(string); !strings.Contains(page, ">a<") || !strings.Contains(page, "&lt;nil&gt;") {
		t.Errorf("got %s", page)
	}
}

func TestLongTableShowsBothEnds(t *testing.T) {
	rows := make([]point, 100)
	for i := range rows {
		rows[i].X = i
	}
	data, _ := Bundle(rows)
	page, script, _ := strings.Cut(data[textHTML].(string), "<script")
	if !strings.Contains(script, `["50","0"]`) || !strings.Contains(script, `"head":["X","Y"]`) {
		t.Errorf("no rows for the page: %s", script)
	}
	if !strings.Contains(page, "100 rows × 2 columns") || !strings.Contains(page, ">99<") || strings.Contains(page, ">50<") {
		t.Errorf("got %s", page)
	}
	if strings.Count(page, "⋮") != 2 || strings.Index(page, "⋮") > strings.Index(page, ">95<") || strings.Index(page, "⋮") < strings.Index(page, ">19<") {
		t.Errorf("ellipsis is not between rows 19 and 95: %s", page)
	}
}

func TestTableInText(t *testing.T) {
	now := time.Now()
	tests := []struct {
		name  string
		value any
		names []string
		want  string
	}{
		{"rows", [][]any{{"clip", 0.584}, {"asymvlm-vmf", 0.4}}, []string{"method", "R@1"},
			"method         R@1\nclip         0.584\nasymvlm-vmf    0.4"},
		{"map", map[string]int{"b": 10, "a": 2}, nil, "a   2\nb  10"},
		{"map of structs", map[string]point{"p": {1, 2}}, []string{"name", "x", "y"}, "name  x  y\np     1  2"},
		{"map of structs without names", map[string]point{"p": {1, 2}}, nil, "   X  Y\np  1  2"},
		{"rows of JSON", []any{map[string]any{"id": 1234567890.0, "name": "a"}, map[string]any{"id": nil, "tag": true}}, nil,
			"id          name  tag\n1234567890  a\n<nil>             true"},
		{"maps and others", []any{map[string]any{"a": 1}, 2}, nil, "map[a:1]\n2"},
		{"one struct", point{1, 2}, nil, "X  1\nY  2"},
		{"pointer to a struct", &point{1, 2}, nil, "X  1\nY  2"},
		{"large numbers", []float64{1234567.89, 1e15, -2e6, 123456.789}, nil, " 1234568\n   1e+15\n-2000000\n  123457"},
		{"pointers", []*float64{new(2.5), nil}, nil, "2.5\n<nil>"},
		{"times", []time.Time{now}, nil, now.Round(0).String()},
		{"column", []string{"κ", "longer"}, nil, "κ\nlonger"},
		{"ragged", [][]int{{1}, {2, 3}}, nil, "1\n2  3"},
		{"numbers", [][]float64{{-1, 10}, {0.25, 1e6}}, nil, "  -1       10\n0.25  1000000"},
		{"values that format themselves", []celsius{20, 1}, nil, "20.0°C\n 1.0°C"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := record(t)
			Table(test.value, test.names...)
			if got := r.last(t)[textPlain]; got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if page, _ := r.last(t)[textHTML].(string); !strings.Contains(page, "<table>") {
				t.Errorf("no table in %q", page)
			}
		})
	}
}

func TestTableOfManyColumnsHasAnEllipsis(t *testing.T) {
	r := record(t)
	wide := [][]int{make([]int, 1000), make([]int, 1000)}
	Table(wide)
	if text := r.last(t)[textPlain].(string); !strings.Contains(text, "…") || len(text) > 300 {
		t.Errorf("got %q", text)
	}
}

func TestTableOfNoRowsIsShownAsValue(t *testing.T) {
	r := record(t)
	Table(42)
	if got := r.last(t)[textPlain]; got != "42" {
		t.Errorf("got %q", got)
	}
}

func TestWrongNumberOfColumnNamesPanics(t *testing.T) {
	record(t)
	defer func() {
		if got := fmt.Sprint(recover()); got != "display: 1 column names for a table of 2 columns" {
			t.Errorf("got %q", got)
		}
	}()
	Table([]point{{1, 2}}, "x")
}
