package corruption

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/jpeg"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// severities is the number of severities of each corruption.
const severities = 5

// A treatment damages a picture to a degree, 0 to 4.
type treatment func(p *picture, degree int, random *rand.Rand) (*picture, error)

// treatments maps the names of corruptions to their implementations, with the settings of
// ImageNet-C (Hendrycks and Dietterich 2019) as used by MM_Robustness, for pictures of about 224
// pixels.
var treatments = map[string]treatment{
	"gaussian-noise": pointwise([severities]float64{.08, .12, .18, .26, .38},
		func(value, c float64, random *rand.Rand) float64 { return value + c*random.NormFloat64() }),
	"shot-noise": pointwise([severities]float64{60, 25, 12, 5, 3},
		func(value, c float64, random *rand.Rand) float64 {
			return distuv.Poisson{Lambda: value * c, Src: random}.Rand() / c
		}),
	"impulse-noise": pointwise([severities]float64{.03, .06, .09, .17, .27},
		func(value, c float64, random *rand.Rand) float64 {
			if random.Float64() >= c {
				return value
			}
			return float64(random.IntN(2))
		}),
	"speckle-noise": pointwise([severities]float64{.15, .2, .35, .45, .6},
		func(value, c float64, random *rand.Rand) float64 { return value + value*c*random.NormFloat64() }),
	"defocus-blur": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.defocused([severities]int{3, 4, 6, 8, 10}[degree], [severities]float64{.1, .5, .5, .5, .5}[degree]), nil
	},
	"zoom-blur": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		step, last := [severities]float64{.01, .01, .02, .02, .03}[degree], [severities]float64{1.11, 1.15, 1.20, 1.24, 1.33}[degree]
		return p.zoomed(zoomFactors(step, last)), nil
	},
	"jpeg": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.recoded([severities]int{25, 18, 15, 10, 7}[degree])
	},
	"pixelate": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.pixelated([severities]float64{.6, .5, .4, .3, .25}[degree]), nil
	},
	"contrast": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.flattened([severities]float64{.4, .3, .2, .1, .05}[degree]), nil
	},
	"gaussian-blur": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.blurred([severities]float64{1, 2, 3, 4, 6}[degree]), nil
	},
	"glass-blur": func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		c := [severities]struct {
			deviation     float64
			reach, passes int
		}{{.7, 1, 2}, {.9, 2, 1}, {1, 2, 3}, {1.1, 3, 2}, {1.5, 4, 2}}[degree]
		return p.glazed(c.deviation, c.reach, c.passes, random), nil
	},
	"motion-blur": func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		radius, deviation := [severities]int{10, 15, 15, 15, 20}[degree], [severities]float64{3, 5, 8, 12, 15}[degree]
		degrees := -45 + 90*random.Float64()
		return p.perPlane(func(part *plane) *plane { return part.trailed(radius, deviation, degrees) }), nil
	},
	"snow": func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		return p.snowed(degree, random), nil
	},
	"frost": func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		return p.frosted([severities]float64{1, .8, .7, .65, .6}[degree], [severities]float64{.4, .6, .7, .7, .75}[degree], random), nil
	},
	"fog": func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		return p.fogged([severities]float64{1.5, 2, 2.5, 2.5, 3}[degree], [severities]float64{2, 2, 1.7, 1.5, 1.4}[degree], random), nil
	},
	"elastic": func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		// The original uses 244, although its pictures have 224 pixels.
		c := [severities][3]float64{{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}}[degree]
		return p.stretched(244*c[0], 244*c[1], 244*c[2], random), nil
	},
	"saturate": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.saturated([severities]float64{.3, .1, 2, 5, 20}[degree], [severities]float64{0, 0, 0, .1, .2}[degree]), nil
	},
	"brightness": func(p *picture, degree int, _ *rand.Rand) (*picture, error) {
		return p.brightened([severities]float64{.1, .2, .3, .4, .5}[degree]), nil
	},
}

// pointwise returns a treatment that changes each value independently.
func pointwise(settings [severities]float64, change func(value, c float64, random *rand.Rand) float64) treatment {
	return func(p *picture, degree int, random *rand.Rand) (*picture, error) {
		return p.each(func(value float64) float64 { return change(value, settings[degree], random) }), nil
	}
}

// ImageNames returns the names of the corruptions of Image in sorted order.
func ImageNames() []string { return slices.Sorted(maps.Keys(treatments)) }

