package display

import (
	"errors"
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

// drawing is a figure with an interactive form.
type drawing struct{ twinErr, pictureErr error }

func (d *drawing) VegaLite() (map[string]any, error) {
	return map[string]any{"mark": "bar", "description": "twin"}, d.twinErr
}
func (d *drawing) PNG() ([]byte, error)    { return []byte("own"), d.pictureErr }
func (d *drawing) DisplaySize() (int, int) { return 320, 200 }

func TestVegaLiteShowsAFigureWithItsOwnPictureAndSize(t *testing.T) {
	r := record(t)
	VegaLite(&drawing{})
	data := r.last(t)
	if data[imagePNG] != "b3du" || data[textPlain] != "Vega-Lite figure: twin" || data[vegaLite].(map[string]any)["mark"] != "bar" {
		t.Errorf("shown as %v", data)
	}
	VegaLite(&drawing{pictureErr: errors.New("not drawn")}, []byte("no"))
	if data := r.last(t); data[imagePNG] != "bm8=" {
		t.Errorf("the given picture is not shown but %v", data[imagePNG])
	}
}

func TestVegaLitePassesOnWhyAFigureCannotBeShown(t *testing.T) {
	for want, value := range map[string]any{
		"display: VegaLite: no twin":                &drawing{twinErr: errors.New("no twin")},
		"display: VegaLite: not drawn":              &drawing{pictureErr: errors.New("not drawn")},
		"display: VegaLite: want a figure, not nil": (*drawing)(nil),
	} {
		func() {
			defer func() {
				if r := recover(); fmt.Sprint(r) != want {
					t.Errorf("says %v, want %s", r, want)
				}
			}()
			record(t)
			VegaLite(value)
		}()
	}
}
