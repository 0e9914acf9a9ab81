package nbformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func written(t *testing.T, n *Notebook) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, n); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestFileOfJupyterComesBackByteForByte(t *testing.T) {
	want, err := os.ReadFile("testdata/jupyter.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Read(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := written(t, n); got != string(want) {
		t.Errorf("came back as\n%s", got)
	}
	if err := n.Check(); err != nil {
		t.Errorf("a file of Jupyter is not valid: %v", err)
	}
}

func TestReadJoinsLines(t *testing.T) {
	n, err := ReadFile("testdata/jupyter.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	code := n.Cells[1]
	if got := n.Cells[0].Source; got != "# κ and \"η\" <&>\n\ntab\there, separator \\u2028" {
		t.Errorf("source %q", got)
	}
	if code.Outputs[0].Text != "one\ntwo" || code.Outputs[1].Data["image/svg+xml"] != "<svg>\n</svg>" || code.Outputs[2].Data["text/plain"] != "42" {
		t.Errorf("outputs %+v", code.Outputs)
	}
	if !code.HasTag("parameters") || code.HasTag("param") || code.ExecutionCount != 3 {
		t.Errorf("cell %+v", code)
	}
	if !strings.HasPrefix(code.Outputs[3].Traceback[0], "\x1b[31m") {
		t.Errorf("traceback %q", code.Outputs[3].Traceback)
	}
}

func TestUnknownFieldsAreKeptAndReported(t *testing.T) {
	file := `{"nbformat":4,"nbformat_minor":5,"metadata":{},"future":[1.50],"cells":[
		{"cell_type":"code","id":"a","metadata":{},"source":"x","execution_count":null,"extra":{"k":"v"},
		 "outputs":[{"output_type":"stream","name":"stdout","text":"t","more":true}]}]}`
	n, err := Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, n)
	for _, want := range []string{"\"future\": [\n  1.50\n ]", "\"k\": \"v\"", "\"more\": true"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is lost in %s", want, text)
		}
	}
	err = n.Check()
	if err == nil || err.Error() != `notebook: field "future" is not in format 4.5
notebook: cell 1 (id a): field "extra" is not in format 4.5
notebook: cell 1 (id a): output 1: field "more" is not in format 4.5` {
		t.Errorf("got %v", err)
	}
	n.Minor = 6 // a later format may have them
	if err := n.Check(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(written(t, n), `"nbformat_minor": 6`) {
		t.Error("later minor version is lost")
	}
}

