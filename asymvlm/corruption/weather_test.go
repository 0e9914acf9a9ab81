package corruption

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// point returns a black picture with one white pixel in the middle.
func point(side int) *picture {
	p := &picture{side, side, make([]float64, side*side*channels)}
	copy(p.pixel(side/2, side/2), []float64{1, 1, 1})
	return p
}

// moments returns the sum of one channel, its center and its variances.
func moments(p *picture) (sum, x, y, xx, yy float64) {
	for i := range p.width * p.height {
		v := p.values[i*channels]
		sum += v
		x += v * float64(i%p.width)
		y += v * float64(i/p.width)
	}
	x, y = x/sum, y/sum
	for i := range p.width * p.height {
		v, dx, dy := p.values[i*channels]/sum, float64(i%p.width)-x, float64(i/p.width)-y
		xx += v * dx * dx
		yy += v * dy * dy
	}
	return sum, x, y, xx, yy
}

func TestGaussianBlurSpreadsAPointByItsDeviation(t *testing.T) {
	for _, deviation := range []float64{1, 2, 3, 4} {
		sum, x, y, xx, yy := moments(point(61).blurred(deviation))
		// Discrete pixels and the truncation at four standard deviations change the variance by
		// less than 1 %.
		if math.Abs(sum-1) > 1e-12 || x != 30 && math.Abs(x-30) > 1e-9 || math.Abs(y-30) > 1e-9 ||
			math.Abs(xx/(deviation*deviation)-1) > 0.01 || math.Abs(yy/xx-1) > 1e-9 {
			t.Errorf("deviation %g: sum %g at (%g, %g), variances %g and %g", deviation, sum, x, y, xx, yy)
		}
	}
}

func TestMotionLeavesATrailOnOneSide(t *testing.T) {
	const radius, deviation = 10, 3
	for degrees, direction := range map[float64][2]float64{0: {-1, 0}, 90: {0, -1}, -90: {0, 1}, 45: {-math.Sqrt2 / 2, -math.Sqrt2 / 2}} {
		trail := point(81).perPlane(func(p *plane) *plane { return p.trailed(radius, deviation, degrees) })
		sum, x, y, _, _ := moments(trail)
		// The mean of half a Gaussian over 0, 1, 2, …
		total, mean := 0.0, 0.0
		for i := range 2*radius + 1 {
			w := math.Exp(-float64(i*i) / (2 * deviation * deviation))
			total += w
			mean += w * float64(i)
		}
		mean /= total
		if math.Abs(sum-1) > 1e-12 || math.Abs(x-40-direction[0]*mean) > 0.35 || math.Abs(y-40-direction[1]*mean) > 0.35 {
			t.Errorf("%g degrees: sum %g at (%.2f, %.2f), want (%.2f, %.2f)", degrees, sum, x, y, 40+direction[0]*mean, 40+direction[1]*mean)
		}
		if degrees == 0 && (trail.at(41, 40, 0) != 0 || trail.at(39, 40, 0) <= trail.at(38, 40, 0)) {
			t.Error("the trail is not on one side, or does not fade")
		}
	}
}

func TestCloudsFillTheirRangeAndGetRougherWithSmallDecay(t *testing.T) {
	roughness := func(decay float64) float64 {
		clouds := plasma(60, decay, rand.New(rand.NewPCG(1, 2)))
		if clouds.width != 64 || slices.Min(clouds.values) != 0 || slices.Max(clouds.values) != 1 {
			t.Errorf("decay %g: side %d, values from %g to %g", decay, clouds.width, slices.Min(clouds.values), slices.Max(clouds.values))
		}
		sum := 0.0
		for i := range 63 * 64 {
			sum += math.Abs(clouds.values[i] - clouds.values[i+64])
		}
		return sum
	}
	if smooth, rough := roughness(2), roughness(1.4); rough < 1.5*smooth {
		t.Errorf("roughness %g at a decay of 1.4, %g at 2", rough, smooth)
	}
	if one := plasma(1, 2, rand.New(rand.NewPCG(1, 2))); one.width != 2 {
		t.Errorf("clouds for one pixel have a side of %d", one.width)
	}
}

