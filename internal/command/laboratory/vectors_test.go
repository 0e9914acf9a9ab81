package laboratory

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/export"
)

func TestVectorsAreWrittenForEnginesOfInnerProducts(t *testing.T) {
	dir := t.TempDir()
	var v Vectors
	texts, images := filepath.Join(dir, "texts.parquet"), filepath.Join(dir, "images.npy")
	if err := parseFlags(&v, []string{"--dataset", "scenes_minilm", "--method", "clip", "--split", "test", "--texts", texts, "--images", images}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := v.run(&out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "texts.parquet: 2000 rows of 384 numbers") || !strings.Contains(got, "images.npy: 1000 rows of 384 numbers") {
		t.Errorf("got %s", got)
	}
	for path, want := range map[string]int{texts: 2000, images: 1000} {
		rows, _, err := export.Read(path)
		if err != nil || rows.Rows != want || rows.Norms()[7] < 0.999 || rows.Norms()[7] > 1.001 {
			t.Errorf("%s: %d rows, %v", path, rows.Rows, err)
		}
	}
	for want, flags := range map[string][]string{
		"set --texts or --images": {"--method", "clip"},
		"2 adapters: want one":    {"--method", "clip,pfe", "--texts", texts},
		"no checkpoint":           {"--method", "asymvlm-vmf", "--texts", texts},
		"ends in none of":         {"--method", "clip", "--texts", filepath.Join(dir, "a.txt")},
	} {
		var v Vectors
		if err := parseFlags(&v, []string{"--dataset", "scenes_minilm", "--checkpoints", dir}, flags); err != nil {
			t.Fatal(err)
		}
		if err := v.run(&out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestWeightsOfProLIPAreFlags(t *testing.T) {
	var c Train
	if err := parseFlags(&c, []string{"--dataset", "world", "--method", "prolip-full", "--inclusion", "0", "--inclusion-eps=-20", "--bottleneck", "0.5"}); err != nil {
		t.Fatal(err)
	}
	o, err := c.options(job{method: "prolip-full"})
	if err != nil || o.Pairs == nil || o.Pairs.Inclusion != 0 || o.Pairs.Eps != -20 || o.Pairs.Bottleneck != 0.5 || o.Pairs.Sharpness != 10 {
		t.Fatalf("%+v, %v", o.Pairs, err)
	}
	if !strings.HasSuffix(o.Label, ", eps -20, bottleneck 0.5, inclusion 0") {
		t.Errorf("schedule %q", o.Label)
	}
	if err := c.checkIdle([]string{"pfe"}); err == nil || !strings.Contains(err.Error(), "--bottleneck has no effect on pfe") {
		t.Errorf("got %v", err)
	}
}
