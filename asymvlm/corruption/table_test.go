package corruption

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSnowfallsAreThoseOfTheTable repeats the seven numbers of each severity.
func TestSnowfallsAreThoseOfTheTable(t *testing.T) {
	for i, want := range [severities]string{
		"{0.1 0.3 3 0.5 10 4 0.8}", "{0.2 0.3 2 0.5 12 4 0.7}", "{0.55 0.3 4 0.9 12 8 0.7}", "{0.55 0.3 4.5 0.85 12 8 0.65}", "{0.55 0.3 2.5 0.85 12 12 0.55}",
	} {
		if got := fmt.Sprint(snowfalls[i]); got != want {
			t.Errorf("severity %d: %s, want %s", i+1, got, want)
		}
	}
}

// TestZoomBlursFlattenRampsByTheMeanOfTheirFactors: an enlargement by f divides the slope of a ramp
// by f, and the picture counts in addition to its enlargements. The factors are those of NumPy's
// arange, listed by NumPy.
func TestZoomBlursFlattenRampsByTheMeanOfTheirFactors(t *testing.T) {
	counts, steps := [severities]int{12, 15, 10, 12, 12}, [severities]float64{.01, .01, .02, .02, .03}
	lasts := [severities]float64{1.11, 1.14, 1.18, 1.22, 1.33}
	ramp := plain(200, 9, 0)
	for x := range 200 {
		for y := range 9 {
			ramp.SetNRGBA(x, y, color.NRGBA{uint8(x), uint8(255 - x), 30, 255})
		}
	}
	for i, picture := range everySeverity(t, "zoom-blur", ramp) {
		slope := 1.0
		for k := range counts[i] {
			slope += 1 / (1 + float64(k)*steps[i])
		}
		slope /= float64(counts[i] + 1)
		for _, x := range []int{20, 60, 99, 150, 180} {
			want := 99.5 + slope*(float64(x)-99.5)
			if got := picture.NRGBAAt(x, 4); math.Abs(float64(got.R)-want) > 0.51 || math.Abs(float64(got.G)-255+want) > 0.51 || got.B != 30 {
				t.Errorf("severity %d: %v at %d, want %.2f", i+1, got, x, want)
			}
		}
		factors := zoomFactors(steps[i], [severities]float64{1.11, 1.15, 1.20, 1.24, 1.33}[i])
		if len(factors) != counts[i] || math.Abs(factors[len(factors)-1]-lasts[i]) > 1e-12 || factors[0] != 1 {
			t.Errorf("severity %d: factors %g", i+1, factors)
		}
	}
}

// TestMotionBlursHaveThePublishedSeverities measures the trail of a point: its first weight
// determines the deviation, and it is shorter than 2·radius + 1 pixels.
func TestMotionBlursHaveThePublishedSeverities(t *testing.T) {
	settings := [severities]struct {
		radius    int
		deviation float64
	}{{10, 3}, {15, 5}, {15, 8}, {15, 12}, {20, 15}}
	// Measured before rounding to eight bits, which removes the end of the trail.
	dot := plain(121, 121, 0)
	for y := 60; y < 61; y++ {
		dot.SetNRGBA(60, y, color.NRGBA{255, 255, 255, 255})
	}
	for i, s := range settings {
		picture, err := newPicture(dot)
		if err != nil {
			t.Fatal(err)
		}
		damaged, err := treatments["motion-blur"](picture, i, random("motion-blur", 5))
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for k := range 2*s.radius + 1 {
			total += math.Exp(-float64(k*k) / (2 * s.deviation * s.deviation))
		}
		sum, reach := 0.0, 0.0
		for y := range 121 {
			for x := range 121 {
				if v := damaged.at(x, y, 1); v > 0 {
					sum += v
					reach = max(reach, math.Hypot(float64(x-60), float64(y-60)))
				}
			}
		}
		if got := damaged.at(60, 60, 1); math.Abs(got-1/total) > 1e-12 || math.Abs(sum-1) > 1e-12 || math.Abs(reach-2*float64(s.radius)) > 1.5 {
			t.Errorf("severity %d: first weight %g of %g, want %g, reach %g of %d", i+1, got, sum, 1/total, reach, 2*s.radius)
		}
	}
}

