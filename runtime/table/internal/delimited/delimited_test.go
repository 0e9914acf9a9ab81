package delimited

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// read returns names, values and notes.
func read(t *testing.T, text string, o Options) (string, []string, error) {
	t.Helper()
	var notes []string
	o.Note = func(line string) { notes = append(notes, line) }
	columns, err := Read(strings.NewReader(text), o)
	return shown(columns), notes, err
}

func shown(columns []Column) string {
	var parts []string
	for _, c := range columns {
		var values []string
		for i := range c.Len {
			value := "~"
			if c.known(i) {
				value = fmt.Sprint(reflect.ValueOf(c.Values).Index(i))
			}
			values = append(values, value)
		}
		parts = append(parts, fmt.Sprintf("%s %T %s", c.Name, c.Values, strings.Join(values, ",")))
	}
	return strings.Join(parts, "; ")
}

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		text string
		form Options
		want string
	}{
		{"a,b\n'x, ''y''',2\n", Options{Quote: '\''}, "a []string x, 'y'; b []int 2"},
		{"a,b\n\"x,2\n", Options{Quote: -1}, `a []string "x; b []int 2`},
		{"a,b\n5\" pipe,2\n", Options{}, `a []string 5" pipe; b []int 2`},
		{"a,b\n\"one\ntwo\",2\n\n\"\",3\r\n", Options{}, "a []string one\ntwo,~; b []int 2,3"},
		{"# made by x\n\na;b\n# more\n1;2\n", Options{Comment: '#'}, "a []int 1; b []int 2"},
		{"Title\nof the file\na|b\n1|2\n", Options{Skip: 2}, "a []int 1; b []int 2"},
		{"1\tx\n2\ty", Options{NoHeader: true}, "column 1 []int 1,2; column 2 []string x,y"},
		{"a,b\n1,2\n3\n4,x\n5,6\n", Options{Dirty: func(int, string, string, string) {}}, "a []int 1,4,5; b []int 2,~,6"},
		{"a,b\n1,2\n", Options{Types: map[string]string{"a": "string", "b": "float64"}}, "a []string 1; b []float64 2"},
		{"a→b\n1→2\n", Options{Comma: '→'}, "a []int 1; b []int 2"},
		{"a,b\n", Options{}, "a <nil> ; b <nil> "},
		{"day\n2026-01-02T03:04:05Z\n2026-01-02T03:04:05+01:00\n", Options{}, "day []time.Time 2026-01-02 03:04:05 +0000 UTC,2026-01-02 03:04:05 +0100 +0100"},
		{"day\n2026-01-02 03:04\n", Options{}, "day []string 2026-01-02 03:04"},
	} {
		got, _, err := read(t, c.text, c.form)
		if err != nil || got != c.want {
			t.Errorf("%q: got %s, %v, want %s", c.text, got, err, c.want)
		}
		if c.form.Dirty != nil {
			continue
		}
		schema, err := Infer(strings.NewReader(c.text), c.form)
		if err != nil {
			t.Error(err)
			continue
		}
		for columns, err := range schema.Batches(strings.NewReader(c.text), 100) {
			if got := shown(columns); err != nil || got != c.want {
				t.Errorf("%q: a batch is %s, %v, want %s", c.text, got, err, c.want)
			}
		}
	}
}

