package corruption

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"testing"
)

// published repeats the published severities. The tests compare the effect of each corruption with
// its formula at each severity.
var published = map[string][severities]float64{
	"gaussian-noise": {.08, .12, .18, .26, .38}, "shot-noise": {60, 25, 12, 5, 3}, "impulse-noise": {.03, .06, .09, .17, .27},
	"speckle-noise": {.15, .2, .35, .45, .6}, "jpeg": {25, 18, 15, 10, 7}, "pixelate": {.6, .5, .4, .3, .25},
	"contrast": {.4, .3, .2, .1, .05}, "brightness": {.1, .2, .3, .4, .5}, "gaussian-blur": {1, 2, 3, 4, 6},
}

// everySeverity returns a picture damaged at each severity.
func everySeverity(t *testing.T, name string, source image.Image) [severities]*image.NRGBA {
	t.Helper()
	var all [severities]*image.NRGBA
	for i := range all {
		var err error
		if all[i], err = Image(name, source, i+1, 5); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestNoisesHaveThePublishedSeverities uses a gray of 0.4. Clamping at 0 and 1 reduces normal
// noise, so the expected standard deviations are those of clamped normal distributions, by
// quadrature.
func TestNoisesHaveThePublishedSeverities(t *testing.T) {
	const level, gray = 102, 0.4
	cut := func(deviation float64) float64 {
		var mean, square, total float64
		for z := -8.0; z <= 8; z += 1e-3 {
			weight := math.Exp(-z * z / 2)
			v := min(max(gray+deviation*z, 0), 1)
			total, mean, square = total+weight, mean+weight*v, square+weight*v*v
		}
		mean /= total
		return math.Sqrt(square/total - mean*mean)
	}
	poisson := func(c float64) float64 { // of min(k/c, 1)
		weight, mean, square := math.Exp(-gray*c), 0.0, 0.0
		for k := 0.0; k < 400; k++ {
			v := min(k/c, 1)
			mean, square = mean+weight*v, square+weight*v*v
			weight *= gray * c / (k + 1)
		}
		return math.Sqrt(square - mean*mean)
	}
	impulse := func(c float64) float64 {
		mean, square := (1-c)*gray+c/2, (1-c)*gray*gray+c/2
		return math.Sqrt(square - mean*mean)
	}
	for name, want := range map[string]func(c float64) float64{
		"gaussian-noise": cut, "speckle-noise": func(c float64) float64 { return cut(gray * c) }, "shot-noise": poisson, "impulse-noise": impulse,
	} {
		for i, picture := range everySeverity(t, name, plain(120, 120, level)) {
			// 43,200 values determine the deviation to half a percent, or 2 % for the rare large
			// impulses.
			if _, deviation := spread(picture); math.Abs(deviation/want(published[name][i])-1) > 0.05 {
				t.Errorf("%s %d: deviation %.4f, want %.4f", name, i+1, deviation, want(published[name][i]))
			}
		}
	}
}

func TestCodingsAndColorsHaveThePublishedSeverities(t *testing.T) {
	source := photo(60, 40)
	for i, picture := range everySeverity(t, "jpeg", source) {
		var coded bytes.Buffer
		if err := jpeg.Encode(&coded, source, &jpeg.Options{Quality: int(published["jpeg"][i])}); err != nil {
			t.Fatal(err)
		}
		decoded, err := jpeg.Decode(&coded)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := newPicture(decoded)
		if d := distance(picture, want.image()); d > 0.6 {
			t.Errorf("jpeg %d is %.2f levels from quality %g", i+1, d, published["jpeg"][i])
		}
	}
	original, _ := newPicture(source)
	for i, picture := range everySeverity(t, "contrast", source) {
		got, _ := newPicture(picture)
		for k := range channels {
			mean, deviation, before := 0.0, 0.0, 0.0
			for at := k; at < len(original.values); at += channels {
				mean += original.values[at] / 2400
			}
			for at := k; at < len(original.values); at += channels {
				deviation += math.Abs(got.values[at] - mean)
				before += math.Abs(original.values[at] - mean)
			}
			if c := published["contrast"][i]; math.Abs(deviation/before-c) > 0.01 {
				t.Errorf("contrast %d: channel %d keeps %.3f of its spread, want %g", i+1, k, deviation/before, c)
			}
		}
	}
	for i, picture := range everySeverity(t, "brightness", source) {
		got, _ := newPicture(picture)
		for at := 0; at < len(got.values); at += channels {
			was, is := slices.Max(original.values[at:at+channels]), slices.Max(got.values[at:at+channels])
			if want := min(was+published["brightness"][i], 1); math.Abs(is-want) > 1./254 {
				t.Fatalf("brightness %d: value %.3f becomes %.3f, want %.3f", i+1, was, is, want)
			}
		}
	}
}

func TestPixelsAndBlursHaveThePublishedSeverities(t *testing.T) {
	for i, picture := range everySeverity(t, "pixelate", photo(200, 100)) {
		columns := 1
		for x := 1; x < 200; x++ {
			if !bytes.Equal(column(picture, x), column(picture, x-1)) {
				columns++
			}
		}
		if want := int(200 * published["pixelate"][i]); columns != want {
			t.Errorf("pixelate %d has %d columns, want %d", i+1, columns, want)
		}
	}
	// An edge in the middle becomes the integral of the Gaussian.
	edge := plain(120, 8, 0)
	for y := range 8 {
		for x := 60; x < 120; x++ {
			copy(edge.Pix[edge.PixOffset(x, y):], []byte{255, 255, 255})
		}
	}
	for i, picture := range everySeverity(t, "gaussian-blur", edge) {
		got, _ := newPicture(picture)
		for x := 40; x < 80; x++ {
			want := (1 + math.Erf((float64(x)-59.5)/(published["gaussian-blur"][i]*math.Sqrt2))) / 2
			if math.Abs(got.at(x, 4, 0)-want) > 0.02 {
				t.Fatalf("gaussian-blur %d: the edge has %.3f at %d, want %.3f", i+1, got.at(x, 4, 0), x, want)
			}
		}
	}
	// The disk of the defocus: half of the edge's rise lies within the radius on both sides.
	for i, picture := range everySeverity(t, "defocus-blur", edge) {
		got, _ := newPicture(picture)
		radius := []int{3, 4, 6, 8, 10}[i]
		if below, above := got.at(60-radius-3, 4, 0), got.at(59+radius+3, 4, 0); below > 0.01 || above < 0.98 {
			t.Errorf("defocus-blur %d reaches beyond its radius: %.3f and %.3f", i+1, below, above)
		}
		if inside := got.at(60-radius+1, 4, 0); inside < 0.002 {
			t.Errorf("defocus-blur %d does not reach its radius: %.4f", i+1, inside)
		}
	}
}

// column returns the bytes of a column.
func column(p *image.NRGBA, x int) []byte {
	var values []byte
	for y := range p.Bounds().Dy() {
		at := p.PixOffset(x, y)
		values = append(values, p.Pix[at:at+4]...)
	}
	return values
}
