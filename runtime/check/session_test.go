package check_test

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// play checks and commits cells one after the other and returns what was found for the
// last one. Errors of earlier cells end the test.
func play(t *testing.T, cells ...string) (*check.Session, *check.Checked, error) {
	t.Helper()
	s := check.NewSession(packages(t))
	for i, source := range cells {
		checked, err := checkCell(s, i+1, source)
		if i == len(cells)-1 {
			return s, checked, err
		}
		if err != nil {
			t.Fatalf("cell %d: %v", i+1, err)
		}
	}
	return s, nil, nil
}

func checkCell(s *check.Session, number int, source string) (*check.Checked, error) {
	c, err := cell.Parse(number, source)
	if err != nil {
		return nil, err
	}
	checked, err := s.Check(c)
	if err != nil {
		return nil, err
	}
	s.Commit(checked)
	return checked, nil
}

// outline writes what a test compares: declarations, variables with their types and
// versions, value and dropped functions.
func outline(c *check.Checked) string {
	var parts []string
	for _, d := range c.Declarations {
		name := d.Symbol.Name
		if d.Symbol.Receiver != nil {
			name = d.Symbol.Receiver.Name + "." + name
		}
		text := fmt.Sprintf("%s#%d", name, d.Symbol.Version)
		if d.Again {
			text += " again"
		}
		parts = append(parts, text)
	}
	for _, v := range c.Variables {
		text := fmt.Sprintf("var %s#%d %s", v.Symbol.Name, v.Symbol.Version, v.Symbol.Object.Type())
		if !v.New {
			text += " kept"
		}
		parts = append(parts, text)
	}
	if c.Value != nil {
		parts = append(parts, "value "+c.Info.Types[c.Value].Type.String())
	}
	for _, s := range c.Dropped {
		parts = append(parts, "dropped "+s.Name)
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "main.", "")
}

func TestSmoke(t *testing.T) {
	s, c, err := play(t, "import \"fmt\"\nx := 3\nfunc f() int { return x }\nfmt.Println(f())", "x := 2.5\nx*2", "f()")
	fmt.Println(s.Symbols(), err)
	if c != nil {
		fmt.Println(outline(c))
	}
}