func TestFogIsTheStatedSum(t *testing.T) {
	source, err := newPicture(photo(40, 30))
	if err != nil {
		t.Fatal(err)
	}
	brightest := slices.Max(source.values)
	fog := (&picture{40, 30, slices.Clone(source.values)}).fogged(2, 2, rand.New(rand.NewPCG(3, 4)))
	clouds := plasma(40, 2, rand.New(rand.NewPCG(3, 4)))
	for i, value := range source.values {
		x, y := i/channels%40, i/channels/40
		want := (value + 2*clouds.values[y*64+x]) / (1 + 2/brightest)
		if math.Abs(fog.values[i]-want) > 1e-12 {
			t.Fatalf("value %d is %g, want %g", i, fog.values[i], want)
		}
	}
}

func TestSnowIsTheSameUpsideDown(t *testing.T) {
	for degree := range severities {
		source, err := newPicture(plain(50, 36, 80))
		if err != nil {
			t.Fatal(err)
		}
		snow := source.snowed(degree, rand.New(rand.NewPCG(5, 6)))
		c := snowfalls[degree]
		const gray = 80. / 255
		ground, fallen := c.blend*gray+(1-c.blend)*(1.5*gray+.5), 0
		last := len(snow.values) - 1
		for i, value := range snow.values {
			if value < ground-1e-9 || math.Abs(value-snow.values[last-i]) > 1e-9 {
				t.Fatalf("severity %d: value %d is %g over a ground of %g, turned %g", degree+1, i, value, ground, snow.values[last-i])
			}
			if value > ground+0.02 {
				fallen++
			}
		}
		if part := float64(fallen) / float64(len(snow.values)); part < 0.02 {
			t.Errorf("severity %d: flakes on %.3f of the picture", degree+1, part)
		}
	}
}

func TestFrostIsBrightFeathersOnTheWholePicture(t *testing.T) {
	layer := frostLayer(120, 90, rand.New(rand.NewPCG(7, 8)))
	mean := 0.0
	for _, v := range layer.values {
		if v < 0 || v > 1 {
			t.Fatalf("frost of %g", v)
		}
		mean += v / float64(len(layer.values))
	}
	if mean < 0.25 || mean > 0.7 {
		t.Errorf("mean frost %g", mean)
	}
	source, _ := newPicture(plain(120, 90, 100))
	frosted := source.frosted(0.5, 0.6, rand.New(rand.NewPCG(7, 8)))
	for i, v := range layer.values {
		want := 0.5*100./255 + 0.6*v // blue, whose tint is 1
		if math.Abs(frosted.values[i*channels+2]-want) > 1e-12 {
			t.Fatalf("pixel %d is %g, want %g", i, frosted.values[i*channels+2], want)
		}
	}
}

func TestEnlargingKeepsRampsAndTheCenter(t *testing.T) {
	ramp := newPlane(30, 20)
	for i := range ramp.values {
		ramp.values[i] = float64(i % 30)
	}
	if same := ramp.enlarged(1); !slices.Equal(same.values, ramp.values) {
		t.Error("enlarging by 1 changes the plane")
	}
	for _, factor := range []float64{2, 2.5, 3, 4.5} {
		large := ramp.enlarged(factor)
		slope := large.values[1] - large.values[0]
		if math.Abs(slope*factor-1) > 0.15 {
			t.Errorf("factor %g: the slope is %g", factor, slope)
		}
		for x := range 29 {
			if math.Abs(large.values[x+1]-large.values[x]-slope) > 1e-9 {
				t.Fatalf("factor %g: the ramp bends at %d", factor, x)
			}
		}
		if middle := (large.values[14] + large.values[15]) / 2; math.Abs(middle-14.5) > 1 {
			t.Errorf("factor %g: the middle is at %g", factor, middle)
		}
	}
}

