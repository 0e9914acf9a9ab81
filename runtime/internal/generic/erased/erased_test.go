package erased

import (
	"strings"
	"testing"
)

func TestAssignTellsWhatIsWrongWithoutAColumn(t *testing.T) {
	var number int
	for _, c := range []struct {
		dst, value any
		want       string
	}{
		{number, int64(1), "destination not a pointer"},
		{(*int)(nil), int64(1), "destination pointer is nil"},
		{&number, nil, "converting NULL to int is unsupported"},
		{&number, "many", `converting driver.Value type string ("many") to a int: invalid syntax`},
		{&number, "12", ""},
	} {
		err := Assign(c.dst, c.value)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err != nil && strings.Contains(err.Error(), "column") {
			t.Errorf("assigning %v to %T: %v, want %q", c.value, c.dst, err, c.want)
		}
	}
	if number != 12 {
		t.Errorf("number %d", number)
	}
}

func TestWeakKeepsTheTypeOfItsPointer(t *testing.T) {
	type own string
	variable := own("x")
	w := MakeWeak(&variable)
	if p, ok := w.Value((*own)(nil)).(*own); !ok || p != &variable {
		t.Errorf("value %v of type %T", w.Value((*own)(nil)), w.Value((*own)(nil)))
	}
	if p, ok := (Weak{}).Value((*own)(nil)).(*own); !ok || p != nil {
		t.Errorf("the zero value has %v", p)
	}
}