func TestOldFilesAreUpgraded(t *testing.T) {
	for _, minor := range []string{"0", "1", "2", "3", "4"} {
		file := `{"nbformat":4,"nbformat_minor":` + minor + `,"metadata":{},"cells":[
			{"cell_type":"markdown","metadata":{},"source":["same"]},{"cell_type":"markdown","metadata":{},"source":["same"]},
			{"cell_type":"code","metadata":{"collapsed":true},"source":[],"outputs":[],"execution_count":null}]}`
		n, err := Read([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Check(); err != nil {
			t.Errorf("4.%s: %v", minor, err)
		}
		first, second := written(t, n), written(t, again)
		if first != second || !strings.Contains(first, `"nbformat_minor": 5`) {
			t.Errorf("4.%s: upgraded twice to different files", minor)
		}
	}
}

func TestAByteOrderMarkIsIgnored(t *testing.T) {
	if _, err := Read([]byte("\ufeff{\"nbformat\":4,\"nbformat_minor\":5,\"metadata\":{},\"cells\":[]}")); err != nil {
		t.Error(err)
	}
}

func TestErrorsNameCellAndField(t *testing.T) {
	cell := func(fields string) string {
		return `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"raw","metadata":{},"source":""},{"id":"b",` + fields + `}]}`
	}
	output := func(fields string) string {
		return cell(`"cell_type":"code","metadata":{},"source":"","execution_count":1,"outputs":[{` + fields + `}]`)
	}
	for _, test := range []struct{ file, want string }{
		{`{`, "notebook: not JSON: unexpected EOF"},
		{"", "notebook: the file is empty"},
		{"{\n<<<<<<< HEAD\n \"cells\": [],", "notebook: line 2: \"<<<<<<< HEAD\" is a mark of a merge conflict; resolve the conflict, for instance with nbdime"},
		{"{\n \"cells\": [],\n>>>>>>> theirs\n}", "notebook: line 3: \">>>>>>> theirs\" is a mark of a merge conflict; resolve the conflict, for instance with nbdime"},
		{"\xff\xfe{\x00}\x00", "notebook: the file is encoded in UTF-16, want UTF-8"},
		{"{\n\"é\": \"\xe9\"}", "notebook: line 2: byte 8 is 0xe9, which is not UTF-8"},
		{`{"nbformat":4,"nbformat_minor":5,"metadata":{}}`, `notebook: field "cells" is missing`},
		{`[]`, "notebook: file holds a list, want an object"},
		{`{} {}`, "notebook: text after the end of the notebook"},
		{`{}`, `notebook: field "nbformat" is missing`},
		{`{"nbformat":3,"nbformat_minor":0,"worksheets":[]}`, "notebook: format 3 is not supported, only 4; open it in Jupyter and save it"},
		{`{"nbformat":4,"nbformat_minor":true}`, `notebook: field "nbformat_minor" is a boolean, want an integer`},
		{`{"nbformat":4,"nbformat_minor":1.5}`, `notebook: field "nbformat_minor" is the number 1.5, want an integer`},
		{`{"nbformat":4,"nbformat_minor":5,"cells":{}}`, `notebook: field "cells" is an object, want a list`},
		{`{"nbformat":4,"nbformat_minor":5,"cells":[7]}`, `notebook: cell 1 is the number 7, want an object`},
		{cell(`"source":""`), `notebook: cell 2 (id b): field "cell_type" is missing`},
		{cell(`"source":"","cell_type":"heading"`), `notebook: cell 2 (id b): cell_type is "heading", want code, markdown or raw`},
		{cell(`"cell_type":"code"`), `notebook: cell 2 (id b): field "source" is missing`},
		{cell(`"cell_type":"code","source":null`), `notebook: cell 2 (id b): field "source" is null, want a string or a list of strings`},
		{cell(`"cell_type":"code","source":["a",1]`), `notebook: cell 2 (id b): field "source": line 2 is the number 1, want a string`},
		{cell(`"cell_type":"code","source":"","metadata":[]`), `notebook: cell 2 (id b): field "metadata" is a list, want an object`},
		{cell(`"cell_type":"code","source":"","execution_count":-1`), `notebook: cell 2 (id b): field "execution_count" is the number -1, want an integer`},
		{output(`"output_type":"pyout"`), `notebook: cell 2 (id b): output 1: output_type is "pyout", want stream, display_data, execute_result or error`},
		{output(`"output_type":"stream","text":"x"`), `notebook: cell 2 (id b): output 1: field "name" is missing`},
		{output(`"output_type":"display_data","data":"x"`), `notebook: cell 2 (id b): output 1: field "data" is a string, want an object`},
		{output(`"output_type":"error","ename":"","evalue":"","traceback":[null]`), `notebook: cell 2 (id b): output 1: line 1 of traceback is null, want a string`},
	} {
		_, err := Read([]byte(test.file))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.file, err, test.want)
		}
	}
}

func TestCheckFindsWhatReadAccepts(t *testing.T) {
	n := New()
	n.Metadata["kernelspec"] = map[string]any{"name": "gosphere"}
	n.Metadata["language_info"] = []any{}
	a := n.Add(Code, "x", "same", "same", "a,b")
	b := n.Add(Markdown, "text")
	a.ID, b.ID = "no blanks", "no blanks"
	a.Attachments = map[string]any{}
	a.Outputs = []Output{{Type: Stream}, {Type: DisplayData, Data: map[string]any{"text/plain": 5, "application/json": 5}}, {Type: "pyout"}}
	b.Outputs = []Output{{Type: ErrorOutput}}
	err := n.Check()
	if err == nil {
		t.Fatal("nothing found")
	}
	for _, want := range []string{
		`metadata: kernelspec: field "display_name" is missing or not a string`,
		`metadata: field "language_info" is a list, want an object`,
		`cell 1 (id no blanks): field "id" is "no blanks", want 1 to 64 letters`,
		`cell 2 (id no blanks): field "id" is that of cell 1 too`,
		`cell 1 (id no blanks): field "attachments" belongs to text cells`,
		`metadata: tag "same" is there twice`,
		`metadata: tag a,b is not a word without comma`,
		`output 1: field "name" is empty`,
		`output 2: data of text/plain is`,
		`output 3: field "output_type" is "pyout"`,
		`a markdown cell has outputs`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not reported in\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "application/json") {
		t.Error("a number is a JSON value")
	}
}

