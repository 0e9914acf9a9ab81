package difference

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
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

func TestMinimizeKeepsTheFailureAndDropsTheRest(t *testing.T) {
	// A substitute for the cells: every program that mentions panic fails.
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
	small, err := Minimize(importer(t), f, play)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(small.Source, "panic(") || strings.Contains(small.Source, "Println") {
		t.Errorf("minimized to\n%s", small.Source)
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

const cuttable = `package main

import "fmt"

type T_0000 int
func (t T_0000) String() string { return "right" }
type U_0000 struct { A T_0000 }
var h_0000 any = U_0000{1}
func o_0000(p0, p1 int) int { return p1 }
func f_0000() int { return o_0000(1, 2) }

func run_0000() {
	a := f_0000()
	b := fmt.Sprint(h_0000, T_0000(3))
	_ = a
	fmt.Println(a, b)
}
`

func TestTheFirstLineTellsHowAProgramIsCut(t *testing.T) {
	for way, want := range map[int]string{
		0: "func o_0000(p0, p1 int) int { return p1 }|func f_0000() int { return o_0000(1, 2) }",
		3: "|run_0000()",
		5: "|func (t T_0000) String() string",
		6: "a := f_0000()\n\t|b := ",
		7: "func o_0000(p0, p1 int) int { return p0 }\nfunc f_0000() int { return o_0000(1, 2) }\n|func (t T_0000) String() string { return \"right\" }\nvar h_0000 any = U_0000{1}\nfunc o_0000(p0, p1 int) int { return p1 }\n|",
		8: "type T_0000 struct { old int; Sub []T_0000 }",
	} {
		cells, err := Cells(fmt.Sprintf("// cells: %d\n%s", way, cuttable))
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(cells, "|"); !strings.Contains(all, want) {
			t.Errorf("way %d gives\n%s\nwithout\n%s", way, all, want)
		}
	}
}

func TestEveryWayOfCuttingMeansTheSame(t *testing.T) {
	options := sessiontest.Options()
	for way := range ways {
		cells, err := Cells(fmt.Sprintf("// cells: %d\n%s", way, cuttable))
		if err != nil {
			t.Fatal(err)
		}
		outcome, err := Play(options, cells)
		if err != nil {
			t.Fatal(err)
		}
		if outcome.Failure != "" || outcome.Output != "2 {right} right\n" {
			t.Errorf("way %d shows %q, %s", way, outcome.Output, outcome.Failure)
		}
	}
}