// TestDefocusDisksAreThoseOfTheTable blurs a point: the area inside must be that of the disk with
// the published radius.
func TestDefocusDisksAreThoseOfTheTable(t *testing.T) {
	for i, radius := range [severities]int{3, 4, 6, 8, 10} {
		damaged, err := treatments["defocus-blur"](point(41), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for y := -radius; y <= radius; y++ {
			for x := -radius; x <= radius; x++ {
				if x*x+y*y <= radius*radius {
					count++
				}
			}
		}
		// The softened edge does not reach the center.
		if got := damaged.at(20, 20, 0); math.Abs(got*float64(count)-1) > 1e-12 {
			t.Errorf("severity %d: the middle is 1/%g, want 1/%d", i+1, 1/got, count)
		}
		// A softening of 0.1 keeps the edge sharp, 0.5 does not. At severities 4 and 5 the disk
		// fills its grid, and the edge is softened on the inside only.
		edge, beyond := damaged.at(20+radius, 20, 0)*float64(count), damaged.at(20+radius+1, 20, 0)*float64(count)
		if sharp := edge > 1-1e-12 && beyond < 1e-12; sharp != (i == 0) || (beyond > 1e-12) != (i == 1 || i == 2) {
			t.Errorf("severity %d: %g at the radius, %g beyond", i+1, edge, beyond)
		}
	}
}

// TestPixelateKeepsMeansAndWholeGrids: averages over cells keep the mean of the picture, and a grid
// that divides the picture yields the means of the cells.
func TestPixelateKeepsMeansAndWholeGrids(t *testing.T) {
	for _, fine := range []int{7, 10, 224} {
		for _, coarse := range []int{1, 2, 3, 7} {
			sums := make([]float64, fine)
			for i := range coarse {
				total := 0.0
				for _, o := range overlaps(i, fine, coarse) {
					total += o.part
					sums[o.cell] += o.part
				}
				if math.Abs(total-1) > 1e-12 {
					t.Errorf("%d cells in %d: parts of cell %d sum to %g", fine, coarse, i, total)
				}
			}
			for cell, sum := range sums { // every fine cell counts the same
				if math.Abs(sum-float64(coarse)/float64(fine)) > 1e-12 {
					t.Errorf("%d cells in %d: cell %d counts %g", fine, coarse, cell, sum)
				}
			}
		}
	}
	source, err := newPicture(photo(60, 40))
	if err != nil {
		t.Fatal(err)
	}
	half := (&picture{60, 40, slices.Clone(source.values)}).pixelated(0.5)
	for y := 0; y < 40; y += 2 {
		for x := 0; x < 60; x += 2 {
			mean := (source.at(x, y, 2) + source.at(x+1, y, 2) + source.at(x, y+1, 2) + source.at(x+1, y+1, 2)) / 4
			for k := range 4 {
				if got := half.at(x+k%2, y+k/2, 2); math.Abs(got-mean) > 1e-12 {
					t.Fatalf("(%d, %d): %g, want %g", x+k%2, y+k/2, got, mean)
				}
			}
		}
	}
}

// TestPicturesThatAreNotSquareAreNotDistorted checks that corrupting a picture rotated by a quarter
// turn is the same as rotating the corrupted picture.
func TestPicturesThatAreNotSquareAreNotDistorted(t *testing.T) {
	turn := func(source *image.NRGBA) *image.NRGBA {
		b := source.Bounds()
		result := image.NewNRGBA(image.Rect(0, 0, b.Dy(), b.Dx()))
		for y := range b.Dy() {
			for x := range b.Dx() {
				result.SetNRGBA(y, x, source.NRGBAAt(x, y))
			}
		}
		return result
	}
	source := photo(50, 30)
	for _, name := range []string{"defocus-blur", "zoom-blur", "pixelate", "contrast", "gaussian-blur", "brightness", "saturate"} {
		for severity := 1; severity <= severities; severity++ {
			want, err := Image(name, source, severity, 1)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Image(name, turn(source), severity, 1)
			if err != nil {
				t.Fatal(err)
			}
			if d := distance(turn(got), want); d > 0.6 { // sums in another order, rounded to eight bits
				t.Errorf("%s, severity %d: exchanging rows and columns changes %g levels", name, severity, d)
			}
		}
	}
}

func TestEveryCorruptionTakesTheSmallestPictures(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 5}, {17, 2}} {
		for _, source := range []*image.NRGBA{photo(size[0], size[1]), plain(size[0], size[1], 0), plain(size[0], size[1], 255)} {
			for _, name := range ImageNames() {
				for _, severity := range []int{1, 5} {
					damaged, err := Image(name, source, severity, 3)
					if err != nil {
						t.Fatalf("%s of %v: %v", name, size, err)
					}
					if damaged.Bounds() != source.Bounds() {
						t.Errorf("%s of %v has the size %v", name, size, damaged.Bounds())
					}
				}
			}
		}
	}
}