func TestNewNotebookIsValid(t *testing.T) {
	n := New()
	n.Add(Markdown, "# Title")
	n.Add(Code, "a := 1\na", "parameters")
	n.Add(Code, "a := 1\na")
	if err := n.Check(); err != nil {
		t.Error(err)
	}
	again, err := Read([]byte(written(t, n)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(n, again) {
		t.Errorf("wrote %+v, read %+v", n, again)
	}
}

func TestClearOutputsKeepsEverythingElse(t *testing.T) {
	n, err := ReadFile("testdata/jupyter.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	n.ClearOutputs()
	if text := written(t, n); strings.Contains(text, "stdout") || !strings.Contains(text, `"execution_count": null`) || !strings.Contains(text, "vendor") {
		t.Errorf("got %s", text)
	}
}

func TestTextIsWrittenAsPythonWritesIt(t *testing.T) {
	n := New()
	n.Cells = []*Cell{{ID: "a", Type: Raw, Source: "\x00\b\f\r\t\x7f\u2028 <&> \\ \" é\nend\n"}}
	// Lines end only at
	// ; everything else is as in json.dumps(..., ensure_ascii=False).
	want := `"source": [
    "\u0000\b\f\r\t` + "\x7f\u2028" + ` <&> \\ \" é\n",
    "end\n"
   ]`
	if got := written(t, n); !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestOutputsMayHoldGoValues(t *testing.T) {
	n := New()
	n.Add(Code, "").Outputs = []Output{{Type: DisplayData, Data: map[string]any{
		"application/json": struct {
			Kappa float64 `json:"kappa"`
		}{2.5},
		"image/png": []byte("x"),
	}}}
	if got := written(t, n); !strings.Contains(got, `"kappa": 2.5`) || !strings.Contains(got, `"image/png": "eA=="`) {
		t.Errorf("got %s", got)
	}
	n.Cells[0].Metadata["bad"] = func() {}
	if err := Write(&bytes.Buffer{}, n); err == nil {
		t.Error("a function was written as JSON")
	}
}

func TestWriteFileReplacesAtOnceAndLeavesNoRest(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.ipynb")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := New()
	bad.Metadata["bad"] = func() {}
	if err := WriteFile(path, bad); err == nil {
		t.Error("wrote a function")
	}
	if content, _ := os.ReadFile(path); string(content) != "old" {
		t.Errorf("a failed write left %q", content)
	}
	if err := WriteFile(path, New()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("rights changed to %v, %v", info.Mode(), err)
	}
	if _, err := ReadFile(path); err != nil {
		t.Error(err)
	}
	if names, _ := filepath.Glob(filepath.Join(folder, "*")); len(names) != 1 {
		t.Errorf("left %v", names)
	}
	if hidden, _ := filepath.Glob(filepath.Join(folder, ".*")); len(hidden) != 0 {
		t.Errorf("left %v", hidden)
	}
	if _, err := ReadFile(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// FuzzRead checks that no file makes Read panic, and that accepted files survive writing and
// reading.
func FuzzRead(f *testing.F) {
	file, err := os.ReadFile("testdata/jupyter.ipynb")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte(`{"nbformat":4,"nbformat_minor":2,"cells":[{"cell_type":"code","source":["a\r","b"],"id":null}]}`))
	f.Add([]byte(`{"nbformat":4,"nbformat_minor":5,"cells":[{"cell_type":"raw","source":"\ud800","attachments":{"a":{"text/x":["b"]}}}]}`))
	f.Add([]byte(`{"nbformat":4,"nbformat_minor":5,"cells":[],"metadata":{"a":[NaN,1e10,"Infinity\\"],"b":-Infinity}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		n, err := Read(content)
		if err != nil {
			return
		}
		_ = n.Check()
		var first, second bytes.Buffer
		if err := Write(&first, n); err != nil {
			t.Fatal(err)
		}
		if plain, _ := hideConstants(first.Bytes()); !json.Valid(plain) {
			t.Fatalf("wrote no JSON: %s", first.Bytes())
		}
		again, err := Read(first.Bytes())
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, first.Bytes())
		}
		if err := Write(&second, again); err != nil || first.String() != second.String() {
			t.Fatalf("second writing differs (%v):\n%s\n%s", err, first.String(), second.String())
		}
	})
}
