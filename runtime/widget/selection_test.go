package widget

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// brushed is a chart with or without a brush.
type brushed bool

func (b brushed) Interactive() (string, error) {
	return fmt.Sprintf(`<div class="gosphere-chart"><script type="application/json">{"brush":%v}</script></div>`, bool(b)), nil
}

func (b brushed) String() string { return "a chart" }

func TestASelectionReturnsTheRowsThatItsFieldGets(t *testing.T) {
	p := newPage(t)
	s := NewSelection(brushed(true))
	if got := s.Selected(); got != nil {
		t.Errorf("without a choice: %v", got)
	}
	var told [][]int
	s.OnChange(func(rows []int) { told = append(told, rows) })
	for _, sent := range []string{"[3,1,2]", "[]", "null", `"x"`, "[1.5]"} {
		p.send(s.field, fmt.Sprintf(`{"method":"update","state":{"value":%q}}`, sent))
	}
	want := [][]int{{3, 1, 2}, {}, nil, nil, nil}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("the callbacks got %v, want %v", told, want)
	}
}

func TestTheScriptOfASelectionFindsItsHiddenField(t *testing.T) {
	newPage(t)
	s := NewSelection(brushed(true))
	name := "gosphere-rows-" + s.field.ID()
	if got := fmt.Sprint(s.field.Get("_dom_classes")); got != "["+name+"]" {
		t.Errorf("the classes of the field are %s, want %s", got, name)
	}
	if got := s.field.Layout().Get("display"); got != "none" {
		t.Errorf("the field is shown as %v", got)
	}
	output, ok := s.children[0].(*Output)
	if !ok || s.children[1] != Widget(s.field) {
		t.Fatalf("the box holds %v", s.children)
	}
	if got := fmt.Sprint(output.Get("outputs")); !strings.Contains(got, `data-rows="`+name+`"`) || !strings.Contains(got, "text/plain:a chart") {
		t.Errorf("the output is %s", got)
	}
}

func TestASelectionNeedsABrush(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "a chart has no brush; call Brush") {
			t.Errorf("the refusal is %q", got)
		}
	}()
	NewSelection(brushed(false))
}