func TestGlassMovesPixelsInsideItsFrameAndKeepsPlains(t *testing.T) {
	p := &picture{30, 30, make([]float64, 30*30*channels)}
	p.each(func(float64) float64 { return 102. / 255 })
	for _, v := range p.glazed(0.7, 2, 3, rand.New(rand.NewPCG(1, 1))).values {
		if math.Abs(v-102./255) > 1e-9 {
			t.Fatalf("a plain became %g", v)
		}
	}
	// Without blur each pixel has the value of some pixel, and the excluded frame keeps its values.
	const reach = 2
	source := &picture{30, 30, make([]float64, 30*30*channels)}
	for i := range source.values {
		source.values[i] = float64(i/channels*7%256) / 255
	}
	moved, changed := source.glazed(0.1, reach, 1, rand.New(rand.NewPCG(2, 3))), 0
	for y := range 30 {
		for x := range 30 {
			value, own := moved.at(x, y, 0), source.at(x, y, 0)
			if math.Abs(value*255-math.Round(value*255)) > 1e-9 {
				t.Fatalf("(%d, %d) has %g, which no pixel had", x, y, value*255)
			}
			if outside := min(x, y) <= reach || max(x, y) > 30-reach; outside && math.Abs(value-own) > 1.0/255+1e-9 {
				t.Errorf("(%d, %d) of the frame changed from %g to %g", x, y, own, value)
			}
			if math.Abs(value-own) > 1.0/255+1e-9 {
				changed++
			}
		}
	}
	if changed < 300 {
		t.Errorf("%d pixels moved", changed)
	}
}

func TestAffineMapsMoveTheirCornersByTheJitter(t *testing.T) {
	for seed := range uint64(50) {
		back := randomAffine(224, 200, 20, rand.New(rand.NewPCG(seed, 1)))
		det := back[0]*back[4] - back[1]*back[3]
		for _, corner := range [][2]float64{{112 + 66, 100 + 66}, {112 + 66, 100 - 66}, {112 - 66, 100 - 66}} {
			u, v := corner[0]-back[2], corner[1]-back[5]
			x, y := (back[4]*u-back[1]*v)/det, (back[0]*v-back[3]*u)/det
			if math.Abs(x-corner[0]) > 20+1e-9 || math.Abs(y-corner[1]) > 20+1e-9 {
				t.Errorf("seed %d: corner %v moves to (%g, %g)", seed, corner, x, y)
			}
		}
	}
	if still := randomAffine(50, 40, 0, rand.New(rand.NewPCG(1, 1))); math.Abs(still[0]-1)+math.Abs(still[1])+math.Abs(still[2])+math.Abs(still[4]-1) > 1e-12 {
		t.Errorf("without jitter the map is %v", still)
	}
	source, _ := newPicture(photo(40, 30))
	same := (&picture{40, 30, slices.Clone(source.values)}).stretched(0, 3, 0, rand.New(rand.NewPCG(1, 1)))
	for i, v := range same.values {
		if math.Abs(v-source.values[i]) > 1e-9 {
			t.Fatalf("without strength value %d changes from %g to %g", i, source.values[i], v)
		}
	}
}

func TestSaturationKeepsHueAndValue(t *testing.T) {
	pixel := &picture{1, 1, []float64{0.8, 0.4, 0.6}}
	if half := (&picture{1, 1, slices.Clone(pixel.values)}).saturated(0.5, 0); !slices.EqualFunc(half.values, []float64{0.8, 0.6, 0.7}, close12) {
		t.Errorf("half saturation %v", half.values)
	}
	if full := (&picture{1, 1, slices.Clone(pixel.values)}).saturated(20, 0.2); !slices.EqualFunc(full.values, []float64{0.8, 0, 0.4}, close12) {
		t.Errorf("full saturation %v", full.values)
	}
	if gray := (&picture{1, 1, []float64{0.5, 0.5, 0.5}}).saturated(5, 0.1); !slices.EqualFunc(gray.values, []float64{0.5, 0.45, 0.45}, close12) {
		t.Errorf("a gray became %v", gray.values)
	}
	if black := (&picture{1, 1, []float64{0, 0, 0}}).saturated(5, 0.1); slices.Max(black.values) != 0 {
		t.Errorf("black became %v", black.values)
	}
}

func close12(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
