package display

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestAnErrorShowsItsChain(t *testing.T) {
	inner := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("alone"), "alone"},
		{fmt.Errorf("reading: %w", inner), "reading: open x: file does not exist\n  *fmt.wrapError wraps\n    *fs.PathError: open x: file does not exist\n      *errors.errorString: file does not exist"},
		{errors.Join(io.EOF, errors.New("b")), "EOF\nb\n  *errors.joinError wraps\n    *errors.errorString: EOF\n    *errors.errorString: b"},
	} {
		if data, _ := Bundle(test.err); data[textPlain] != test.want || len(data) != 1 {
			t.Errorf("got %q, want %q", data[textPlain], test.want)
		}
	}
}

func endless(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

func TestASequenceShowsItsValues(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{strings.SplitSeq("a,b", ","), "[a b]"},
		{maps.All(map[string]int{"a": 1}), "a: 1"},
		{slices.Values([]int(nil)), "[]"},
		{iter.Seq[int](endless), "[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19] (the first of more than 1000 values)"},
		{iter.Seq[int](nil), "<nil>"},
		{endless, "func(func(int) bool)"},
		{iter.Seq[int](func(func(int) bool) { panic("no") }), "iter.Seq[int]\ndisplay: iter.Seq[int] panicked: no"},
	} {
		if data, _ := Bundle(test.value); data[textPlain] != test.want {
			t.Errorf("%T: got %q, want %q", test.value, data[textPlain], test.want)
		}
	}
}

func TestAResponseShowsItsHead(t *testing.T) {
	body := io.NopCloser(bytes.NewReader([]byte("text")))
	data, _ := Bundle(&http.Response{Status: "200 OK", Proto: "HTTP/1.1", Header: http.Header{"B": {"2"}, "A": {"1"}}, Body: body})
	if got, want := data[textPlain], "HTTP/1.1 200 OK\nA: 1\nB: 2\nthe body is read with io.ReadAll(response.Body)"; got != want {
		t.Errorf("got %q", got)
	}
	if rest, _ := io.ReadAll(body); string(rest) != "text" {
		t.Errorf("of the body %q is left", rest)
	}
}

func TestMapsAndSlicesOfSlicesAreTables(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{map[string]int{"b": 2, "a": 1}, `<tr><td style="text-align:left">a</td><td style="text-align:right">1</td></tr>`},
		{[][]string{{"x", "<y>"}}, `<td style="text-align:left">&lt;y&gt;</td>`},
		{ledger{}, `<th style="text-align:left">who</th>`},
	} {
		data, _ := Bundle(test.value)
		if page, _ := data[textHTML].(string); !strings.Contains(page, test.want) {
			t.Errorf("%T: %q", test.value, page)
		}
	}
	if data, _ := Bundle(ledger{}); data[textPlain] != "who   sum\nann     2\nNULL    3" {
		t.Errorf("got %q", data[textPlain])
	}
}

// Headings show the types of columns, which also say what is right-aligned.
func TestTypedTablesShowTheirTypes(t *testing.T) {
	data, _ := Bundle(prices{2})
	if want := "price     n\nstring  int\n1,5       0\n1,5       1"; data[textPlain] != want {
		t.Errorf("got %q", data[textPlain])
	}
	if page, want := data[textHTML].(string), `<tr><td style="text-align:left">string</td><td style="text-align:right">int</td></tr>`; !strings.Contains(page, want) {
		t.Errorf("got %s", page)
	}
	data, _ = Bundle(prices{11})
	if page, want := data[textHTML].(string), `"head":["price","n"],"numeric":[false,true]`; !strings.Contains(page, want) || !strings.Contains(page, `"types":["string","int"]`) {
		t.Errorf("got %s", page)
	}
}

