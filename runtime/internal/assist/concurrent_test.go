package assist

import (
	"fmt"
	"go/types"
	"sync"
	"testing"

	"gosphere/runtime/cell"
)

// TestQuestionsMayComeWhileCellsAreChecked asks from several goroutines while another one checks
// cells and reads the results, as a session does. It is meant for the race detector.
func TestQuestionsMayComeWhileCellsAreChecked(t *testing.T) {
	a := assistant(t, setup...)
	var asking sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		// Each asks until all cells are checked.
		asking.Add(1)
		go func() {
			defer asking.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				a.Complete("x := myPoint\nfunc f() { x.Na", 29)
				a.Inspect("addTwo(myCounter)", 3, 1)
			}
		}()
	}
	for i := range 40 {
		c, err := cell.Parse(10+i, fmt.Sprintf("myCounter := %d\nvar other%d = myPoint\nfunc (p Point) Far%d() int { return myCounter }\nother%d.Far%d()", i, i, i, i, i))
		if err != nil {
			t.Fatal(err)
		}
		checked, err := a.session.Check(c)
		if err != nil {
			t.Fatal(err)
		}
		a.session.Commit(checked)
		for ident, object := range checked.Info.Uses {
			if symbol := checked.SymbolOf(object); symbol != nil && symbol.Name == "" {
				t.Errorf("%s has a symbol without a name", ident.Name)
			}
		}
		for _, found := range checked.Info.Types {
			_ = types.TypeString(found.Type, qualifier)
		}
	}
	close(done)
	asking.Wait()
}
