package chart

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"
)

// A channel is a parsed expression such as price, mean(price), count() or month(date).
type channel struct {
	text     string // as written
	function string // "" for none
	column   string // "" for count()
	number   int    // second argument of bin, 0 for none
}

// aggregates reduce the known values of a group to one number. Functions of no values return NaN.
var aggregates = map[string]func(values []float64) float64{
	"count":  func(v []float64) float64 { return float64(len(v)) },
	"sum":    sum,
	"mean":   func(v []float64) float64 { return stat.Mean(v, nil) },
	"median": func(v []float64) float64 { return quantile(sorted(v), 0.5) },
	"q1":     func(v []float64) float64 { return quantile(sorted(v), 0.25) },
	"q3":     func(v []float64) float64 { return quantile(sorted(v), 0.75) },
	"min":    func(v []float64) float64 { return quantile(sorted(v), 0) },
	"max":    func(v []float64) float64 { return quantile(sorted(v), 1) },
	"std":    func(v []float64) float64 { return stat.StdDev(v, nil) },
	"unique": func(v []float64) float64 { return float64(len(slices.Compact(sorted(v)))) },
}

// calendarUnits cut times to the start of a unit.
var calendarUnits = map[string]func(t time.Time) time.Time{
	"year": func(t time.Time) time.Time { return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, t.Location()) },
	"quarter": func(t time.Time) time.Time {
		return time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, t.Location())
	},
	"month": func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location()) },
	"week": func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day()-(int(t.Weekday())+6)%7, 0, 0, 0, 0, t.Location())
	},
	"day":  func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location()) },
	"hour": func(t time.Time) time.Time { return t.Truncate(time.Hour) },
}

// calendarNames are names of times that recur.
var calendarNames = map[string][]string{
	"weekday":   {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
	"monthname": {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

// functions returns the names of all functions of channels.
func functions() []string {
	list := append(slices.Collect(maps.Keys(aggregates)), "bin", "category")
	list = append(slices.AppendSeq(list, maps.Keys(calendarUnits)), slices.Collect(maps.Keys(calendarNames))...)
	slices.Sort(list)
	return list
}

// parseChannel parses an expression. A column whose name is the whole text is that column.
func (f *frame) parseChannel(text string) (channel, error) {
	if slices.Contains(f.names, text) {
		return channel{text: text, column: text}, nil
	}
	function, rest, called := strings.Cut(text, "(")
	argument, closed := strings.CutSuffix(rest, ")")
	if !called || !closed {
		return channel{}, f.unknown(text)
	}
	c := channel{text: text, function: strings.TrimSpace(function), column: strings.TrimSpace(argument)}
	if list := functions(); !slices.Contains(list, c.function) {
		hint := ""
		if near := nearest(c.function, list); near != "" {
			hint = fmt.Sprintf(" Did you mean %s?", near)
		}
		return c, fmt.Errorf("no function %q in %q.%s The functions are %s", c.function, text, hint, strings.Join(list, ", "))
	}
	if name, count, ok := strings.Cut(c.column, ","); ok && c.function == "bin" && !slices.Contains(f.names, c.column) {
		n, err := strconv.Atoi(strings.TrimSpace(count))
		if err != nil || n < 1 || n > 1000 {
			return c, fmt.Errorf("%q: want a number of bins from 1 to 1000", text)
		}
		c.column, c.number = strings.TrimSpace(name), n
	}
	if c.column == "" && c.function == "count" {
		return c, nil
	}
	if !slices.Contains(f.names, c.column) {
		return c, f.unknown(c.column)
	}
	return c, nil
}

// aggregated reports whether the channel has one value for a group of rows.
func (c channel) aggregated() bool { return aggregates[c.function] != nil }

// set reports whether the channel is used.
func (c channel) set() bool { return c.text != "" }

// resolve returns the values of a channel. Those of an aggregate are the values that it reduces,
// and count() has 1 for each row.
func (f *frame) resolve(c channel) (*column, error) {
	if c.column == "" {
		ones := &column{title: "count", at: make([]float64, f.height)}
		for i := range ones.at {
			ones.at[i] = 1
		}
		return ones, nil
	}
	source, err := f.column(c.column)
	if err != nil {
		return nil, err
	}
	made := *source
	made.title = c.text
	switch {
	case c.function == "" || c.function == "count" || c.function == "unique":
		return &made, nil
	case c.function == "category":
		cut := source.asNames(source.format)
		named := *cut
		named.title = c.column
		return &named, nil
	case c.aggregated():
		if source.kind == names || source.kind == times && c.function != "min" && c.function != "max" && c.function != "median" {
			return nil, fmt.Errorf("%s: column %q has %s", c.text, c.column, source.kind)
		}
		return &made, nil
	case c.function == "bin":
		if source.kind != numbers {
			return nil, fmt.Errorf("%s: column %q has %s, want numbers", c.text, c.column, source.kind)
		}
		made.title, made.at = c.column, make([]float64, len(source.at))
		low, width, _ := bins(source.at, c.number)
		made.width = width
		for i, x := range source.at {
			made.at[i] = low + (math.Floor((x-low)/width)+0.5)*width
		}
		return &made, nil
	}
	if source.kind != times {
		return nil, fmt.Errorf("%s: column %q has %s, want times", c.text, c.column, source.kind)
	}
	return calendarColumn(c, source), nil
}

// calendarColumn cuts or names the times of a column.
func calendarColumn(c channel, source *column) *column {
	made := &column{title: c.column, kind: times, zone: source.zone, at: make([]float64, len(source.at)), levels: calendarNames[c.function]}
	for i, seconds := range source.at {
		made.at[i] = math.NaN()
		if math.IsNaN(seconds) {
			continue
		}
		t := timeOf(seconds, source.zone)
		switch c.function {
		case "weekday":
			made.kind, made.at[i] = names, float64((int(t.Weekday())+6)%7)
		case "monthname":
			made.kind, made.at[i] = names, float64(t.Month()-1)
		default:
			made.at[i] = float64(calendarUnits[c.function](t).Unix())
		}
	}
	return made
}

// timeOf returns the time of seconds since 1970.
func timeOf(seconds float64, zone *time.Location) time.Time {
	whole, part := math.Modf(seconds)
	if zone == nil {
		zone = time.UTC
	}
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).In(zone)
}

// timeText formats a time with as many parts as it has.
func timeText(seconds float64, zone *time.Location) string {
	t := timeOf(seconds, zone)
	switch hour, minute, second := t.Clock(); {
	case hour == 0 && minute == 0 && second == 0 && t.Nanosecond() == 0:
		return t.Format("2 Jan 2006")
	case second == 0 && t.Nanosecond() == 0:
		return t.Format("2 Jan 2006 15:04")
	}
	return t.Format("2 Jan 2006 15:04:05.999")
}

// numberText formats a number with at most five significant digits, or all digits of an integer
// below 10⁹.
func numberText(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e9 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}
