package figure

import (
	"math"
	"time"

	"gonum.org/v1/plot"
)

// TimeSeries draws series against points in time, which need not be evenly spaced: value i of each
// series belongs to times[i], and X is not used. The axis has calendar times in the location of the
// first point. Times must not decrease.
func TimeSeries(yLabel string, times []time.Time, series ...Series) *Figure {
	for i := 1; i < len(times); i++ {
		if times[i].Before(times[i-1]) {
			return failed("time %d, %v, is before the time before it, %v", i, times[i], times[i-1])
		}
	}
	at := make([]float64, len(times))
	for i, t := range times {
		at[i] = float64(t.Unix()) + float64(t.Nanosecond())/1e9
	}
	timed := make([]Series, len(series))
	for i, s := range series {
		if s.X != nil {
			return failed("series %q has positions X, but the times are its positions", s.Name)
		}
		timed[i] = s
		timed[i].X = at
	}
	f := Lines("", yLabel, timed...)
	if f.err != nil {
		return f
	}
	f.kind, f.series = described("time series", len(series)), nil // an axis of times is not logarithmic
	f.Plot.X.Tick.Marker = calendar{times[0].Location()}
	lines := f.twin
	f.twin = func() map[string]any { return timeTwin(lines()) }
	return f
}

// timeTwin makes the horizontal axis of a specification one of times, in milliseconds since 1970.
func timeTwin(spec object) object {
	data, _ := spec["data"].(object)
	rows, _ := data["values"].([]any)
	for _, row := range rows {
		point := row.(object)
		point["x"] = 1000 * point["x"].(float64)
	}
	layers, _ := spec["layer"].([]any)
	for _, layer := range layers {
		encoding := layer.(object)["encoding"].(object)
		encoding["x"] = object{"field": "x", "type": "temporal", "title": nil}
		if tips, ok := encoding["tooltip"].([]any); ok {
			for _, tip := range tips {
				if t, ok := tip.(object); ok && t["field"] == "x" {
					t["type"], t["title"], t["format"] = "temporal", "time", "%Y-%m-%d %H:%M:%S"
				}
			}
		}
	}
	return spec
}

// A calendar places ticks at whole units of the calendar of a location.
type calendar struct{ location *time.Location }

// A rhythm is a distance of ticks: a number of seconds, of months, or of both zero for less than a
// second.
type rhythm struct {
	seconds, months int
	format          string
}

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	month  = 30.44 * day
)

// rhythms are in ascending order. The labels of days and hours have no year; that of the first tick
// and of a new year does.
var rhythms = []rhythm{
	{1, 0, "15:04:05"}, {2, 0, "15:04:05"}, {5, 0, "15:04:05"}, {10, 0, "15:04:05"}, {15, 0, "15:04:05"}, {30, 0, "15:04:05"},
	{minute, 0, "15:04"}, {2 * minute, 0, "15:04"}, {5 * minute, 0, "15:04"}, {10 * minute, 0, "15:04"}, {15 * minute, 0, "15:04"},
	{30 * minute, 0, "15:04"}, {hour, 0, "15:04"}, {2 * hour, 0, "15:04"}, {3 * hour, 0, "15:04"}, {6 * hour, 0, "15:04"}, {12 * hour, 0, "15:04"},
	{day, 0, "2 Jan"}, {2 * day, 0, "2 Jan"}, {7 * day, 0, "2 Jan"}, {14 * day, 0, "2 Jan"},
	{0, 1, "Jan"}, {0, 2, "Jan"}, {0, 3, "Jan"}, {0, 6, "Jan"},
	{0, 12, "2006"}, {0, 24, "2006"}, {0, 60, "2006"}, {0, 120, "2006"}, {0, 240, "2006"}, {0, 600, "2006"}, {0, 1200, "2006"},
}

// mostTicks is the number of ticks that fit beside each other.
const mostTicks = 7

// Ticks implements plot.Ticker for seconds since 1970.
func (c calendar) Ticks(low, high float64) []plot.Tick {
	if high-low < 2 {
		return c.fractions(low, high)
	}
	chosen := rhythms[len(rhythms)-1]
	for _, r := range rhythms {
		if (high-low)/(float64(r.seconds)+month*float64(r.months)) <= mostTicks {
			chosen = r
			break
		}
	}
	var ticks []plot.Tick
	var before time.Time
	for t := c.first(low, chosen); float64(t.Unix()) <= high && len(ticks) <= 2*mostTicks; t = chosen.after(t) {
		if float64(t.Unix()) < low {
			continue
		}
		ticks = append(ticks, plot.Tick{Value: float64(t.Unix()), Label: chosen.label(t, before)})
		before = t
	}
	return ticks
}

// fractions returns ticks of less than a second, labeled with the seconds of the minute.
func (c calendar) fractions(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(max(high-low, 1e-6))))
	for _, finer := range []float64{0.2, 0.5, 1, 2} {
		if (high-low)/(step*finer) <= mostTicks {
			step *= finer
			break
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high && len(ticks) <= 2*mostTicks; k++ {
		whole, part := math.Modf(k * step)
		t := time.Unix(int64(whole), int64(part*1e9)).In(c.location).Round(time.Microsecond)
		layout := "5.999999 s"
		if len(ticks) == 0 {
			layout = "15:04:05.999999"
		}
		ticks = append(ticks, plot.Tick{Value: k * step, Label: t.Format(layout)})
	}
	return ticks
}

// first returns the last tick that is not after a time.
func (c calendar) first(seconds float64, r rhythm) time.Time {
	t := time.Unix(int64(math.Floor(seconds)), 0).In(c.location)
	year, m, d := t.Date()
	if r.months > 0 {
		months := year*12 + int(m) - 1
		months -= months % r.months
		return time.Date(months/12, time.Month(months%12+1), 1, 0, 0, 0, 0, c.location)
	}
	if r.seconds >= day {
		days := r.seconds / day
		return time.Date(year, m, d-(d-1)%days, 0, 0, 0, 0, c.location)
	}
	midnight := time.Date(year, m, d, 0, 0, 0, 0, c.location)
	since := int(t.Sub(midnight).Seconds())
	return midnight.Add(time.Duration(since-since%r.seconds) * time.Second)
}

// after returns the next tick. Days and months are those of the calendar, whatever their length.
func (r rhythm) after(t time.Time) time.Time {
	if r.months > 0 {
		return t.AddDate(0, r.months, 0)
	}
	if r.seconds >= day {
		return t.AddDate(0, 0, r.seconds/day)
	}
	return t.Add(time.Duration(r.seconds) * time.Second)
}

// label formats a tick. The first tick, and the first one of a new day or year, have the date that
// the others leave out.
func (r rhythm) label(t, before time.Time) string {
	sameYear, sameDay := t.Year() == before.Year(), t.YearDay() == before.YearDay() && t.Year() == before.Year()
	switch {
	case r.months >= 12:
		return t.Format("2006")
	case r.months > 0 && !sameYear:
		return t.Format("Jan 2006")
	case r.seconds >= day && !sameYear:
		return t.Format("2 Jan 2006")
	case r.months == 0 && r.seconds < day && !sameDay:
		return t.Format(r.format + "\n2 Jan 2006")
	case r.months == 0 && r.seconds < day:
		return t.Format(r.format + "\n ") // as many lines as the others, so that the first lines align
	}
	return t.Format(r.format)
}