func TestBadTextIsNamed(t *testing.T) {
	for _, c := range []struct {
		text string
		form Options
		want string
	}{
		{"a,b\n1,\"x", Options{}, `line 2: the quote " of value 2 is not closed`},
		{"a,b\n1,\"x\"y\n", Options{}, `line 2: value 2 goes on after its closing quote "`},
		{"a,b\n1,2\n1\n", Options{}, "line 3 has 1 value, want 2"},
		{"", Options{}, "empty input, want a first line with the column names"},
		{"\xff\xfea\x00", Options{}, "the text is in UTF-16, want UTF-8"},
		{"a\nx\n", Options{Types: map[string]string{"a": "int"}}, `line 2: column "a": "x" is not an integer`},
		{"a\nx\n", Options{Types: map[string]string{"b": "int"}}, `table: no column "b", want one of a`},
		{"a\n", Options{Types: map[string]string{"a": "text"}}, `type "text" of column "a", want int, float64, bool, time.Time or string`},
		{"a\n", Options{Comma: '"'}, `the separator '"', the quote '"' and the beginning of a comment '\x00' are not three runes`},
		{"a\n", Options{Comma: '\n'}, `'\n' cannot be a separator, a quote or the beginning of a comment`},
		{"a\n", Options{Skip: -1}, "-1 lines to skip, want 0 or more"},
	} {
		if _, _, err := read(t, c.text, c.form); fmt.Sprint(err) != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestNotesSayWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		"a;b\n1,5;x\n2,25;y\n":              `column "a" is text; its values fit CSV{Decimal: ','}`,
		"a;b\n1.234,5;x\n2,25;y\n":          `column "a" is text; its values fit CSV{Decimal: ',', Thousands: '.'}`,
		"a;b\n1,234.5;x\n2;y\n":             `column "a" is text because "1,234.5" in line 2 is not an integer; 1 of 2 values fit, column "a" is text; its values fit CSV{Thousands: ','}`,
		"a;b\n31.12.2025;x\n01.02.2026;y\n": `column "a" is text; its values fit CSV{Layouts: []string{"02.01.2006"}}`,
		"a;b\nM\xfcller;1\n":                `column "a" has text that is not UTF-8, first "M\xfcller"; golang.org/x/text/encoding decodes other encodings`,
		"a;b\n;1\n":                         `column "a" has no values, so it has no type`,
	} {
		if _, notes, err := read(t, text, Options{}); err != nil || strings.Join(notes, ", ") != want {
			t.Errorf("%q: notes %q, %v, want %s", text, notes, err, want)
		}
	}
}

func TestDirtyValuesAreReported(t *testing.T) {
	var list []string
	form := Options{Dirty: func(line int, name, value, reason string) {
		list = append(list, fmt.Sprintf("%d %s %q %s", line, name, value, reason))
	}}
	got, notes, err := read(t, "n,day\n1,2026-01-02\nmany,2026-01-03\n3,soon\n\"4\n5\",x,y\n007,2026-01-05\n", form)
	if err != nil || got != "n []int 1,~,3,~; day []time.Time 2026-01-02 00:00:00 +0000 UTC,2026-01-03 00:00:00 +0000 UTC,~,2026-01-05 00:00:00 +0000 UTC" {
		t.Errorf("got %s, %v", got, err)
	}
	want := []string{`5  "4\n5,x,y" the line has 3 values, want 2`, `3 n "many" is not an integer`, `7 n "007" has a leading zero`, `4 day "soon" is not a date or time`}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got %q", list)
	}
	if want := []string{`column "n": 2 of 4 values are not an integer and missing`, `column "day": 1 of 4 values are not a date or time and missing`}; !reflect.DeepEqual(notes, want) {
		t.Errorf("notes %q", notes)
	}
}

