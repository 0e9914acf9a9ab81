package delimited

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// A Column has the values of one column. A value is missing if its bit in Valid is not set, and is
// the zero value then.
type Column struct {
	Name   string
	Values any // []int, []float64, []bool, []string or []time.Time, or nil without known values
	Valid  []uint64
	Len    int
}

// known reports whether a value is known.
func (c *Column) known(i int) bool { return c.Valid[i/64]>>(i%64)&1 != 0 }

// Read reads all records.
func Read(r io.Reader, o Options) ([]Column, error) {
	s, names, err := o.open(r)
	if err != nil {
		return nil, err
	}
	if err := o.checkNames(names); err != nil {
		return nil, err
	}
	all := make([]texts, len(names))
	var lines []int
	for begun := o.NoHeader; ; begun = true {
		if begun {
			lines = append(lines, s.start)
			for k := range all {
				all[k].add(s.value(k))
			}
		}
		if err := o.record(s, len(names)); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	columns := make([]Column, len(names))
	found := o.plain(names, all, columns)
	for k, name := range names {
		if found[k] {
			continue
		}
		if columns[k], err = o.column(name, &all[k], lines); err != nil {
			return nil, err
		}
		all[k] = texts{}
	}
	return columns, nil
}

// plain converts the columns whose values all fit one type, several at a time, and reports which.
// The others have notes or dirty values, whose order is that of the columns.
func (o *Options) plain(names []string, all []texts, columns []Column) (found []bool) {
	found = make([]bool, len(names))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(names); k = int(next.Add(1)) - 1 {
				all[k].complete()
				if columns[k], found[k] = o.plainColumn(names[k], &all[k]); found[k] {
					all[k] = texts{}
				}
			}
		})
	}
	workers.Wait()
	return found
}

// plainColumn converts a column if its values need no notes.
func (o *Options) plainColumn(name string, all *texts) (Column, bool) {
	if slices.Contains(o.Text, name) {
		if !utf8.ValidString(all.text) {
			return Column{}, false
		}
		return o.text(name, all), true
	}
	kind := o.Types[name]
	if o.Decimal == 0 && o.Thousands == 0 && !slices.ContainsFunc(o.layouts, isCompact) && (kind == "" || kind == "int" || kind == "float64") {
		if c, ok := o.numbers(name, kind, all); ok {
			return c, true
		}
	}
	r, ok := o.fitting(name, all)
	if !ok || r.kind == "string" && !utf8.ValidString(all.text) {
		return Column{}, false
	}
	return o.converted(name, chosen{r, false}, all, nil), true
}

// numbers converts a column of whole numbers, or of numbers, in one pass, if all of its values are.
func (o *Options) numbers(name, kind string, all *texts) (Column, bool) {
	first := 0
	for first < all.len() && o.missing(all.at(first)) {
		first++
	}
	if first == all.len() || !numeric(all.at(first)) {
		return Column{}, false
	}
	if kind != "float64" {
		if c, ok := converts(o, name, all, o.integer); ok {
			return c, true
		}
	}
	if kind == "int" {
		return Column{}, false
	}
	return converts(o, name, all, o.float)
}

// converts converts a column if all of its values can be parsed.
func converts[T any](o *Options, name string, all *texts, parse func(string) (T, bool)) (Column, bool) {
	list, c := make([]T, all.len()), Column{Name: name, Valid: make([]uint64, (all.len()+63)/64), Len: all.len()}
	for i := range list {
		text := all.at(i)
		value, ok := parse(text)
		if (!ok || o.first[text[0]]) && o.missing(text) {
			continue
		}
		if !ok {
			return Column{}, false
		}
		list[i] = value
		c.Valid[i/64] |= 1 << (i % 64)
	}
	c.Values = list
	return c, true
}

// checkNames returns an error if an option names a column that does not exist.
func (o *Options) checkNames(names []string) error {
	wanted := slices.Clone(o.Text)
	for name := range o.Types {
		wanted = append(wanted, name)
	}
	slices.Sort(wanted)
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("table: no column %q, want one of %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// record reads the next record with the given number of values. Others are dirty.
func (o *Options) record(s *scanner, width int) error {
	for {
		n, err := s.next()
		if err != nil || n == width {
			return err
		}
		if o.Dirty == nil {
			return fmt.Errorf("line %d has %s, want %d", s.start, valuesText(n), width)
		}
		o.Dirty(s.start, "", strings.Join(s.values(), string(o.Comma)), fmt.Sprintf("the line has %s, want %d", valuesText(n), width))
	}
}

func valuesText(n int) string {
	if n == 1 {
		return "1 value"
	}
	return fmt.Sprintf("%d values", n)
}

// chosen is how the texts of a column are converted.
type chosen struct {
	reading
	dirty bool // texts that do not fit are missing
}

// column converts the values of a column to the first type that fits all of them, or most of them
// if there is a list of dirty values.
func (o *Options) column(name string, all *texts, lines []int) (Column, error) {
	if slices.Contains(o.Text, name) {
		return o.text(name, all), nil
	}
	if r, ok := o.fitting(name, all); ok {
		return o.converted(name, chosen{r, false}, all, nil), nil
	}
	t := o.tally(name)
	for i := range all.len() {
		t.count(o, all.at(i), lines[i])
	}
	by, err := t.choose(o)
	if err != nil || by.kind == "" {
		return Column{Name: name, Valid: make([]uint64, (all.len()+63)/64), Len: all.len()}, err
	}
	if t.hint && by.kind == "string" && o.Types[name] == "" {
		o.suggest(name, all)
	}
	return o.converted(name, by, all, func(i int) int { return lines[i] }), nil
}

// fitting returns the first reading that fits all known texts of a column, of which there is one at
// least. It looks at no further text once none does.
func (o *Options) fitting(name string, all *texts) (r reading, ok bool) {
	alive := o.tally(name).readings
	known := false
	for i := 0; i < all.len() && len(alive) > 0; i++ {
		text := all.at(i)
		if o.missing(text) {
			continue
		}
		known = true
		// What fits the first reading may not fit the others. They are asked once it does not.
		if o.fits(alive[0], text) {
			continue
		}
		alive = alive[1:]
		for len(alive) > 0 && !o.fitsUpTo(all, alive[0], i) {
			alive = alive[1:]
		}
	}
	if !known || len(alive) == 0 {
		return reading{}, false
	}
	return alive[0], true
}

// fitsUpTo reports whether a reading fits all known texts of the rows up to one.
func (o *Options) fitsUpTo(all *texts, r reading, row int) bool {
	for i := row; i >= 0; i-- {
		if text := all.at(i); !o.missing(text) && !o.fits(r, text) {
			return false
		}
	}
	return true
}

// A tally counts how many texts of a column fit each type.
type tally struct {
	name     string
	readings []reading
	fits     []int
	bad      []string // the first text that does not fit
	badLine  []int
	known    int
	rows     int
	none     bool // each reading has a text that does not fit
	hint     bool
}

func (o *Options) tally(name string) *tally {
	list := o.readings()
	if kind := o.Types[name]; kind != "" {
		list = slices.DeleteFunc(list, func(r reading) bool { return r.kind != kind })
	}
	return &tally{name: name, readings: list, fits: make([]int, len(list)), bad: make([]string, len(list)), badLine: make([]int, len(list))}
}

// count adds a text.
func (t *tally) count(o *Options, text string, line int) {
	t.rows++
	if o.missing(text) {
		return
	}
	t.known++
	if t.none && o.Layouts == nil && !numeric(text) && !strings.ContainsRune("tTfF", rune(text[0])) {
		return
	}
	small := false
	for n, r := range t.readings {
		switch {
		case r.kind == "int":
			value, ok := o.integer(text)
			if small = ok && -1<<53 <= value && value <= 1<<53; ok {
				t.fits[n]++
				continue
			}
		case small && r.kind == "float64":
			t.fits[n]++
			continue
		}
		switch {
		case r.kind != "int" && o.fits(r, text):
			t.fits[n]++
		case t.badLine[n] == 0:
			t.bad[n], t.badLine[n] = strings.Clone(text), line
			t.none = !slices.Contains(t.badLine, 0)
		}
	}
}

// choose returns how the texts are converted. The kind is "" if none is known.
func (t *tally) choose(o *Options) (chosen, error) {
	forced := o.Types[t.name]
	best := -1
	for n, fits := range t.fits {
		if fits == t.known && t.known > 0 {
			return chosen{t.readings[n], false}, nil
		}
		if best < 0 && fits > 0 || best >= 0 && fits > t.fits[best] {
			best = n
		}
	}
	text := chosen{reading{kind: "string"}, false}
	switch {
	case forced == "string":
		return text, nil
	case t.known == 0 && forced != "":
		return chosen{t.readings[0], false}, nil
	case t.known == 0 && t.rows == 0:
		return chosen{}, nil
	case t.known == 0:
		o.note("column %q has no values, so it has no type", t.name)
		return chosen{}, nil
	case forced != "" && o.Dirty == nil:
		n := max(best, 0)
		return chosen{}, fmt.Errorf("line %d: column %q: %q is not %s", t.badLine[n], t.name, t.bad[n], t.readings[n].what)
	case forced != "":
		return chosen{t.readings[max(best, 0)], true}, nil
	case best >= 0 && 2*t.fits[best] >= t.known && o.Dirty != nil:
		o.note("column %q: %d of %d values are not %s and missing", t.name, t.known-t.fits[best], t.known, t.readings[best].what)
		return chosen{t.readings[best], true}, nil
	case best >= 0 && 2*t.fits[best] >= t.known:
		o.note("column %q is text because %q in line %d %s; %d of %d values fit", t.name, t.bad[best], t.badLine[best], t.readings[best].reason(t.bad[best]), t.fits[best], t.known)
		t.hint = true
	default:
		t.hint = true
	}
	return text, nil
}

// converted converts texts that fit, or are dirty.
func (o *Options) converted(name string, by chosen, all *texts, line func(i int) int) Column {
	job := conversion{o, name, by, all, line}
	switch by.kind {
	case "int":
		return convert(job, o.integer)
	case "float64":
		return convert(job, o.float)
	case "bool":
		return convert(job, boolean)
	case "time.Time":
		return convert(job, func(text string) (time.Time, bool) { return o.time(by.layout, text) })
	}
	return o.text(name, all)
}

// A conversion is that of the texts of a column.
type conversion struct {
	*Options
	name string
	by   chosen
	all  *texts
	line func(i int) int
}

func convert[T any](job conversion, parse func(string) (T, bool)) Column {
	all := job.all
	list, c := make([]T, all.len()), Column{Name: job.name, Valid: make([]uint64, (all.len()+63)/64), Len: all.len()}
	for i := range list {
		text := all.at(i)
		if job.missing(text) {
			continue
		}
		value, ok := parse(text)
		if !ok {
			job.Dirty(job.line(i), job.name, text, job.by.reason(text))
			continue
		}
		list[i] = value
		c.Valid[i/64] |= 1 << (i % 64)
	}
	c.Values = list
	return c
}

// text returns a column of text.
func (o *Options) text(name string, all *texts) Column {
	list, c := make([]string, all.len()), Column{Name: name, Valid: make([]uint64, (all.len()+63)/64), Len: all.len()}
	if !utf8.ValidString(all.text) {
		at := 0
		for at < all.len()-1 && utf8.ValidString(all.at(at)) {
			at++
		}
		o.note("column %q has text that is not UTF-8, first %q; golang.org/x/text/encoding decodes other encodings", name, all.at(at))
	}
	for i := range list {
		if text := all.at(i); text != "" && (o.Missing == nil || !o.missing(text)) {
			list[i] = text
			c.Valid[i/64] |= 1 << (i % 64)
		}
	}
	c.Values = list
	return c
}

// suggest notes another form in which all values of a column of text are numbers or dates.
func (o *Options) suggest(name string, all *texts) {
	first := 0
	for o.missing(all.at(first)) { // one is known
		first++
	}
	if !numeric(all.at(first)) {
		return
	}
	if o.Decimal != 0 || o.Thousands != 0 {
		return
	}
	var fit []string
	for _, other := range []Options{{Decimal: ','}, {Thousands: ','}, {Decimal: ',', Thousands: '.'}} {
		if len(fit) == 0 && o.fitsAll(all, &other, reading{kind: "float64"}) {
			fit = append(fit, map[rune]string{0: "Thousands: ','", ',': "Decimal: ','"}[other.Decimal])
			if other.Decimal != 0 && other.Thousands != 0 {
				fit[0] += ", Thousands: '.'"
			}
		}
	}
	for _, layout := range []string{"02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006", "2006/01/02", "02.01.2006 15:04", "2006-01-02 15:04"} {
		if layout == "2.1.2006" && len(fit) > 0 {
			continue
		}
		if o.fitsAll(all, &Options{Layouts: []string{layout}}, reading{kind: "time.Time", layout: layout}) {
			fit = append(fit, fmt.Sprintf("Layouts: []string{%q}", layout))
		}
	}
	if len(fit) > 0 {
		o.note("column %q is text; its values fit CSV{%s}", name, strings.Join(fit, "} and CSV{"))
	}
}

// fitsAll reports whether all texts fit a type with other options.
func (o *Options) fitsAll(all *texts, other *Options, r reading) bool {
	for i := range all.len() {
		if text := all.at(i); !o.missing(text) && !other.fits(r, text) {
			return false
		}
	}
	return true
}
