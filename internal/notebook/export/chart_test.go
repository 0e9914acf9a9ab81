package export

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
	"gosphere/plotting/chart"
)

// charted returns the output of a chart as a notebook stores it.
func charted(t *testing.T, change func(data map[string]any)) nbformat.Output {
	t.Helper()
	bundle, err := chart.Of(map[string]any{"k": []string{"</script><b>", "b"}, "v": []int{1, 2}}).Bar("k", "v").MimeBundle()
	if err != nil {
		t.Fatal(err)
	}
	picture, _ := bundle["image/png"].([]byte)
	bundle["image/png"] = base64.StdEncoding.EncodeToString(picture)
	text, err := json.Marshal(bundle)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string]any{}
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(data)
	}
	return nbformat.Output{Type: nbformat.DisplayData, Data: data}
}

func TestChartsStayInteractiveInPagesAndSlides(t *testing.T) {
	two := charted(t, nil)
	notebook := notebookOf("x", two, two)
	for name, write := range map[string]func(*nbformat.Notebook, Options) ([]byte, error){"page": HTML, "slides": Slides} {
		written, err := write(notebook, Options{})
		if err != nil {
			t.Fatal(err)
		}
		page := string(written)
		if n := strings.Count(page, `<div class="gosphere-chart"><img src="data:image/png;base64,`); n != 2 {
			t.Errorf("%s: %d charts with a picture, want 2", name, n)
		}
		if n := strings.Count(page, "<script>"+chartScript+"</script>"); n != 1 {
			t.Errorf("%s: the script is there %d times, want 1", name, n)
		}
		if found := runs(t, page, []string{chartScript, "\n" + slidesScript}); len(found) > 0 {
			t.Errorf("%s: something else may run: %v", name, found)
		}
		if strings.Contains(page, "</script><b>") {
			t.Errorf("%s: a name of the data ends the element with the data", name)
		}
	}
}

func TestOtherVegaLiteFiguresArePictures(t *testing.T) {
	for name, change := range map[string]func(data map[string]any){
		"of another author": func(data map[string]any) { delete(data[vegaLite].(map[string]any), "usermeta") },
		"of another version": func(data map[string]any) {
			data[vegaLite].(map[string]any)["usermeta"] = map[string]any{"gosphere": map[string]any{"version": 99}}
		},
		"without a picture": func(data map[string]any) { delete(data, "image/png") },
		"of no object":      func(data map[string]any) { data[vegaLite] = "x" },
	} {
		written, err := HTML(notebookOf("x", charted(t, change)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(written), "gosphere-chart") {
			t.Errorf("a figure %s is taken for a chart", name)
		}
	}
}
