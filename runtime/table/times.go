package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
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

// String returns the name of the unit, such as week.
func (u Unit) String() string {
	names := []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}
	if u < 0 || int(u) >= len(names) {
		return fmt.Sprintf("Unit(%d)", int(u))
	}
	return names[u]
}

// begin returns the first instant of the unit of a time, in its time zone.
func (u Unit) begin(t time.Time) time.Time {
	year, month, day := t.Date()
	switch u {
	case Second:
		return t.Add(-time.Duration(t.Nanosecond()))
	case Minute:
		return t.Add(-time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case Hour:
		return t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case Week:
		day -= (int(t.Weekday()) + 6) % 7
	case Month:
		day = 1
	case Quarter:
		month, day = month-(month-1)%3, 1
	case Year:
		month, day = 1, 1
	case Day:
	default:
		panic(fmt.Errorf("table: %v is not a unit of time", u))
	}
	return midnight(year, month, day, t.Location())
}

// next returns the beginning of the next unit after a beginning.
func (u Unit) next(t time.Time) time.Time {
	year, month, day := t.Date()
	switch u {
	case Second:
		return t.Add(time.Second)
	case Minute:
		return t.Add(time.Minute)
	case Hour:
		return t.Add(time.Hour)
	case Day:
		day++
	case Week:
		day += 7
	case Month:
		month++
	case Quarter:
		month += 3
	case Year:
		year++
	}
	return midnight(year, month, day, t.Location())
}

// midnight returns the first instant of a day, also where the clock skips midnight or shows it
// twice.
func midnight(year int, month time.Month, day int, zone *time.Location) time.Time {
	wanted := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	instants := instantsOf(wanted, zone)
	if len(instants) > 0 {
		return instants[0]
	}
	_, skip := time.Date(year, month, day, -3, 0, 0, 0, zone).ZoneBounds()
	return skip
}

// instantsOf returns the instants, in order, at which clocks in a zone show the date and time that
// a time in UTC has: none where the clock skips it, two where it shows it twice.
func instantsOf(wall time.Time, zone *time.Location) (instants []time.Time) {
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	start, end := near.ZoneBounds()
	guesses := []time.Time{near}
	if !start.IsZero() {
		guesses = append(guesses, start.Add(-1))
	}
	if !end.IsZero() {
		guesses = append(guesses, end)
	}
	for _, guess := range guesses {
		_, offset := guess.Zone()
		at := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		shown := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
		if shown.Equal(wall) && !slices.ContainsFunc(instants, at.Equal) {
			instants = append(instants, at)
		}
	}
	slices.SortFunc(instants, time.Time.Compare)
	return instants
}

// Truncate is the first instant of the second, minute, hour, day, week, month, quarter or year of
// the known times of a column, in the time zone of each time. It has the name of the column. Other
// values than times are an error. Group by it to resample:
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
	instants := instantsOf(wall, zone)
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
		layouts = isoLayouts
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