// Image returns a copy of a picture damaged by the named corruption (see ImageNames) at a severity
// from 1 (light) to 5. Values are rounded to eight bits and clamped at black and white. Transparent
// parts are drawn on black, and the copy's bounds start at (0, 0). The settings are made for
// pictures of about 224 pixels: sizes of blurs are in pixels. An unknown name, a severity outside 1
// … 5 and an empty picture are errors. The most expensive corruption, defocus-blur, takes up to 441
// multiplications per value.
func Image(name string, source image.Image, severity int, seed uint64) (*image.NRGBA, error) {
	treat, known := treatments[name]
	if !known {
		return nil, fmt.Errorf("corruption: image corruption %q, want one of %q", name, ImageNames())
	}
	if severity < 1 || severity > severities {
		return nil, fmt.Errorf("corruption: severity %d, want 1 to %d", severity, severities)
	}
	p, err := newPicture(source)
	if err != nil {
		return nil, err
	}
	damaged, err := treat(p, severity-1, random(name, seed))
	if err != nil {
		return nil, err
	}
	return damaged.image(), nil
}

// random returns the random numbers of a corruption, so that two corruptions with one seed do not
// share their draws.
func random(name string, seed uint64) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}

// GaussianNoise adds normal noise of the given variance to values between 0 and 1. ELIP's simple
// setting has the variance 0.1, a standard deviation of 0.32; its listing exchanges mean and
// variance. A variance that is negative or infinite and an empty picture are errors.
func GaussianNoise(source image.Image, variance float64, seed uint64) (*image.NRGBA, error) {
	if !(variance >= 0) || math.IsInf(variance, 1) {
		return nil, fmt.Errorf("corruption: variance %g, want a finite number of at least 0", variance)
	}
	p, err := newPicture(source)
	if err != nil {
		return nil, err
	}
	r := random("gaussian-variance", seed)
	return p.each(func(value float64) float64 { return value + math.Sqrt(variance)*r.NormFloat64() }).image(), nil
}

// Rotation rotates a picture by an angle drawn uniformly from 0 to 180 degrees, ELIP's simple
// setting, and returns the result and the angle. The size is kept, and the corners are filled with
// black. An empty picture is an error.
func Rotation(source image.Image, seed uint64) (*image.NRGBA, float64, error) {
	degrees := 180 * random("rotation", seed).Float64()
	rotated, err := Rotate(source, degrees)
	return rotated, degrees, err
}

// Rotate rotates a picture counterclockwise by degrees, with bilinear interpolation. The size is
// kept, and the corners are filled with black. An angle that is not finite and an empty picture are
// errors.
func Rotate(source image.Image, degrees float64) (*image.NRGBA, error) {
	if math.IsNaN(degrees) || math.IsInf(degrees, 0) {
		return nil, fmt.Errorf("corruption: rotation by %g degrees", degrees)
	}
	p, err := newPicture(source)
	if err != nil {
		return nil, err
	}
	return p.rotated(degrees).image(), nil
}

// Occlude blackens the center of a picture, in the picture's proportions. Part is the fraction of
// the area, 0 to 1. ProLIP covers up to 10 % to show that its uncertainty rises. A part outside 0 …
// 1 and an empty picture are errors.
func Occlude(source image.Image, part float64) (*image.NRGBA, error) {
	if !(part >= 0 && part <= 1) {
		return nil, fmt.Errorf("corruption: occlusion of the part %g, want 0 to 1", part)
	}
	p, err := newPicture(source)
	if err != nil {
		return nil, err
	}
	width, height := int(math.Round(float64(p.width)*math.Sqrt(part))), int(math.Round(float64(p.height)*math.Sqrt(part)))
	left, top := (p.width-width)/2, (p.height-height)/2
	for y := top; y < top+height; y++ {
		clear(p.values[(y*p.width+left)*channels : (y*p.width+left+width)*channels])
	}
	return p.image(), nil
}

// recoded returns the picture after encoding and decoding as JPEG.
func (p *picture) recoded(quality int) (*picture, error) {
	var buffer bytes.Buffer
	if err := jpeg.Encode(&buffer, p.image(), &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("corruption: %w", err)
	}
	decoded, err := jpeg.Decode(&buffer)
	if err != nil {
		return nil, fmt.Errorf("corruption: %w", err)
	}
	return newPicture(decoded)
}

// flattened reduces the contrast by moving each channel toward its mean.
func (p *picture) flattened(c float64) *picture {
	means := make([]float64, channels)
	for i, value := range p.values {
		means[i%channels] += value * channels / float64(len(p.values))
	}
	for i, value := range p.values {
		p.values[i] = means[i%channels] + c*(value-means[i%channels])
	}
	return p
}

// brightened raises the largest channel of each pixel, its value in the HSV color model, and keeps
// hue and saturation.
func (p *picture) brightened(c float64) *picture {
	for i := 0; i < len(p.values); i += channels {
		pixel := p.values[i : i+channels]
		value := slices.Max(pixel)
		raised := min(value+c, 1)
		for k := range pixel {
			if value == 0 {
				pixel[k] = raised
			} else {
				pixel[k] *= raised / value
			}
		}
	}
	return p
}
