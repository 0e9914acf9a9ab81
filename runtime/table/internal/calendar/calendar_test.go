package calendar

import (
	"testing"
	"time"
	_ "time/tzdata"
)

// zone returns a zone of the database.
func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func wall(text string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestInstantsOfADateAndTime(t *testing.T) {
	for _, c := range []struct {
		zone, wall string
		want       []string
	}{
		{"Europe/Berlin", "2026-01-02 03:04:05", []string{"2026-01-02T02:04:05Z"}},
		{"Europe/Berlin", "2026-03-29 02:30:00", nil}, // skipped
		{"Europe/Berlin", "2026-03-29 03:00:00", []string{"2026-03-29T01:00:00Z"}},
		{"Europe/Berlin", "2026-10-25 02:30:00", []string{"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"}}, // twice
		{"Europe/Berlin", "2026-10-25 03:00:00", []string{"2026-10-25T02:00:00Z"}},
		{"Australia/Lord_Howe", "2026-04-05 01:45:00", []string{"2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"}}, // by half an hour
		{"UTC", "2026-10-25 02:30:00", []string{"2026-10-25T02:30:00Z"}},
	} {
		got := Instants(wall(c.wall), zone(t, c.zone))
		if len(got) != len(c.want) {
			t.Errorf("%s in %s: %v, want %v", c.wall, c.zone, got, c.want)
			continue
		}
		for i, at := range got {
			if text := at.UTC().Format(time.RFC3339); text != c.want[i] {
				t.Errorf("%s in %s: %s, want %s", c.wall, c.zone, text, c.want[i])
			}
		}
	}
}

func TestTheFirstInstantOfASkippedTimeIsTheChange(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for text, want := range map[string]string{
		"2026-03-29 02:30:00": "2026-03-29T01:00:00Z",
		"2026-10-25 02:30:00": "2026-10-25T00:30:00Z",
		"2026-07-01 00:00:00": "2026-06-30T22:00:00Z",
	} {
		if got := First(wall(text), berlin).UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestUnitsAreCutAtAChangeOfTheClock(t *testing.T) {
	berlin, howe := zone(t, "Europe/Berlin"), zone(t, "Australia/Lord_Howe")
	after := time.Date(2026, 4, 4, 15, 20, 0, 0, time.UTC).In(howe) // the clock went back by half an hour at 15:00
	begin := time.Date(2026, 4, 4, 14, 30, 0, 0, time.UTC).In(howe)
	if got := NotBeforeChange(after, begin).UTC().Format("15:04"); got != "15:00" {
		t.Errorf("the unit begins at %s", got)
	}
	if got := NotAfterChange(begin, after).UTC().Format("15:04"); got != "15:00" {
		t.Errorf("the unit ends at %s", got)
	}
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, berlin)
	if got := NotBeforeChange(noon, noon.Add(-time.Hour)); !got.Equal(noon.Add(-time.Hour)) {
		t.Errorf("without a change it begins at %s", got)
	}
	if got := NotAfterChange(noon, noon.Add(time.Hour)); !got.Equal(noon.Add(time.Hour)) {
		t.Errorf("without a change it ends at %s", got)
	}
}
