package difference

import (
	"strings"
	"testing"
)

func TestASeedAlwaysGivesTheSameProgram(t *testing.T) {
	for seed := range uint64(20) {
		a, b := Generate(seed, mark(3)), Generate(seed, mark(4))
		if remark(a, 4) != b {
			t.Errorf("seed %d gives two programs", seed)
		}
	}
}

func TestRepairLeavesOnlyWhatCompiles(t *testing.T) {
	types := importer(t)
	source := "package main\n\nimport \"fmt\"\n\nfunc run_0000() {\n\tx := 1\n\ty := \"a\" + 2\n\tfmt.Println(z)\n\tfmt.Println(3)\n}\n"
	repaired, err := types.Repair(source)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(repaired, "_ = x") || strings.Contains(repaired, "y :=") || strings.Contains(repaired, "Println(z)") || !strings.Contains(repaired, "Println(3)") {
		t.Errorf("repaired to\n%s", repaired)
	}
	if again, _ := types.Repair(repaired); again != repaired {
		t.Errorf("repaired again to\n%s", again)
	}
}

func TestMinimiseKeepsTheFailureAndDropsTheRest(t *testing.T) {
	// A stand-in for the cells: whatever mentions panic fails.
	play := func(programs [][]string) ([]Outcome, error) {
		var list []Outcome
		for _, cells := range programs {
			o := Outcome{Ended: true}
			if strings.Contains(strings.Join(cells, "\n"), "panic(") {
				o.Failure = "panic: on purpose"
			}
			list = append(list, o)
		}
		return list, nil
	}
	source := "package main\n\nimport \"fmt\"\n\nfunc other_0000() { fmt.Println(1) }\n\nfunc run_0000() {\n\tother_0000()\n\tfor i := range 3 {\n\t\tfmt.Println(i)\n\t\tpanic(i)\n\t}\n}\n"
	f := Find{Source: source, Verdict: Loud, Outcome: Outcome{Ended: true, Failure: "panic: on purpose"}}
	small, err := Minimise(importer(t), f, play)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(small.Source, "panic(") || strings.Contains(small.Source, "Println") {
		t.Errorf("minimised to\n%s", small.Source)
	}
}

func TestFindsOfOneCauseHaveOneSignature(t *testing.T) {
	find := func(failure string) string {
		f := Find{Verdict: Loud, Outcome: Outcome{Ended: true, Failure: failure}}
		return f.Signature()
	}
	if a, b := find("internal error: 307:1: undefined: L35"), find("internal error: 12:4: undefined: L7"); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := find("panic: one"), find("panic: other"); a == b {
		t.Errorf("both %q", a)
	}
}
