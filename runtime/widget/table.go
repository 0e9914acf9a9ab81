package widget

import (
	"encoding/json"
	"fmt"
	stdhtml "html"
	"strconv"
	"strings"
	"sync"
	"time"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
	"gosphere/runtime/table"
)

// A Table shows all rows of a table page by page, where a cell that ends with the table shows the
// first 1,000. Sorting, the search and the filters are those of the kernel and hold for all rows.
type Table struct {
	*VBox
	table  *table.Table
	ask    *Text // in which the script of the table writes questions
	answer *HTML

	mu    sync.Mutex // guards the following fields
	last  question   // whose rows are found
	found *table.Table
	rows  *table.Table // those of found in order
}

// NewTable returns a Table:
//
//	trips, err := table.Read("trips.parquet")
//	widget.NewTable(trips)
func NewTable(t *table.Table) *Table {
	w := &Table{table: t, found: t, rows: t, ask: NewText("", ""), answer: NewHTML(""), last: question{By: -1}}
	w.ask.Layout().Set("display", "none")
	w.answer.Layout().Set("display", "none")
	// The front end has the elements of widgets and of outputs in one document.
	ask, answer := "gosphere-ask-"+w.ask.ID(), "gosphere-answer-"+w.answer.ID()
	w.ask.Set("_dom_classes", []string{ask})
	w.answer.Set("_dom_classes", []string{answer})
	output := NewOutput()
	if markup := display.RemoteTable(t, ask, answer); markup != "" {
		data, _ := display.Bundle(t)
		output.add([]any{dataOutput(protocol.MimeBundle{"text/html": markup, "text/plain": data["text/plain"]}, map[string]any{})})
	} else {
		output.Show(t)
	}
	w.ask.OnChange(w.reply)
	w.VBox = NewVBox(output, w.ask, w.answer)
	return w
}

// MimeBundle returns the forms that display the widget. Where it does not run, as in exported
// pages, the table is shown with its first rows.
func (w *Table) MimeBundle() map[string]any {
	bundle := w.VBox.MimeBundle()
	data, _ := display.Bundle(w.table)
	for _, kind := range []string{"text/html", "text/plain"} {
		if form, ok := data[kind]; ok {
			bundle[kind] = form
		}
	}
	return bundle
}

// A question is one of the script of a table.
type question struct {
	ID      string   `json:"id"`
	By      int      `json:"by"` // the column by which the rows are sorted, or -1
	Down    bool     `json:"down"`
	Word    string   `json:"word"`
	Filters []string `json:"filters"` // by column
	First   int      `json:"first"`
	Size    int      `json:"size"`
}

// selects reports whether two questions have the same rows in any order.
func (q question) selects(other question) bool {
	return q.Word == other.Word && strings.Join(q.Filters, "\x00") == strings.Join(other.Filters, "\x00")
}

// most is the greatest number of rows of an answer.
const most = 1000

// reply answers a question.
func (w *Table) reply(text string) {
	var q question
	if json.Unmarshal([]byte(text), &q) != nil || q.ID == "" {
		return // what a front end sent is no question
	}
	answer := map[string]any{"id": q.ID}
	if rows, err := w.rowsOf(q); err != nil {
		answer["error"] = err.Error()
	} else {
		count := rows.Len()
		first := max(0, min(q.First, count))
		texts := [][]string{}
		for i := first; i < min(count, first+min(max(q.Size, 1), most)); i++ {
			texts = append(texts, display.RowTexts(rows.Row(i)))
		}
		answer["rows"], answer["first"], answer["count"] = texts, first, count
	}
	written, err := json.Marshal(answer)
	if err != nil {
		return // texts have a form
	}
	w.answer.SetValue(stdhtml.EscapeString(string(written)))
}