// Headings of long tables show how values are distributed and how many are missing.
func TestLongTablesHaveProfiles(t *testing.T) {
	data, _ := Bundle(counted{prices{11}})
	page := data[textHTML].(string)
	for _, want := range []string{
		`<span title="&lt;a&gt;: 8" style="width:6px;height:24px;background:#7a9cc6"></span><span title="2 other values: 3" style="width:6px;height:9px;background:#c4c4c4"></span></div><small>4 missing</small>`,
		`"profiles":[{"missing":4,"labels":["\u003ca\u003e","2 other values"],"counts":[8,3]},{"missing":0,"labels":null,"counts":null}]`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if text := data[textPlain].(string); !strings.HasSuffix(text, "\nmissing: price 4") {
		t.Errorf("got %s", text)
	}
	data, _ = Bundle(counted{prices{5}})
	if page := data[textHTML].(string); strings.Contains(page, "missing") {
		t.Errorf("a short table has a profile: %s", page)
	}
}

type counted struct{ prices }

func (counted) Profile(column int) (missing int, labels []string, counts []int) {
	if column > 0 {
		return 0, nil, nil
	}
	return 4, []string{"<a>", "2 other values"}, []int{8, 3}
}

type prices struct{ height int }

func (prices) Columns() []string { return []string{"price", "n"} }
func (prices) Types() []string   { return []string{"string", "int"} }
func (p prices) Len() int        { return p.height }
func (prices) Row(i int) []any   { return []any{"1,5", i} }

type ledger struct{}

func (ledger) Columns() []string { return []string{"who", "sum"} }
func (ledger) Len() int          { return 2 }
func (ledger) Row(i int) []any   { return [][]any{{"ann", 2}, {nil, 3.0}}[i] }

func TestATableOfAPageIsLimitedAndSafe(t *testing.T) {
	rows := make([][]string, 3000)
	for i := range rows {
		rows[i] = []string{"</script><b>", fmt.Sprint(i)}
	}
	data, _ := Bundle(rows)
	page := data[textHTML].(string)
	if strings.Count(page, "</script>") != 2 || !strings.Contains(page, `"more":"the first of 3000 rows"`) || strings.Contains(page, `"1000"`) || !strings.Contains(page, `"999"`) {
		t.Errorf("got %d bytes, %q …", len(page), page[:2000])
	}
}

// numbers is a database with one table that has as many rows as the query requests.
type numbers struct{}

func (numbers) Open(string) (driver.Conn, error)          { return numbers{}, nil }
func (numbers) Prepare(query string) (driver.Stmt, error) { return statement(query), nil }
func (numbers) Close() error                              { return nil }
func (numbers) Begin() (driver.Tx, error)                 { return nil, errors.New("no transactions") }

type statement string

func (s statement) Close() error                               { return nil }
func (s statement) NumInput() int                              { return 0 }
func (s statement) Exec([]driver.Value) (driver.Result, error) { return nil, errors.New("no changes") }
func (s statement) Query([]driver.Value) (driver.Rows, error) {
	var n int
	_, err := fmt.Sscan(string(s), &n)
	return &cursor{n: n}, err
}

type cursor struct{ n, at int }

func (c *cursor) Columns() []string { return []string{"n", "text"} }
func (c *cursor) Close() error      { return nil }
func (c *cursor) Next(row []driver.Value) error {
	if c.at == c.n {
		return io.EOF
	}
	if c.at == 5000 {
		return errors.New("the disk is gone")
	}
	row[0], row[1] = int64(c.at), []byte("row")
	if c.at++; c.at == 2 {
		row[1] = nil
	}
	return nil
}

func TestTheRowsOfAQueryAreATable(t *testing.T) {
	sql.Register("numbers", numbers{})
	db, err := sql.Open("numbers", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for query, want := range map[string]string{
		"2":    "n  text\n0  row\n1  NULL",
		"0":    "n  text\nno rows",
		"1001": "the first 1000 rows × 2 columns; there are more rows",
	} {
		rows, err := db.Query(query) // would wait for ever were the last one still open
		if err != nil {
			t.Fatal(err)
		}
		data, _ := Bundle(rows)
		if got := data[textPlain].(string); !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
		if page, _ := data[textHTML].(string); !strings.Contains(page, ">text</th>") {
			t.Errorf("%s: got %q", query, page)
		}
	}
}

func TestAResultTellsWhatChanged(t *testing.T) {
	if data, _ := Bundle(driver.RowsAffected(2)); data[textPlain] != "2 rows affected" {
		t.Errorf("got %q", data[textPlain])
	}
}
