package display

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestVegaLiteIsATreeWithTextAndPicture(t *testing.T) {
	type mark struct {
		Mark  string         `json:"mark"`
		Title map[string]any `json:"title"`
	}
	for _, c := range []struct {
		specification any
		tree          map[string]any
		plain         string
	}{
		{`{"mark":"bar","title":"recall"}`, map[string]any{"mark": "bar", "title": "recall"}, "Vega-Lite figure: recall"},
		{[]byte(`{"description":"levels"}`), map[string]any{"description": "levels"}, "Vega-Lite figure: levels"},
		{map[string]any{"mark": "line"}, map[string]any{"mark": "line"}, "Vega-Lite figure"},
		{mark{"point", map[string]any{"text": "κ"}}, map[string]any{"mark": "point", "title": map[string]any{"text": "κ"}}, "Vega-Lite figure: κ"},
	} {
		r := record(t)
		VegaLite(c.specification, []byte("no"))
		data := r.last(t)
		if !reflect.DeepEqual(data[vegaLite], c.tree) || data[textPlain] != c.plain || data[imagePNG] != "bm8=" {
			t.Errorf("%v is shown as %v", c.specification, data)
		}
	}
	r := record(t)
	VegaLite(`{}`)
	if _, found := r.last(t)[imagePNG]; found {
		t.Error("a picture is there that was not given")
	}
}

func TestVegaLiteRefusesWhatIsNoSpecification(t *testing.T) {
	for _, specification := range []any{"no JSON", "[1]", "null", func() {}, 3} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "display: VegaLite: ") {
					t.Errorf("%v: says %v", specification, r)
				}
			}()
			record(t)
			VegaLite(specification)
		}()
	}
}
