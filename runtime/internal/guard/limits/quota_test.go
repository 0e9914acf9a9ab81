package limits

import "testing"

func TestOutputAboveTheLimitIsCountedAndToldOnce(t *testing.T) {
	q := &Quota{limit: 10}
	if ok, note := q.Take("12345678\n"); !ok || note != "" {
		t.Errorf("text below the limit: %t, %q", ok, note)
	}
	for _, text := range []string{"more\nthan that\n", "and more\n"} {
		if ok, note := q.Take(text); ok || note != "" {
			t.Errorf("%q: %t, %q", text, ok, note)
		}
	}
	if got, want := q.Close(), "\noutput limit of 10 bytes reached: 24 bytes in 3 lines were dropped\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if ok, note := q.Take("by a goroutine\n"); ok || note != "" {
		t.Errorf("text of a goroutine: %t, %q", ok, note)
	}
}

func TestGoroutinesThatPrintTooMuchAfterTheirCellAreTold(t *testing.T) {
	q := &Quota{limit: 3}
	if note := q.Close(); note != "" {
		t.Errorf("a cell without output ends with %q", note)
	}
	if _, note := q.Take("abcd"); note != "output limit of 3 bytes reached: what follows is dropped\n" {
		t.Errorf("got %q", note)
	}
	if _, note := q.Take("efgh"); note != "" {
		t.Errorf("the second text gets %q", note)
	}
}