// TestPicturesOfEveryKindCountByTheirColors covers another color model, other bounds, and
// transparency.
func TestPicturesOfEveryKindCountByTheirColors(t *testing.T) {
	source := photo(24, 16)
	gray, deep := image.NewGray(image.Rect(5, -3, 29, 13)), image.NewRGBA64(image.Rect(0, 0, 24, 16))
	large := image.NewNRGBA(image.Rect(-10, -10, 60, 60))
	flat := image.NewNRGBA(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			c := source.NRGBAAt(x, y)
			deep.Set(x, y, c)
			large.Set(x+7, y+9, c)
			gray.SetGray(x+5, y-3, color.Gray{c.G})
			flat.SetNRGBA(x, y, color.NRGBA{c.G, c.G, c.G, 255})
		}
	}
	for _, name := range []string{"jpeg", "gaussian-noise", "elastic"} {
		for _, pair := range [][2]image.Image{{source, deep}, {source, large.SubImage(image.Rect(7, 9, 31, 25))}, {flat, gray}} {
			want, err := Image(name, pair[0], 2, 9)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Image(name, pair[1], 2, 9)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds().Min != (image.Point{}) || distance(got, want) > 0.1 {
				t.Errorf("%s of %T at %v is %g levels away", name, pair[1], pair[1].Bounds(), distance(got, want))
			}
		}
	}
	half := plain(4, 4, 200)
	for i := 3; i < len(half.Pix); i += 4 {
		half.Pix[i] = 128
	}
	covered, err := Occlude(half, 0)
	if err != nil || covered.Pix[0] != 100 || covered.Pix[3] != 255 { // 200·128/255 on black
		t.Errorf("half transparent 200 became %v (error %v)", covered.Pix[:4], err)
	}
}

// TestRotationsAreUniform applies the Kolmogorov–Smirnov test to 500 angles; 2.2/√n is exceeded for
// one of 8,000 sets of seeds.
func TestRotationsAreUniform(t *testing.T) {
	const draws = 500
	angles := make([]float64, draws)
	for seed := range angles {
		_, degrees, err := Rotation(plain(1, 1, 0), uint64(seed))
		if err != nil {
			t.Fatal(err)
		}
		angles[seed] = degrees / 180
	}
	slices.Sort(angles)
	worst := 0.0
	for i, a := range angles {
		worst = max(worst, math.Abs(a-float64(i)/draws), math.Abs(a-float64(i+1)/draws))
	}
	if angles[0] < 0 || angles[draws-1] > 1 || worst > 2.2/math.Sqrt(draws) {
		t.Errorf("angles from %g to %g half turns, off a uniform law by %g", angles[0], angles[draws-1], worst)
	}
}

// TestPoissonNoiseKeepsTheMean includes dark and bright pictures, up to the clamping.
func TestPoissonNoiseKeepsTheMean(t *testing.T) {
	for _, level := range []uint8{0, 13, 51} {
		noisy, err := Image("shot-noise", plain(80, 80, level), 2, 4)
		if err != nil {
			t.Fatal(err)
		}
		gray := float64(level) / 255
		mean, deviation := spread(noisy)
		// 19,200 values with the standard deviation √(gray/25): five standard errors of their mean,
		// and the rounding to eight bits.
		if math.Abs(mean-gray) > 5*math.Sqrt(gray/25/19200)+2e-3 || math.Abs(deviation-math.Sqrt(gray/25)) > 0.05*math.Sqrt(gray/25)+1e-3 {
			t.Errorf("gray %.3f: mean %.4f, deviation %.4f", gray, mean, deviation)
		}
	}
}

// FuzzImage damages small pictures of arbitrary size and content.
func FuzzImage(f *testing.F) {
	f.Add(uint8(0), uint8(3), uint8(5), uint8(1), uint64(1))
	f.Add(uint8(7), uint8(1), uint8(1), uint8(4), uint64(2))
	f.Fuzz(func(t *testing.T, which, width, height, severity uint8, seed uint64) {
		names := ImageNames()
		name, source := names[int(which)%len(names)], image.NewNRGBA(image.Rect(0, 0, int(width)%24, int(height)%24))
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range source.Pix {
			source.Pix[i] = uint8(r.Uint32())
		}
		before := slices.Clone(source.Pix)
		damaged, err := Image(name, source, int(severity)%7, seed)
		if valid := !source.Bounds().Empty() && severity%7 >= 1 && severity%7 <= 5; valid != (err == nil) {
			t.Fatalf("%s of %v at severity %d: error %v", name, source.Bounds(), severity%7, err)
		}
		if !slices.Equal(before, source.Pix) {
			t.Error("the source was changed")
		}
		if err != nil {
			return
		}
		again, _ := Image(name, source, int(severity)%7, seed)
		if !slices.Equal(damaged.Pix, again.Pix) {
			t.Errorf("%s: one seed gave two pictures", name)
		}
	})
}
