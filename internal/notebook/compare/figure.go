package compare

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // decodes pictures of notebooks
	_ "image/png"  // decodes pictures of notebooks
)

// visible is the minimum difference in one of the four channels, from 0 to 255, that counts as
// visible. It applies if a share of the pixels may differ: edges of letters and lines are drawn in
// gray and change by less.
const visible = 16

// Figure compares two encoded pictures (PNG, JPEG) by their pixels. It returns a sentence that
// describes the difference, or "" if the share of differing pixels is within the tolerances.
func Figure(stored, fresh []byte, t Tolerances) string {
	if bytes.Equal(stored, fresh) {
		return ""
	}
	old, err := decode(stored)
	if err != nil {
		return "the stored picture cannot be read: " + err.Error()
	}
	now, err := decode(fresh)
	if err != nil {
		return "the new picture cannot be read: " + err.Error()
	}
	a, b := old.Bounds(), now.Bounds()
	if a.Dx() != b.Dx() || a.Dy() != b.Dy() {
		return fmt.Sprintf("the picture was %d×%d and is %d×%d pixels", a.Dx(), a.Dy(), b.Dx(), b.Dy())
	}
	threshold := 0
	if t.Pixels > 0 {
		threshold = visible
	}
	count, where := 0, image.Rectangle{}
	for y := range a.Dy() {
		for x := range a.Dx() {
			if apart(old.At(a.Min.X+x, a.Min.Y+y), now.At(b.Min.X+x, b.Min.Y+y)) > threshold {
				count++
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	share := float64(count) / float64(max(1, a.Dx()*a.Dy()))
	if share <= t.Pixels {
		return ""
	}
	differing := percent(share)
	if differing == percent(t.Pixels) { // the excess is below the precision
		differing = fmt.Sprintf("%.4g", 100*share)
	}
	return fmt.Sprintf("picture of %d×%d: %s %% of the pixels differ (x %d to %d, y %d to %d), %s %% may",
		a.Dx(), a.Dy(), differing, where.Min.X, where.Max.X, where.Min.Y, where.Max.Y, percent(t.Pixels))
}

// most is the maximum number of pixels decoded; pictures of notebooks are far smaller.
const most = 1 << 27

func decode(encoded []byte) (image.Image, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	if config.Width > most/max(1, config.Height) {
		return nil, fmt.Errorf("%d×%d pixels are too many", config.Width, config.Height)
	}
	decoded, _, err := image.Decode(bytes.NewReader(encoded))
	return decoded, err
}

// apart returns the largest difference of two colors in a channel, from 0 to 255.
func apart(p, q color.Color) int {
	a, b := color.RGBAModel.Convert(p).(color.RGBA), color.RGBAModel.Convert(q).(color.RGBA)
	largest := 0
	for _, d := range [4]int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		largest = max(largest, d, -d)
	}
	return largest
}

// percent formats a share so that a small one is not 0.
func percent(share float64) string { return fmt.Sprintf("%.2g", 100*share) }

// Overlay draws the difference of two pictures: the new one in pale gray, with pixels that differ
// visibly from the stored one in red. It returns nil if the pictures cannot be decoded or differ in
// size.
func Overlay(stored, fresh []byte) image.Image {
	old, err := decode(stored)
	if err != nil {
		return nil
	}
	now, err := decode(fresh)
	if err != nil || old.Bounds().Size() != now.Bounds().Size() {
		return nil
	}
	a, b := old.Bounds(), now.Bounds()
	drawn := image.NewRGBA(image.Rectangle{Max: a.Size()})
	for y := range a.Dy() {
		for x := range a.Dx() {
			p, q := old.At(a.Min.X+x, a.Min.Y+y), now.At(b.Min.X+x, b.Min.Y+y)
			gray := color.GrayModel.Convert(q).(color.Gray).Y
			pale := 255 - (255-gray)/4
			drawn.Set(x, y, color.RGBA{pale, pale, pale, 255})
			if apart(p, q) > visible {
				drawn.Set(x, y, color.RGBA{R: 208, A: 255})
			}
		}
	}
	return drawn
}
