package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gosphere/runtime/table/internal/calendar"
	"gosphere/runtime/table/internal/delimited"
)

// A Unit is a unit of the calendar.
type Unit int

// The units. Weeks begin on Monday.
const (
	Second Unit = iota
	Minute
	Hour
	Day
	Week
	Month
	Quarter
	Year
)

// Times returns n units as one, such as Minute.Times(15). It panics unless n units divide the next
// larger one: n seconds or minutes 60, n hours 24 and n months 12. They begin where it does.
func (u Unit) Times(n int) Unit {
	of, ok := map[Unit]int{Second: 60, Minute: 60, Hour: 24, Month: 12}[u]
	if !ok {
		panic(fmt.Errorf("table: %d times %v, want seconds, minutes, hours or months", n, u))
	}
	if n < 1 || n > of || of%n != 0 {
		panic(fmt.Errorf("table: %d times %v, want a divisor of %d", n, u, of))
	}
	if n == 1 {
		return u
	}
	return u + Unit(n)*(Year+1)
}

// parts returns a unit without its factor, and the factor.
func (u Unit) parts() (of Unit, n int) { return u % (Year + 1), max(1, int(u/(Year+1))) }

// String returns the name of the unit, such as week or 15 minutes.
func (u Unit) String() string {
	names := []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}
	switch of, n := u.parts(); {
	case u < 0:
		return fmt.Sprintf("Unit(%d)", int(u))
	case n > 1:
		return fmt.Sprintf("%d %ss", n, names[of])
	default:
		return names[of]
	}
}

// begin returns the first instant of the unit of a time, in its time zone.
func (u Unit) begin(t time.Time) time.Time {
	if u < 0 {
		panic(fmt.Errorf("table: %v is not a unit of time", u))
	}
	of, n := u.parts()
	year, month, day := t.Date()
	switch of {
	case Second, Minute:
		return calendar.NotBeforeChange(t, t.Add(-sinceBegin(t, of, n)))
	case Hour:
		if n == 1 {
			return calendar.NotBeforeChange(t, t.Add(-sinceBegin(t, of, 1)))
		}
		return calendar.First(time.Date(year, month, day, t.Hour()-t.Hour()%n, 0, 0, 0, time.UTC), t.Location())
	case Week:
		day -= (int(t.Weekday()) + 6) % 7
	case Month:
		month, day = month-(month-1)%time.Month(n), 1
	case Quarter:
		month, day = month-(month-1)%3, 1
	case Year:
		month, day = 1, 1
	}
	return calendar.First(time.Date(year, month, day, 0, 0, 0, 0, time.UTC), t.Location())
}

// sinceBegin returns the time that the clock shows since the beginning of n seconds or minutes, or
// of an hour.
func sinceBegin(t time.Time, of Unit, n int) time.Duration {
	since := time.Duration(t.Nanosecond())
	switch of {
	case Second:
		return since + time.Duration(t.Second()%n)*time.Second
	case Minute:
		return since + time.Duration(t.Second())*time.Second + time.Duration(t.Minute()%n)*time.Minute
	}
	return since + time.Duration(t.Second())*time.Second + time.Duration(t.Minute())*time.Minute
}

// next returns the beginning of the next unit after a beginning.
func (u Unit) next(t time.Time) time.Time {
	of, n := u.parts()
	year, month, day := t.Date()
	hour := 0
	switch of {
	case Second, Minute, Hour:
		if of == Hour && n > 1 {
			hour = t.Hour() - t.Hour()%n + n
			break
		}
		unit := map[Unit]time.Duration{Second: time.Second, Minute: time.Minute, Hour: time.Hour}[of]
		next := t.Add(time.Duration(n)*unit - sinceBegin(t, of, n))
		return calendar.NotAfterChange(t, next)
	case Day:
		day++
	case Week:
		day += 7
	case Month:
		month += time.Month(n)
	case Quarter:
		month += 3
	case Year:
		year++
	}
	return calendar.First(time.Date(year, month, day, hour, 0, 0, 0, time.UTC), t.Location())
}

// Truncate is the first instant of the second, minute, hour, day, week, month, quarter or year of
// the known times of a column, in the time zone of each time. An hour and its parts begin with a
// change of the clock at the latest, so that the two hours that a clock shows are apart. The column
// has the name of the argument column. Other values than times are an error.
//
//	t.WithColumns(table.Truncate("time", table.Month)).GroupBy("time").Aggregate(table.Sum("units"))
func Truncate(column string, unit Unit) Expr {
	return Map(column, unit.begin)
}

// InZone has the times of a column as the clocks of a time zone show them. The instants stay the
// same. It has the name of the column. Other values than times are an error.
func InZone(column string, zone *time.Location) Expr {
	if zone == nil {
		panic(errors.New("table: InZone: the time zone is nil"))
	}
	return Map(column, func(t time.Time) time.Time { return t.In(zone) })
}

// Localize has the instants at which the clocks of a time zone show the dates and times of a
// column, whose own zone is ignored. It has the name of the column. Times that the clocks skip or
// show twice are an error, as are other values than times.
func Localize(column string, zone *time.Location) Expr {
	if zone == nil {
		panic(errors.New("table: Localize: the time zone is nil"))
	}
	return Map(column, func(t time.Time) (time.Time, error) { return localized(t, zone) })
}

