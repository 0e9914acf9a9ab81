package nbformat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// inNotebook returns a notebook file with the JSON of cells.
func inNotebook(minor int, cells ...string) []byte {
	return fmt.Appendf(nil, `{"nbformat":4,"nbformat_minor":%d,"metadata":{},"cells":[%s]}`, minor, strings.Join(cells, ","))
}

// field returns a part of a written notebook by its path.
func field(t *testing.T, text string, path ...any) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

func TestTextsAreStoredAsLines(t *testing.T) {
	for text, want := range map[string][]any{
		"":            {},
		"one":         {"one"},
		"one\n":       {"one\n"},
		"one\ntwo":    {"one\n", "two"},
		"\n\n":        {"\n", "\n"},
		"a\r\nb\rc":   {"a\r\n", "b\rc"},
		"κ\u2028η\nμ": {"κ\u2028η\n", "μ"},
	} {
		n := New()
		n.Add(Code, text).Outputs = []Output{
			{Type: Stream, Name: "stdout", Text: text},
			{Type: DisplayData, Data: map[string]any{"text/html": text, "image/svg+xml": text, "image/png": text, "application/json": text}},
		}
		file := written(t, n)
		data := field(t, file, "cells", 0, "outputs", 1, "data").(map[string]any)
		for place, got := range map[string]any{
			"source": field(t, file, "cells", 0, "source"),
			"stream": field(t, file, "cells", 0, "outputs", 0, "text"),
			"html":   data["text/html"],
			"svg":    data["image/svg+xml"],
		} {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %q is %q, want %q", place, text, got, want)
			}
		}
		if data["image/png"] != text || data["application/json"] != text {
			t.Errorf("pictures and JSON of %q were split", text)
		}
		again, err := Read([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if again.Cells[0].Source != text || again.Cells[0].Outputs[0].Text != text || again.Cells[0].Outputs[1].Data["text/html"] != text {
			t.Errorf("%q came back as %+v", text, again.Cells[0])
		}
	}
}

func TestJSONDataKeepsItsLists(t *testing.T) {
	for _, mime := range []string{"application/json", "application/vnd.vegalite.v5+json"} {
		n, err := Read(inNotebook(5, `{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":null,"outputs":[
			{"output_type":"display_data","metadata":{},"data":{"`+mime+`":["x","y"]}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(n.Cells[0].Outputs[0].Data[mime]); got != "[x y]" {
			t.Errorf("%s became %q", mime, got)
		}
	}
}

func TestNumbersKeepTheirText(t *testing.T) {
	n, err := Read(inNotebook(5, `{"cell_type":"raw","id":"a","source":"","metadata":{"n":[1.0,1e5,-0,0.1000,12345678901234567890123]}}`))
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, n)
	for _, number := range []string{" 1.0,", " 1e5,", " -0,", " 0.1000,", " 12345678901234567890123\n"} {
		if !strings.Contains(text, number) {
			t.Errorf("%s is lost in %s", number, text)
		}
	}
}

// papermill stores the parameter inf in the metadata as Python's json.dumps writes it.
func TestConstantsOfPythonAreNumbers(t *testing.T) {
	const cell = `{"cell_type":"code","id":"a","source":"x := \"NaN, Infinity\" // [-Infinity,]","metadata":{"NaN":{"Infinity":-Infinity}},"execution_count":null,
		"outputs":[{"output_type":"display_data","metadata":{},"data":{"application/json":[NaN, 1e10,-Infinity,"\\",Infinity]}}]}`
	file := strings.Replace(string(inNotebook(5, cell)), `"metadata":{}`, `"metadata":{"papermill":{"parameters":{"x":Infinity , "y":NaN}}}`, 1)
	n, err := Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	parameters := n.Metadata["papermill"].(map[string]any)["parameters"].(map[string]any)
	x, errX := parameters["x"].(json.Number).Float64()
	y, errY := parameters["y"].(json.Number).Float64()
	if !math.IsInf(x, 1) || !math.IsNaN(y) || errX != nil || errY != nil {
		t.Errorf("x is %v, y is %v, %v, %v", x, y, errX, errY)
	}
	if source := n.Cells[0].Source; source != `x := "NaN, Infinity" // [-Infinity,]` {
		t.Errorf("the source became %s", source)
	}
	text := written(t, n)
	for _, want := range []string{"\"x\": Infinity,\n", "\"y\": NaN\n", "\"NaN\": {\n     \"Infinity\": -Infinity\n",
		"[\n       NaN,\n       1e10,\n       -Infinity,\n       \"\\\\\",\n       Infinity\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lost in %s", want, text)
		}
	}
	again, err := Read([]byte(text))
	if err != nil || !reflect.DeepEqual(again, n) {
		t.Errorf("came back as %+v, %v", again, err)
	}
}

// What Python's json.loads refuses is refused.
func TestOnlyWholeValuesAreConstants(t *testing.T) {
	for _, value := range []string{"Infinity1", "1Infinity", "--Infinity", "+Infinity", "-NaN", "nan", "inf", "NaNNaN", "- Infinity", "[NaN"} {
		if _, err := Read([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{"x":` + value + `},"cells":[]}`)); err == nil || !strings.Contains(err.Error(), "not JSON") {
			t.Errorf("%s: %v", value, err)
		}
	}
	if _, err := Read([]byte(`{"nbformat":Infinity,"nbformat_minor":5,"metadata":{},"cells":[]}`)); err == nil || !strings.Contains(err.Error(), "Infinity is not supported") {
		t.Error(err)
	}
	if _, err := Read([]byte(`{"nbformat":4,"nbformat_minor":NaN,"metadata":{},"cells":[]}`)); err == nil || !strings.Contains(err.Error(), "the number NaN, want an integer") {
		t.Error(err)
	}
}

func TestMissingFieldsWithOneMeaningAreFilledIn(t *testing.T) {
	n, err := Read(inNotebook(5,
		`{"cell_type":"code","id":"a","source":"x"}`,
		`{"cell_type":"code","id":"b","source":"x","outputs":[{"output_type":"display_data"},{"output_type":"error","ename":"E","evalue":""}]}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, n)
	if field(t, text, "cells", 0, "execution_count") != nil || fmt.Sprint(field(t, text, "cells", 0, "outputs")) != "[]" ||
		fmt.Sprint(field(t, text, "cells", 0, "metadata")) != "map[]" {
		t.Errorf("cell is %v", field(t, text, "cells", 0))
	}
	if got := fmt.Sprint(field(t, text, "cells", 1, "outputs")); got !=
		"[map[data:map[] metadata:map[] output_type:display_data] map[ename:E evalue: output_type:error traceback:[]]]" {
		t.Errorf("outputs are %s", got)
	}
}

func TestTextCellsHaveNoOutputs(t *testing.T) {
	n := New()
	n.Add(Markdown, "text")
	cell := field(t, written(t, n), "cells", 0).(map[string]any)
	if len(cell) != 4 {
		t.Errorf("fields of a text cell: %v", cell)
	}
}

func TestAttachmentsAreKept(t *testing.T) {
	n, err := Read(inNotebook(5, `{"cell_type":"markdown","id":"a","metadata":{},"source":"","attachments":{
		"a.png":{"image/png":"AA=="},"b.svg":{"image/svg+xml":["<svg>\n","</svg>"]},"odd":[1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	files := n.Cells[0].Attachments
	if svg := files["b.svg"].(map[string]any)["image/svg+xml"]; svg != "<svg>\n</svg>" {
		t.Errorf("drawing is %q", svg)
	}
	got := fmt.Sprint(field(t, written(t, n), "cells", 0, "attachments"))
	if got != "map[a.png:map[image/png:AA==] b.svg:map[image/svg+xml:[<svg>\n </svg>]] odd:[1]]" {
		t.Errorf("attachments %s", got)
	}
}

func TestKeysAreInAlphabeticalOrder(t *testing.T) {
	n := New()
	n.Metadata = map[string]any{"b": 1, "a": map[string]any{"z": nil, "Y": true}, "Ä": 2, "_": 3}
	text := written(t, n)
	last := -1
	for _, key := range []string{`"cells"`, `"metadata"`, `"_"`, `"a"`, `"Y"`, `"z"`, `"b"`, `"Ä"`, `"nbformat"`, `"nbformat_minor"`} {
		at := strings.Index(text, key+":")
		if at <= last {
			t.Errorf("%s is not in order in %s", key, text)
		}
		last = at
	}
}

func TestIDsAreGivenOnceAndStay(t *testing.T) {
	n := New()
	for range 100 {
		n.Add(Code, "same")
	}
	seen := map[string]bool{}
	for _, cell := range n.Cells {
		if !idPattern.MatchString(cell.ID) || seen[cell.ID] {
			t.Errorf("id %q", cell.ID)
		}
		seen[cell.ID] = true
	}
	first := n.Cells[0].ID
	n.Cells[0].Source = "changed"
	var text bytes.Buffer
	if err := Write(&text, n); err != nil || n.Cells[0].ID != first {
		t.Errorf("id became %q, %v", n.Cells[0].ID, err)
	}
}

func TestOddTagsAreNoTags(t *testing.T) {
	for _, tags := range []any{nil, "parameters", []any{1, nil}, map[string]any{"parameters": true}} {
		cell := Cell{Metadata: map[string]any{"tags": tags}}
		if cell.HasTag("parameters") {
			t.Errorf("%v counts as a tag", tags)
		}
	}
	if (&Cell{}).HasTag("parameters") {
		t.Error("a cell without metadata has a tag")
	}
}
