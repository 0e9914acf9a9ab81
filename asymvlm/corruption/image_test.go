package corruption

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

// photo returns a picture with gradients, waves and colors.
func photo(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			// Waves of increasing frequency align with no grid.
			wave := math.Sin(float64(x*x)/90) * math.Cos(float64(y*y)/70)
			p.SetNRGBA(x, y, color.NRGBA{uint8(x * 200 / width), uint8(y * 200 / height), uint8(110 + 90*wave), 255})
		}
	}
	return p
}

// plain returns a picture of one gray level.
func plain(width, height int, level uint8) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range p.Pix {
		p.Pix[i] = level
		if i%4 == 3 {
			p.Pix[i] = 255
		}
	}
	return p
}

// distance returns the root mean square difference of two pictures, in eight-bit levels.
func distance(a, b *image.NRGBA) float64 {
	sum := 0.0
	for i, value := range a.Pix {
		d := float64(value) - float64(b.Pix[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a.Pix)) * 4 / 3) // the fourth value is always 255
}

// spread returns the mean and standard deviation of the colors of a picture, between 0 and 1.
func spread(p *image.NRGBA) (mean, deviation float64) {
	n := 0.0
	for i, value := range p.Pix {
		if i%4 == 3 {
			continue
		}
		v := float64(value) / 255
		mean += v
		deviation += v * v
		n++
	}
	mean /= n
	return mean, math.Sqrt(deviation/n - mean*mean)
}