func localized(t time.Time, zone *time.Location) (time.Time, error) {
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	instants := calendar.Instants(wall, zone)
	if len(instants) != 1 {
		times := map[int]string{0: "do not show this time", 2: "show this time twice"}[len(instants)]
		return time.Time{}, fmt.Errorf("the clocks of %v %s", zone, times)
	}
	return instants[0], nil
}

// ParseTime converts the known texts of a column to times by the first layout that fits, as for
// time.Parse, or by those of ISO 8601 and RFC 3339 without a layout. A text without a time zone is
// a time of the given one. It has the name of the column. A text that no layout fits, and one that
// the clocks of the zone skip or show twice, are an error that names column, row and value.
//
//	t.WithColumns(table.ParseTime("day", time.UTC, "02.01.2006", "2.1.06"))
func ParseTime(column string, zone *time.Location, layouts ...string) Expr {
	if zone == nil {
		panic(errors.New("table: ParseTime: the time zone is nil"))
	}
	if len(layouts) == 0 {
		layouts = delimited.ISOLayouts()
	}
	return Map(column, func(text string) (time.Time, error) {
		for _, layout := range layouts {
			at, err := time.Parse(layout, text)
			if err != nil {
				continue
			}
			if strings.Contains(layout, "Z07") || strings.Contains(layout, "-07") {
				return at.In(zone), nil
			}
			return localized(at, zone)
		}
		return time.Time{}, fmt.Errorf("no layout of %q fits", layouts)
	})
}

// Squish removes space at both ends of the known texts of a column and makes each space inside
// a single blank, also of Unicode spaces such as the no-break space. It has the name of the column.
// Other values than text are an error.
func Squish(column string) Expr {
	return Map(column, func(text string) string { return strings.Join(strings.Fields(text), " ") })
}

// Resample returns a row for each unit of time from the first to the last in a column, also those
// without rows: the beginning of the unit, as of Truncate, and the aggregates of its rows. The
// aggregates of a unit without rows are those of no values: Len and Sum are 0, most others missing.
// The rows are sorted by time. Resample panics for an unknown column, for times of different zones,
// for other and missing values, for an aggregate that Aggregate refuses, and for more than
// 100,000,000 rows.
//
//	sales.Resample("day", table.Week, table.Len(), table.Sum("units"))
func (t *Table) Resample(column string, unit Unit, aggregates ...Expr) *Table {
	return (&Groups{evaluation{t, t.whole()}}).Resample(column, unit, aggregates...)
}

// Resample is like the method of Table within each group, whose keys come first. The units are
// those between the first and the last time of each group.
//
//	sales.GroupBy("shop").Resample("day", table.Month, table.Sum("units"))
func (g *Groups) Resample(column string, unit Unit, aggregates ...Expr) *Table {
	begins := beginnings(&g.e, column, unit)
	of, periods := make([]uint32, g.e.height), empty(time.Time{}).(*values[time.Time])
	var first, keys []int
	for n := range g.Len() {
		rows := g.e.groups.rows(n)
		if len(rows) == 0 {
			continue
		}
		least, greatest := begins[rows[0]], begins[rows[0]]
		for _, i := range rows {
			if begins[i].Before(least) {
				least = begins[i]
			}
			if begins[i].After(greatest) {
				greatest = begins[i]
			}
		}
		numbers := map[instant]uint32{}
		for at := least; !at.After(greatest); at = unit.next(at) {
			if periods.len() >= maxMade {
				panic(fmt.Errorf("table: Resample: column %q: more than %d rows from %v to %v", column, maxMade, least, greatest))
			}
			numbers[instantOf(at)] = uint32(periods.len())
			periods.add(at)
			first, keys = append(first, rows[0]), append(keys, rows[0])
		}
		for _, i := range rows {
			of[i] = numbers[instantOf(begins[i])]
		}
	}
	made := g.e.Select(g.e.groups.keys...).take(keys)
	if slices.Contains(made.columns, column) {
		panic(fmt.Errorf("table: Resample: column %q is a key of the groups", column))
	}
	made.insert(column, periods)
	aggregate(&evaluation{g.e.Table, &grouping{keys: g.e.groups.keys, of: of, first: first}}, made, aggregates)
	return made
}

// beginnings returns the beginnings of units of the times of a column, which are all known and in
// one time zone.
func beginnings(e *evaluation, column string, unit Unit) []time.Time {
	k := e.mustFind(column)
	times := typed[time.Time](e, k)
	begins := make([]time.Time, e.height)
	for i, at := range times.list {
		if !times.known(i) {
			panic(e.mismatch(i, k, "a time: use DropNull"))
		}
		if at.Location().String() != times.list[0].Location().String() {
			panic(fmt.Errorf("table: Resample: column %q, row %d: %v has another time zone than %v: use InZone", column, i, at, times.list[0]))
		}
		begins[i] = unit.begin(at)
	}
	return begins
}
