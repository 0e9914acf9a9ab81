// Package calendar finds the instants at which the clocks of a zone show a date and time.
package calendar

import (
	"slices"
	"time"
)

// First returns the first instant at which the clocks of a zone show the date and time of a time
// in UTC, or the instant at which they skip it.
func First(wall time.Time, zone *time.Location) time.Time {
	if instants := Instants(wall, zone); len(instants) > 0 {
		return instants[0]
	}
	before := wall.Add(-3 * time.Hour)
	_, skip := time.Date(before.Year(), before.Month(), before.Day(), before.Hour(), before.Minute(), 0, 0, zone).ZoneBounds()
	return skip
}

// Instants returns the instants, in order, at which clocks in a zone show the date and time that
// a time in UTC has: none where the clock skips it, two where it shows it twice.
func Instants(wall time.Time, zone *time.Location) (instants []time.Time) {
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

// NotBeforeChange returns the beginning of a unit of a time. If the clock was changed between the
// two, the unit begins with the change: an hour is shorter where the clock is set forward or back
// by half an hour.
func NotBeforeChange(t, begin time.Time) time.Time {
	if _, now := t.Zone(); t.Location() != time.UTC {
		if _, then := begin.Zone(); then != now {
			change, _ := t.ZoneBounds()
			return change
		}
	}
	return begin
}

// NotAfterChange returns the end of a unit of a time, or the change of the clock that precedes it.
func NotAfterChange(t, end time.Time) time.Time {
	if _, change := t.ZoneBounds(); !change.IsZero() && change.Before(end) {
		_, now := t.Zone()
		if _, then := change.Zone(); then != now {
			return change
		}
	}
	return end
}
