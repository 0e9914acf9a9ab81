package difference

import (
	"os"
	"testing"
)

// TestValuesAreTheSameInEveryPlace uses values of all kinds of types in every context of the
// language. By default it takes some of the values; GOSPHERE_CROSSING=all takes all.
func TestValuesAreTheSameInEveryPlace(t *testing.T) {
	needGo(t)
	types := importer(t)
	var programs []string
	for i, source := range Crossing() {
		if os.Getenv("GOSPHERE_CROSSING") != "all" && i%6 != 1 {
			continue
		}
		repaired, err := types.Repair(source)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		programs = append(programs, remark(repaired, len(programs)))
	}
	finds, err := Compare(programs, inWorkers)
	if err != nil {
		t.Fatal(err)
	}
	if len(finds) != len(programs) {
		t.Errorf("%d of %d programs ended well", len(finds), len(programs))
	}
	for _, f := range finds {
		if f.Compiled, f.Outcome.Output = without(known, f.Compiled), without(known, f.Outcome.Output); judge(f.Compiled, f.Outcome) != Equal {
			keep(t, f, "-crossing")
			got, want := f.FirstDifference()
			t.Errorf("%s: %s\n%.200s\ngot:  %s\nwant: %s", crossedValues[0].typ, f.Outcome.Failure, f.Outcome.Output, got, want)
		}
	}
}
