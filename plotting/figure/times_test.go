package figure

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func seconds(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

func TestTicksOfTimesAreThoseOfTheCalendar(t *testing.T) {
	zone := time.FixedZone("two hours east", 2*hour)
	at := func(layout, text string) time.Time {
		parsed, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	const layout = "2006-01-02 15:04:05.999"
	for _, test := range []struct{ low, high, want string }{
		{"1990-05-01 00:00:00", "2026-05-01 00:00:00", "2000|2010|2020"},
		{"2021-03-01 00:00:00", "2026-05-01 00:00:00", "2022|2023|2024|2025|2026"},
		{"2025-11-20 00:00:00", "2026-04-02 00:00:00", "Dec 2025|Jan 2026|Feb|Mar|Apr"},
		{"2026-02-20 00:00:00", "2026-03-03 12:00:00", "21 Feb 2026|23 Feb|25 Feb|27 Feb|1 Mar|3 Mar"},
		{"2026-11-26 09:10:00", "2026-11-27 02:00:00", "12:00\n26 Nov 2026|15:00\n |18:00\n |21:00\n |00:00\n27 Nov 2026"},
		{"2026-11-26 09:10:12", "2026-11-26 09:11:40", "09:10:15\n26 Nov 2026|09:10:30\n |09:10:45\n |09:11:00\n |09:11:15\n |09:11:30\n "},
		{"2026-11-26 09:10:12", "2026-11-26 09:10:13", "09:10:12|12.2 s|12.4 s|12.6 s|12.8 s|13 s"},
	} {
		var labels []string
		for _, tick := range (calendar{zone}).Ticks(seconds(at(layout, test.low)), seconds(at(layout, test.high))) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, "|"); got != test.want {
			t.Errorf("%s to %s: %q, want %q", test.low, test.high, got, test.want)
		}
	}
}

func TestTicksOfTimesLieInsideAndAreFew(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	zone, err := time.LoadLocation("Europe/Berlin") // with hours that are missing or occur twice
	if err != nil {
		t.Skip(err)
	}
	for range 2000 {
		low := float64(time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC).Unix()) + 3e9*random.Float64()
		high := low + math.Exp(24*random.Float64()-2)
		ticks := calendar{zone}.Ticks(low, high)
		if len(ticks) == 0 || len(ticks) > mostTicks+1 {
			t.Errorf("%d ticks from %f to %f", len(ticks), low, high)
		}
		for i, tick := range ticks {
			if tick.Value < low-1e-6 || tick.Value > high+1e-6 || i > 0 && tick.Value <= ticks[i-1].Value {
				t.Errorf("tick %d of %f to %f is %f", i, low, high, tick.Value)
			}
			if i > 0 && tick.Label == ticks[i-1].Label {
				t.Errorf("two ticks of %f to %f beside each other have the label %q", low, high, tick.Label)
			}
		}
	}
}

func TestTimesThatHaveNoPlaceAreRefused(t *testing.T) {
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for want, f := range map[string]*Figure{
		"is before the time before it": TimeSeries("y", []time.Time{now, now.Add(-time.Second)}, Series{Values: []float64{1, 2}}),
		"has positions X":              TimeSeries("y", []time.Time{now}, Series{Name: "a", X: []float64{1}, Values: []float64{1}}),
		"2 values, 1 positions":        TimeSeries("y", []time.Time{now}, Series{Name: "a", Values: []float64{1, 2}}),
		"no series":                    TimeSeries("y", nil),
		"has no values":                TimeSeries("y", nil, Series{Name: "a"}),
		"no logarithmic axes":          TimeSeries("y", []time.Time{now, now.Add(time.Hour)}, Series{Values: []float64{1, 2}}).LogX(),
	} {
		if f.Err() == nil || !strings.Contains(f.Err().Error(), want) {
			t.Errorf("%v, want %q", f.Err(), want)
		}
	}
}

func TestTimesOfTheInteractiveFormAreMilliseconds(t *testing.T) {
	start := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	f := TimeSeries("y", []time.Time{start, start.Add(90 * time.Second)}, Series{Values: []float64{1, 2}})
	spec, err := f.VegaLite()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf(`"x":%d`, start.UnixMilli()), fmt.Sprintf(`"x":%d`, start.UnixMilli()+90_000), `"type":"temporal"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}
