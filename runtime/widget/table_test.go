package widget

import (
	"encoding/json"
	"fmt"
	stdhtml "html"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/table"
)

// rowsAnswered sends a question and returns the first column of the answer, and its count.
func rowsAnswered(t *testing.T, p *page, w *Table, question string) (first []string, count int) {
	t.Helper()
	p.send(w.ask, fmt.Sprintf(`{"method":"update","state":{"value":%q}}`, question))
	var answer struct {
		ID, Error string
		Rows      [][]string
		Count     int
	}
	if err := json.Unmarshal([]byte(stdhtml.UnescapeString(w.answer.Get("value").(string))), &answer); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(question, `"id":"`+answer.ID+`"`) || answer.Error != "" {
		t.Fatalf("%s: answer %q, error %s", question, answer.ID, answer.Error)
	}
	for _, row := range answer.Rows {
		first = append(first, row[0])
	}
	return first, answer.Count
}

func TestATableIsPagedSortedAndFilteredInTheKernel(t *testing.T) {
	p := newPage(t)
	data := table.New("n", "name", "day")
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 5000 {
		name := any(fmt.Sprintf("<b>%c</b>", 'a'+i%3))
		if i%1000 == 7 {
			name = nil
		}
		data.Append(i, name, day.AddDate(0, 0, i%10))
	}
	w := NewTable(data)
	for _, c := range []struct {
		question, first string
		count           int
	}{
		{`"by":-1,"first":4998,"size":10`, "4998 4999", 5000},
		{`"by":0,"down":true,"first":0,"size":3`, "4999 4998 4997", 5000},
		{`"by":1,"first":0,"size":2,"filters":["> 4000"]`, "4002 4005", 999},
		{`"by":1,"down":true,"first":0,"size":2,"filters":["> 4000"]`, "4001 4004", 999},
		{`"by":-1,"size":2,"filters":["10..12"]`, "10 11", 3},
		{`"by":-1,"size":2,"filters":["= 7"]`, "7", 1},
		{`"by":-1,"size":1,"filters":["!= 0"]`, "1", 4999},
		{`"by":-1,"size":2,"filters":["","null"]`, "7 1007", 5},
		{`"by":-1,"size":1,"filters":["","!null",""]`, "0", 4995},
		{`"by":-1,"size":2,"filters":["","=<B>b</b>"]`, "1 4", 1665},
		{`"by":-1,"size":2,"filters":["","B>C"]`, "2 5", 1664},
		{`"by":-1,"size":1,"filters":["","","> 2026-01-09"]`, "9", 500},
		{`"by":-1,"size":1,"filters":["","","2026-01-02..2026-01-03"]`, "1", 1000},
		{`"by":-1,"size":3,"word":"499"`, "499 1499 2499", 15},
		{`"by":-1,"size":3,"word":"b>a","filters":["< 7"]`, "0 3 6", 3},
		{`"by":-1,"size":3,"word":"nothing of it"`, "", 0},
		{`"by":99,"first":-5,"size":-1`, "0", 5000},
	} {
		got, count := rowsAnswered(t, p, w, `{"id":"x1",`+c.question+`}`)
		if strings.Join(got, " ") != c.first || count != c.count {
			t.Errorf("%s: %s of %d, want %s of %d", c.question, got, count, c.first, c.count)
		}
	}
	for _, bad := range []string{"", "{}", "[1]", `{"id":"x","filters":"no"}`} {
		before := w.answer.Get("value")
		p.send(w.ask, fmt.Sprintf(`{"method":"update","state":{"value":%q}}`, bad))
		if got := w.answer.Get("value"); got != before {
			t.Errorf("%q is answered by %v", bad, got)
		}
	}
}

func TestATableShowsItsFirstRowsWithoutAKernel(t *testing.T) {
	newPage(t)
	data := table.New("n")
	for i := range 100_000 {
		data.Append(i)
	}
	w := NewTable(data)
	bundle := w.MimeBundle()
	page := fmt.Sprint(bundle["text/html"])
	if !strings.Contains(page, "the first of 100000 rows") || strings.Contains(page, w.ask.ID()) {
		t.Error("the page does not say which rows it has, or asks a kernel")
	}
	if len(page) > 64<<10 || bundle[viewType] == nil {
		t.Errorf("%d bytes, view %v", len(page), bundle[viewType])
	}
	output := fmt.Sprint(w.children[0].(*Output).Get("outputs"))
	if !strings.Contains(output, `"remote":["gosphere-ask-`+w.ask.ID()) || len(output) > 32<<10 {
		t.Errorf("the output has %d bytes and names no field", len(output))
	}
}
