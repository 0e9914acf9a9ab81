//go:build unix

package conformance

import (
	"fmt"
	"testing"
	"time"
)

// idle is longer than a kernel rests before it returns memory to the system.
const idle = 3 * time.Second

// mixedCell is one of the kinds of cells that a long session has: statements, values, declarations
// that are repeated and new ones, prints, displays, and cells that fail.
func mixedCell(i int) string {
	switch i % 12 {
	case 0:
		return fmt.Sprintf("fmt.Println(\"cell\", %d)", i)
	case 1:
		return fmt.Sprintf("%d + 1", i)
	case 2:
		return fmt.Sprintf("x = %d\ntotal += x\nx", i)
	case 3:
		return "for i := range 100 {\n\tfmt.Println(i)\n}"
	case 4:
		return fmt.Sprintf("func step(n int) int { return n + %d }\nstep(1)", i)
	case 5:
		return fmt.Sprintf("type Point struct{ X, Y int }\nfunc (p Point) Sum() int { return p.X + p.Y + %d }\nPoint{1, 2}.Sum()", i)
	case 6:
		return "words := strings.Fields(\"a b c d\")\nsort.Strings(words)\nlen(words)"
	case 7:
		return fmt.Sprintf("display.HTML(\"<b>%d</b>\")", i)
	case 8:
		return fmt.Sprintf("go func() { fmt.Print(\"late %d\") }()", i)
	case 9:
		return fmt.Sprintf("m := map[string][]float64{\"a\": make([]float64, 1000)}\nm[\"b\"] = []float64{%d}\nm", i)
	case 10:
		return fmt.Sprintf("func() (err error) { defer func() { err = fmt.Errorf(\"%%v\", recover()) }(); panic(%d) }()", i)
	}
	return fmt.Sprintf("v%d := []int{1, 2, 3}\nv%d[0]", i%240, i%240)
}

// A kernel that is idle after 10,000 cells of all kinds has at most 1.2 times the resident memory
// that it had after 1,000.
func TestMemoryDoesNotGrowWithTheCells(t *testing.T) {
	if *soakCells < 10_000 {
		t.Skip("make soak runs it")
	}
	kernels, err := startKernels(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k := kernels[0]
	defer k.end()
	if _, err := k.ask("execute_request", map[string]any{"code": "var x, total int"}); err != nil {
		t.Fatal(err)
	}
	var early, late float64
	for i := range 10_000 {
		if _, err := k.ask("execute_request", map[string]any{"code": mixedCell(i)}); err != nil {
			t.Fatal(err)
		}
		if n := i + 1; n%1000 == 0 {
			time.Sleep(idle)
			late = resident(k.process.Process.Pid)["VmRSS"]
			t.Logf("%d cells: %.1f MB", n, late)
			if early == 0 {
				early = late
			}
		}
	}
	if late > 1.2*early {
		t.Errorf("%.1f MB after 1,000 cells, %.1f MB after 10,000", early, late)
	}
}
