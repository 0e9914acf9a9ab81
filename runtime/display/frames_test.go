package display

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"
)

func TestFramesHoldEveryCombinationAndBeginWithTheChosenOne(t *testing.T) {
	r := record(t)
	Frames(func(kappa float64, d int) any { return fmt.Sprintf("<κ %g, d %d>", kappa, d) },
		Range{Name: "κ", Values: []float64{0.5, 2}, Start: 1}, Range{Name: "d", Values: []float64{3, 8, 512}})
	data := r.last(t)
	page := data[textHTML].(string)
	if !strings.Contains(page, `<div class="gosphere-frame"><pre>&lt;κ 2, d 3&gt;</pre></div>`) {
		t.Errorf("the page does not begin with κ 2, d 3: %.300s", page)
	}
	var held struct {
		Ranges []struct {
			Name   string
			Labels []string
		}
		Frames []*string
		Start  []int
	}
	found := regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no data in %.300s", page)
	}
	if err := json.Unmarshal([]byte(found[1]), &held); err != nil {
		t.Fatal(err)
	}
	if len(held.Frames) != 6 || held.Frames[3] != nil || *held.Frames[2] != "<pre>&lt;κ 0.5, d 512&gt;</pre>" {
		t.Errorf("frames %d, the first is %v", len(held.Frames), held.Frames)
	}
	if fmt.Sprint(held.Start, held.Ranges[1].Labels) != "[1 0] [3 8 512]" {
		t.Errorf("start and labels %v %v", held.Start, held.Ranges)
	}
	if text := data[textPlain].(string); text != "6 frames over κ = 0.5, 2; d = 3, 8, 512\n<κ 2, d 3>" {
		t.Errorf("text %q", text)
	}
}

func TestFramesOfPicturesKeepAPictureForReadersWithoutHTML(t *testing.T) {
	r := record(t)
	Frames(func(n int) any { return image.NewGray(image.Rect(0, 0, 10*n, 5)) }, Range{Name: "n", Values: []float64{1, 2}})
	data := r.last(t)
	if _, ok := data[imagePNG].(string); !ok {
		t.Error("no picture beside the page")
	}
	if n := strings.Count(data[textHTML].(string), "data:image/png;base64,"); n != 2 {
		t.Errorf("%d pictures in the page, want 2", n)
	}
}

func TestFramesRefuseWhatCannotBeDrawn(t *testing.T) {
	record(t)
	two := []float64{1, 2}
	for _, c := range []struct {
		function any
		ranges   []Range
		want     string
	}{
		{7, nil, "want a function, not int"},
		{func(x float64) {}, []Range{{"x", two, 0}}, "has 0 results, want 1"},
		{func(x float64) any { return x }, nil, "0 ranges for func(float64) interface {}"},
		{func(x string) any { return x }, []Range{{"x", two, 0}}, "neither a float64 nor an int"},
		{func(x int) any { return x }, []Range{{"x", []float64{1.5}, 0}}, `range "x" has 1.5 for an int`},
		{func(x int) any { return x }, []Range{{"x", nil, 0}}, `range "x" has no values`},
		{func(x int) any { return x }, []Range{{"x", two, 2}}, "starts at index 2 of 2 values"},
		{func(x int) any { return x }, []Range{{"x", make([]float64, 501), 0}}, "501 or more frames, at most 500"},
	} {
		func() {
			defer func() {
				if problem := fmt.Sprint(recover()); !strings.Contains(problem, c.want) {
					t.Errorf("%T: %s, want %s", c.function, problem, c.want)
				}
			}()
			Frames(c.function, c.ranges...)
		}()
	}
}

func TestFramesOfManyColorsAreStoredSmall(t *testing.T) {
	shades := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	for i := range 300 * 300 {
		x, y := i%300, i/300
		shades.Set(x, y, color.NRGBA{uint8(x * 255 / 299), uint8(y * 255 / 299), uint8((x*y)>>8 + (x*7+y*13)%9), 255})
	}
	r := record(t)
	Frames(func(n int) any { return shades }, Range{Name: "n", Values: []float64{1, 2}})
	data := r.last(t)
	page := data[textHTML].(string)
	if n := strings.Count(page, "data:image/jpeg;base64,"); n != 2 {
		t.Errorf("%d frames in JPEG format, want 2", n)
	}
	if still := data[imagePNG].(string); len(page) > 2*len(still) {
		t.Errorf("two frames take %d bytes, one picture %d", len(page), len(still))
	}
}
