package picture

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// references is the folder of the references, which may lie next to the repository.
const references = "../../../../shared/golden/encoders/preprocess"

// A difference holds measures of the difference between two pictures.
type difference struct {
	most  int
	mean  float64
	share float64 // fraction of values that differ
}

// compare compares two pictures of one size.
func compare(t *testing.T, name string, got, want *Picture) difference {
	t.Helper()
	if got.Width != want.Width || got.Height != want.Height {
		t.Fatalf("%s: %d×%d, want %d×%d", name, got.Width, got.Height, want.Width, want.Height)
	}
	var d difference
	for i, value := range got.Pixels {
		apart := int(math.Abs(float64(value) - float64(want.Pixels[i])))
		d.most = max(d.most, apart)
		d.mean += float64(apart) / float64(len(got.Pixels))
		if apart > 0 {
			d.share += 1 / float64(len(got.Pixels))
		}
	}
	return d
}

// exact reports whether a file must be bit-identical: JPEG is decoded with other roundings.
func exact(name string) bool {
	return !strings.Contains(name, ".jpg") && !strings.Contains(name, ".webp")
}

func mustRead(t *testing.T, path string) *Picture {
	t.Helper()
	p, err := Read(path, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func square(t *testing.T, p Preparation, m *Picture) *Picture {
	t.Helper()
	q, err := p.Square(m)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestPicturesAreThoseOfPillow(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(references, "*_*.png"))
	if err != nil || len(files) == 0 {
		t.Skip("no references")
	}
	for _, file := range files {
		kind, source, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".png"), "_")
		if kind != "raw" && kind != "clip" && kind != "siglip" {
			continue
		}
		got, want := mustRead(t, filepath.Join(references, source)), mustRead(t, file)
		switch kind {
		case "clip":
			got = square(t, CLIP(224), got)
		case "siglip":
			got = square(t, SigLIP(224), got)
		}
		d := compare(t, file, got, want)
		t.Logf("%-40s most %d mean %.3f differ %.2f %%", kind+" "+source, d.most, d.mean, 100*d.share)
		mean := 0.06
		if strings.HasPrefix(source, "tiny") { // 17×13 pixels of quality 90: noise that is all edges
			mean = 0.1
		}
		if exact(source) && d.most > 0 || d.most > 4 || d.mean > mean {
			t.Errorf("%s %s: differs by %d, in the mean by %.3f", kind, source, d.most, d.mean)
		}
	}
}

func TestResamplingAndCropAreExactOnDecodedPictures(t *testing.T) {
	raws, _ := filepath.Glob(filepath.Join(references, "raw_*.png"))
	if len(raws) == 0 {
		t.Skip("no references")
	}
	for _, raw := range raws {
		source := strings.TrimPrefix(filepath.Base(raw), "raw_")
		p := mustRead(t, raw)
		for kind, preparation := range map[string]Preparation{"clip_": CLIP(224), "siglip_": SigLIP(224)} {
			file := filepath.Join(references, kind+source)
			if _, err := os.Stat(file); err != nil {
				continue
			}
			if d := compare(t, file, square(t, preparation, p), mustRead(t, file)); d.most > 0 {
				t.Errorf("%s: differs by %d, %.2f %%", file, d.most, 100*d.share)
			}
		}
	}
}

func TestNormalizedValuesAreThoseOfTheReferences(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(references, "index.json"))
	if err != nil {
		t.Skip("no references:", err)
	}
	var index struct {
		Images []struct {
			File    string
			Means   []float64   `json:"clip_mean"`
			Corners [][]float64 `json:"corners"`
		}
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Images) != 23 {
		t.Errorf("%d pictures, want 23", len(index.Images))
	}
	for _, entry := range index.Images {
		tolerance := 1e-6
		if !exact(entry.File) {
			tolerance = 4 / 255.0 / 0.26 // four of 255 per value
		}
		values, err := CLIP(224).Apply(mustRead(t, filepath.Join(references, entry.File)))
		if err != nil {
			t.Fatal(err)
		}
		for corner, at := range [][2]int{{0, 0}, {0, 223}, {223, 0}, {112, 112}, {223, 223}} {
			for channel, want := range entry.Corners[corner] {
				if got := float64(values[channel*224*224+at[0]*224+at[1]]); math.Abs(got-want) > tolerance {
					t.Errorf("%s, corner %d, channel %d: %g, want %g", entry.File, corner, channel, got, want)
				}
			}
		}
		for channel, want := range entry.Means {
			sum := 0.0
			for _, value := range values[channel*224*224:][:224*224] {
				sum += float64(value)
			}
			if got := sum / (224 * 224); math.Abs(got-want) > max(1e-6, tolerance/70) {
				t.Errorf("%s, channel %d: mean %g, want %g", entry.File, channel, got, want)
			}
		}
	}
}