// rowsOf returns the rows that a question selects, in its order.
func (w *Table) rowsOf(q question) (rows *table.Table, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() {
		if problem := recover(); problem != nil { // a column that cannot be sorted
			rows, err = nil, fmt.Errorf("%v", problem)
		}
	}()
	again := w.last.selects(q)
	if !again {
		w.found, w.last = selectionOf(w.table, q).of(w.table), q
	}
	if again && w.last.By == q.By && w.last.Down == q.Down {
		return w.rows, nil
	}
	columns := w.table.Columns()
	w.rows = w.found
	if q.By >= 0 && q.By < len(columns) {
		name := columns[q.By]
		if q.Down {
			name = "-" + name
		}
		w.rows = w.found.Sort(name)
	}
	w.last = q
	return w.rows, nil
}

// A selection has the conditions of a question: those of columns, and tests of the texts of rows.
type selection struct {
	conditions []table.Expr
	tests      []func(r table.Row) bool
}

// selectionOf returns the conditions of the filters and the search.
func selectionOf(t *table.Table, q question) (s selection) {
	columns, types := t.Columns(), t.Types()
	for k, text := range q.Filters {
		if text = strings.TrimSpace(text); text != "" && k < len(columns) {
			s.add(columns[k], types[k], text)
		}
	}
	if q.Word != "" {
		word := strings.ToLower(q.Word)
		s.tests = append(s.tests, func(r table.Row) bool {
			for _, name := range columns {
				if strings.Contains(strings.ToLower(r.Text(name)), word) {
					return true
				}
			}
			return false
		})
	}
	return s
}

// of returns the rows of a table that meet the conditions.
func (s selection) of(t *table.Table) *table.Table {
	if len(s.conditions) > 0 {
		t = t.Filter(s.conditions...)
	}
	for _, test := range s.tests {
		t = t.Where(test)
	}
	return t
}

var (
	nullFilter  = lazyregexp.New(`(?i)^(!?)=?\s*null$`)
	rangeFilter = lazyregexp.New(`^(\S.*?)\s*\.\.\s*(\S.*)$`)
	relation    = lazyregexp.New(`^(>=|<=|!=|>|<|=)\s*(.+)$`)
)

// add adds the condition of a filter, as table.js describes it. It also compares times.
func (s *selection) add(name, kind, text string) {
	if match := nullFilter.FindStringSubmatch(text); match != nil {
		condition := table.IsNull(name)
		if match[1] != "" {
			condition = table.NotNull(name)
		}
		s.conditions = append(s.conditions, condition)
		return
	}
	if match := rangeFilter.FindStringSubmatch(text); match != nil {
		from, ok := operand(kind, match[1])
		to, also := operand(kind, match[2])
		if ok && also {
			s.conditions = append(s.conditions, table.Ge(name, from), table.Le(name, to))
			return
		}
	}
	match := relation.FindStringSubmatch(text)
	if match != nil {
		if value, ok := operand(kind, match[2]); ok {
			compare := map[string]func(string, any) table.Expr{">": table.Gt, ">=": table.Ge, "<": table.Lt, "<=": table.Le, "=": table.Eq, "!=": table.Ne}
			s.conditions = append(s.conditions, compare[match[1]](name, value))
			return
		}
	}
	part := strings.ToLower(text)
	test := func(r table.Row) bool { return strings.Contains(strings.ToLower(r.Text(name)), part) }
	if match != nil && (match[1] == "=" || match[1] == "!=") {
		test = func(r table.Row) bool { return strings.EqualFold(r.Text(name), match[2]) == (match[1] == "=") }
	}
	s.tests = append(s.tests, test)
}

// operand returns the number or time of a filter for a column of a type.
func operand(kind, text string) (any, bool) {
	switch kind {
	case "int", "float64":
		x, err := strconv.ParseFloat(text, 64)
		return x, err == nil
	case "time.Time":
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "2006-01", "2006"} {
			if at, err := time.Parse(layout, text); err == nil {
				return at, true
			}
		}
	case "time.Duration":
		d, err := time.ParseDuration(text)
		return d, err == nil
	}
	return nil, false
}