// The types of a stream are those of the whole text, not of its first batches.
func TestBatchesHaveTheTypesOfTheWhole(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,c\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "%d,%d,%d\n", i, i, rand.IntN(9))
	}
	text.WriteString("x,1.5,\n")
	schema, err := Infer(strings.NewReader(text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, batches := 0, 0
	for columns, err := range schema.Batches(strings.NewReader(text.String()), 300) {
		if err != nil {
			t.Fatal(err)
		}
		rows, batches = rows+columns[0].Len, batches+1
		if kinds := fmt.Sprintf("%T %T %T", columns[0].Values, columns[1].Values, columns[2].Values); kinds != "[]string []float64 []int" {
			t.Errorf("types %s", kinds)
		}
	}
	if rows != 1001 || batches != 4 {
		t.Errorf("%d rows in %d batches", rows, batches)
	}
	for _, err := range schema.Batches(strings.NewReader("a,b,c\n1,x,3\n"), 300) {
		if err != nil && err.Error() != "the text has changed while it was read" {
			t.Error(err)
		}
	}
}

// FuzzRead compares records with those of encoding/csv, which refuses more texts.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "a;b\n\"x\"\"\n;y\";\r\n", "a\tb\n007\tNaN\n1e5\t-\n", "\ufeffa,a\n2026-01-02,true\n", "a|b\n1.234,5|x\n", "a,b\n\"", "\xff\xfe"} {
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, form uint8) {
		o := Options{NoHeader: form&1 != 0}
		if form&2 != 0 {
			o.Decimal, o.Thousands = ',', '.'
		}
		if form&4 != 0 {
			o.Dirty = func(int, string, string, string) {}
		}
		if form&8 != 0 {
			o.Comma = ','
		}
		columns, err := Read(strings.NewReader(text), o)
		if err != nil {
			return
		}
		for _, c := range columns {
			if c.Len != columns[0].Len || len(c.Valid) != (c.Len+63)/64 || c.Values != nil && reflect.ValueOf(c.Values).Len() != c.Len {
				t.Errorf("column %q has %d values of %d", c.Name, reflect.ValueOf(c.Values).Len(), c.Len)
			}
		}
		schema, err := Infer(strings.NewReader(text), o)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for batch, err := range schema.Batches(strings.NewReader(text), 3) {
			if err != nil {
				t.Fatal(err)
			}
			rows += batch[0].Len
		}
		if rows != columns[0].Len {
			t.Errorf("%d rows in batches, %d at once", rows, columns[0].Len)
		}
		compareWithStandard(t, text)
	})
}

func compareWithStandard(t *testing.T, text string) {
	standard := csv.NewReader(strings.NewReader(text))
	standard.FieldsPerRecord = -1
	want, err := standard.ReadAll()
	if err != nil || len(want) == 0 {
		return
	}
	s := newScanner(strings.NewReader(text), &Options{Comma: ','})
	for _, record := range want {
		_, err := s.next()
		if err != nil || !reflect.DeepEqual(s.values(), record) {
			t.Fatalf("%q: got %q, %v, want %q", text, s.values(), err, record)
		}
	}
	if _, err := s.next(); err != io.EOF {
		t.Fatalf("%q: more records, %v", text, err)
	}
}

func TestColumnsOfSeveralLayouts(t *testing.T) {
	text := "day,mixed,iso,id\n20250131,31.01.2025,2025-01-31,12345678\n,2025/02/28 12:00,,20251340\n20250228,01.03.2025,2025-02-01T10:00:00Z,1\n"
	for n, layouts := range [][]string{nil, {"20060102", "02.01.2006", "2006/01/02 15:04"}} {
		columns, err := Read(strings.NewReader(text), Options{Layouts: layouts})
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, c := range columns {
			kinds = append(kinds, fmt.Sprintf("%T", c.Values))
		}
		want := []string{"[]int []string []time.Time []int", "[]time.Time []time.Time []string []int"}[n]
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%q: %s, want %s", layouts, got, want)
		}
		if days, ok := columns[0].Values.([]time.Time); ok && (days[2].Format("2006-01-02") != "2025-02-28" || columns[0].Valid[0] != 5) {
			t.Error(days, columns[0].Valid)
		}
		if mixed, ok := columns[1].Values.([]time.Time); ok && (mixed[0].Month() != 1 || mixed[1].Hour() != 12 || mixed[2].Month() != 3) {
			t.Error(mixed)
		}
	}
}

// The quick readings of numbers return what strconv returns, and refuse what it refuses.
func FuzzShortNumbers(f *testing.F) {
	for _, text := range []string{"0", "-0", "-0.0", "12.50", "0.1", ".5", "5.", "-.5", "999999999999999.9", "123456789012345.6", "1e5", "--1", "9223372036854775807", "01", "0x1", "1.2.3", "٣", "1,5", "-", "-."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := shortInteger(text); ok {
			if want, err := strconv.Atoi(text); err != nil || n != want || leadingZero(text) {
				t.Errorf("%q: %d, want %d, %v", text, n, want, err)
			}
		}
		if x, ok := shortFloat(text); ok {
			if want, err := strconv.ParseFloat(text, 64); err != nil || math.Float64bits(x) != math.Float64bits(want) || leadingZero(text) {
				t.Errorf("%q: %v, want %v, %v", text, x, want, err)
			}
		}
	})
}