func TestImagesAreTheSameForTheSameSeed(t *testing.T) {
	source := photo(40, 30)
	for _, name := range ImageNames() {
		a, err := Image(name, source, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := Image(name, source, 3, 1)
		if !bytes.Equal(a.Pix, b.Pix) {
			t.Errorf("%s: one seed gave two pictures", name)
		}
		if a.Bounds() != source.Bounds() {
			t.Errorf("%s: size %v, want %v", name, a.Bounds(), source.Bounds())
		}
		other, _ := Image(name, source, 3, 2)
		drawn := strings.HasSuffix(name, "noise") ||
			slices.Contains([]string{"elastic", "fog", "frost", "glass-blur", "motion-blur", "snow"}, name)
		if drawn == bytes.Equal(a.Pix, other.Pix) {
			t.Errorf("%s: draws at random: %v, but seeds 1 and 2 say otherwise", name, drawn)
		}
	}
}

func TestSeverityMakesImagesWorse(t *testing.T) {
	source := photo(64, 48)
	for _, name := range ImageNames() {
		before := 0.0
		for severity := 1; severity <= 5; severity++ {
			damaged, err := Image(name, source, severity, 1)
			if err != nil {
				t.Fatal(err)
			}
			// The settings of these corruptions differ in kind, or trade one effect for another.
			uneven := slices.Contains([]string{"elastic", "saturate", "glass-blur", "frost"}, name)
			if d := distance(source, damaged); uneven && d < 3 {
				t.Errorf("%s: severity %d is only %.2f away", name, severity, d)
			} else if d <= before && !uneven {
				t.Errorf("%s: severity %d is %.2f away, the one before %.2f", name, severity, d, before)
			} else {
				before = d
			}
		}
	}
}

// TestNoiseHasItsDeviation checks the noises on a gray of 0.4, where little is clamped at severity
// 1.
func TestNoiseHasItsDeviation(t *testing.T) {
	source := plain(100, 100, 102)
	for name, want := range map[string]float64{
		"gaussian-noise": 0.08, "shot-noise": math.Sqrt(0.4 / 60), "speckle-noise": 0.4 * 0.15,
		"impulse-noise": math.Sqrt(0.97*0.4*0.4 + 0.015 - math.Pow(0.97*0.4+0.015, 2)),
	} {
		damaged, err := Image(name, source, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		_, deviation := spread(damaged)
		// 30,000 values determine a standard deviation to 0.4 %, that of the rare large impulses to
		// about 1.5 %.
		if math.Abs(deviation/want-1) > 0.05 {
			t.Errorf("%s: deviation %.4f, want %.4f", name, deviation, want)
		}
	}
	noisy, err := GaussianNoise(source, 0.0025, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, deviation := spread(noisy); math.Abs(deviation/0.05-1) > 0.03 {
		t.Errorf("variance 0.0025 gave a deviation of %g", deviation)
	}
}

func TestBlursLeaveAPlainPictureAlone(t *testing.T) {
	source := plain(30, 20, 100)
	for _, name := range []string{"defocus-blur", "zoom-blur", "pixelate", "contrast", "gaussian-blur", "motion-blur", "elastic"} {
		for severity := 1; severity <= 5; severity++ {
			damaged, err := Image(name, source, severity, 1)
			if err != nil {
				t.Fatal(err)
			}
			// The original's defocus mirrors its kernel where the disk touches the border of the
			// grid, at severities 4 and 5, which brightens the picture by less than 1 %.
			limit := 0.0
			if name == "defocus-blur" && severity >= 4 {
				limit = 1
			}
			if d := distance(source, damaged); d > limit {
				t.Errorf("%s, severity %d: a plain picture changed by %g", name, severity, d)
			}
		}
	}
}

func TestDefocusMakesADiskOfAPoint(t *testing.T) {
	p := &picture{41, 41, make([]float64, 41*41*3)}
	p.values[(20*41+20)*3] = 1
	sharp := p.defocused(5, 0.1) // a deviation of 0.1 keeps the edge sharp
	inside, total := 0, 0.0
	for y := range 41 {
		for x := range 41 {
			value := sharp.at(x, y, 0)
			total += value
			if far := (x-20)*(x-20)+(y-20)*(y-20) > 25; far != (value < 1e-9) {
				t.Errorf("value %g at distance (%d, %d)", value, x-20, y-20)
			}
			if value > 1e-9 {
				inside++
			}
		}
	}
	if inside != 81 || math.Abs(total-1) > 1e-12 { // 81 points with integer coordinates lie within a radius of 5
		t.Errorf("%d pixels with a sum of %g, want 81 and 1", inside, total)
	}
}

func TestZoomCountsFactorsAsTheOriginalDoes(t *testing.T) {
	for i, want := range []int{12, 15, 10, 12, 12} {
		step, last := []float64{.01, .01, .02, .02, .03}[i], []float64{1.11, 1.15, 1.20, 1.24, 1.33}[i]
		if got := len(zoomFactors(step, last)); got < want || got > want+1 {
			t.Errorf("severity %d: %d factors, want %d", i+1, got, want)
		}
	}
	if first, fifth := len(zoomFactors(.01, 1.11)), len(zoomFactors(.03, 1.33)); first != 12 || fifth != 12 {
		t.Errorf("severities 1 and 5 have %d and %d factors, want 12 each", first, fifth)
	}
}

func TestPixelateAverages(t *testing.T) {
	p := &picture{4, 2, nil}
	for i := range 8 {
		p.values = append(p.values, float64(i), 0, 0)
	}
	got := p.pixelated(0.5)
	for x, want := range []float64{2.5, 2.5, 4.5, 4.5} { // means of 0 1 4 5 and of 2 3 6 7
		for y := range 2 {
			if value := got.at(x, y, 0); math.Abs(value-want) > 1e-12 {
				t.Errorf("(%d, %d): %g, want %g", x, y, value, want)
			}
		}
	}
}

func TestRotationsTurnCounterclockwise(t *testing.T) {
	source := plain(21, 21, 0)
	source.SetNRGBA(18, 10, color.NRGBA{255, 255, 255, 255}) // to the right of the center
	turned, err := Rotate(source, 90)
	if err != nil {
		t.Fatal(err)
	}
	if c := turned.NRGBAAt(10, 2); c.R != 255 { // above it
		t.Errorf("color above the center %v", c)
	}
	back, _ := Rotate(photo(20, 20), 360)
	if d := distance(back, photo(20, 20)); d > 0.5 {
		t.Errorf("a whole turn changes the picture by %g levels", d)
	}
	_, degrees, err := Rotation(source, 4)
	if err != nil || degrees < 0 || degrees > 180 {
		t.Errorf("rotation by %g degrees (error %v)", degrees, err)
	}
}

func TestOcclusionCoversItsPartInTheMiddle(t *testing.T) {
	for _, part := range []float64{0, 0.01, 0.04, 0.1, 1} {
		covered, err := Occlude(plain(200, 100, 90), part)
		if err != nil {
			t.Fatal(err)
		}
		dark, x, y := 0, 0, 0
		for i := range 200 * 100 {
			if covered.Pix[4*i] == 0 {
				dark, x, y = dark+1, x+i%200, y+i/200
			}
		}
		if got := float64(dark) / 20000; math.Abs(got-part) > 0.003 {
			t.Errorf("part %g covered, want %g", got, part)
		}
		if dark > 0 && (math.Abs(float64(x)/float64(dark)-99.5) > 0.6 || math.Abs(float64(y)/float64(dark)-49.5) > 0.6) {
			t.Errorf("part %g is not in the middle", part)
		}
	}
}

func TestErrorsOfImagesNameTheValue(t *testing.T) {
	cases := []struct {
		err  error
		want string
	}{
		{second(Image("rain", plain(2, 2, 0), 1, 0)), `"rain", want one of`},
		{second(Image("jpeg", plain(2, 2, 0), 6, 0)), "severity 6, want 1 to 5"},
		{second(Image("jpeg", plain(0, 2, 0), 1, 0)), "image of 0×"},
		{second(Occlude(plain(2, 2, 0), 1.5)), "the part 1.5"},
		{second(GaussianNoise(plain(2, 2, 0), -1, 0)), "variance -1"},
		{second(Rotate(plain(2, 2, 0), math.Inf(1))), "+Inf degrees"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }
