package pages

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
)

// A row of docs/pandas.md: the code of pandas, of Go, and how the values differ by design.
var pandasRow = regexp.MustCompile("(?m)^\\| `([^`]*)` \\| `([^`]*)` \\| (.*?) ?\\|$")

// canonical is the code of a cell with a function that returns a value as the script of the
// recorded values does.
const canonical = `
func plainValue(x any) any {
	switch x := x.(type) {
	case nil, bool:
		return x
	case int:
		return float64(x)
	case float64:
		if math.IsNaN(x) {
			return nil
		}
		return x
	case time.Time:
		return x.Format("2006-01-02T15:04:05Z")
	}
	return fmt.Sprint(x)
}
func canonicalValue(list ...any) string {
	if len(list) > 1 && list[len(list)-1] != nil {
		if err, ok := list[len(list)-1].(error); ok {
			panic(err)
		}
	}
	var value any
	switch x := list[0].(type) {
	case error:
		panic(x)
	case *table.Table:
		rows := []any{}
		for i := range x.Len() {
			row := []any{}
			for _, v := range x.Row(i) {
				row = append(row, plainValue(v))
			}
			if len(row) == 1 {
				rows = append(rows, row[0])
			} else {
				rows = append(rows, row)
			}
		}
		value = rows
		if len(rows) == 1 {
			value = rows[0]
		}
	case []float64:
		rows := []any{}
		for _, v := range x {
			rows = append(rows, v)
		}
		value = rows
	case []string:
		value = x
	case []any:
		rows := []any{}
		for _, v := range x {
			rows = append(rows, plainValue(v))
		}
		value = rows
	case *chart.Chart:
		if err := x.Err(); err != nil {
			panic(err)
		}
	default:
		value = plainValue(x)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}`

// TestLinesOfPandasHaveEqualValuesInGo runs the lines of docs/pandas.md as cells.
func TestLinesOfPandasHaveEqualValuesInGo(t *testing.T) {
	rows := pandasRow.FindAllStringSubmatch(page(t, "pandas.md"), -1)
	if len(rows) < 80 {
		t.Fatalf("%d lines, want 80", len(rows))
	}
	content, err := os.ReadFile(filepath.Join("testdata", "pandas.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Lines []struct {
			Code  string
			Value any
		}
	}
	if err := json.Unmarshal(content, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Lines) != len(rows) {
		t.Fatalf("%d lines on the page and %d recorded: run testdata/record.py", len(rows), len(recorded.Lines))
	}
	trips, err := filepath.Abs(filepath.Join(docs, "figures", "trips.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s := sessiontest.New(t)
	t.Chdir(t.TempDir())
	cell(t, s, canonical)
	for i, row := range rows {
		if recorded.Lines[i].Code != row[1] {
			t.Fatalf("line %d is %s on the page and %s recorded: run testdata/record.py", i+1, row[1], recorded.Lines[i].Code)
		}
		code := strings.Replace(row[2], `"trips.csv"`, strconv.Quote(trips), 1)
		made := regexp.MustCompile(`^(\w+)(, err)? := `).FindStringSubmatch(code)
		show := code
		if made != nil {
			show = made[1]
			if code += "\n"; made[2] != "" {
				code += "if err != nil { panic(err) }\n"
			}
			cell(t, s, code)
		}
		printed, err := sessiontest.Printed(s, "fmt.Print(canonicalValue("+show+"))")
		if err != nil {
			t.Errorf("%s: %v", row[2], err)
			continue
		}
		if row[3] != "" {
			continue // by design another value
		}
		var got any
		if err := json.Unmarshal([]byte(printed), &got); err != nil {
			t.Errorf("%s prints %.200s: %v", row[2], printed, err)
			continue
		}
		if where := unequal(short(got), recorded.Lines[i].Value); where != "" {
			t.Errorf("%s\n%s\n%s", row[1], row[2], where)
		}
	}
}

// short returns a long list as the script does: its first and last rows and the sums of its
// numbers by column.
func short(x any) any {
	list, ok := x.([]any)
	if !ok || len(list) <= 24 {
		return x
	}
	var sums []any
	add := func(k int, value any) {
		for len(sums) <= k {
			sums = append(sums, 0.0)
		}
		switch v := value.(type) {
		case float64:
			sums[k] = sums[k].(float64) + v
		case bool:
			if v {
				sums[k] = sums[k].(float64) + 1
			}
		}
	}
	for _, row := range list {
		if cells, ok := row.([]any); ok {
			for k, value := range cells {
				add(k, value)
			}
		} else {
			add(0, row)
		}
	}
	return map[string]any{"rows": float64(len(list)), "first": list[:6], "last": list[len(list)-6:], "sums": sums}
}

// unequal says where two JSON values differ, or returns "". The recorded numbers have nine digits,
// and so have sums of rounded ones but for a few of the last.
func unequal(got, want any) string {
	switch want := want.(type) {
	case float64:
		if x, ok := got.(float64); ok && math.Abs(x-want) <= 1e-7*max(1, math.Abs(want)) {
			return ""
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			break
		}
		for i := range want {
			if where := unequal(list[i], want[i]); where != "" {
				return fmt.Sprintf("[%d]%s", i, where)
			}
		}
		return ""
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			break
		}
		for name := range want {
			if where := unequal(object[name], want[name]); where != "" {
				return "." + name + where
			}
		}
		return ""
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf(": %.300s, want %.300s", fmt.Sprint(got), fmt.Sprint(want))
}
