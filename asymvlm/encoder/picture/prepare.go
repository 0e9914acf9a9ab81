package picture

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"gosphere/internal/userfile"
)

// A Shape selects how a picture is made square.
type Shape int

const (
	// Center scales the shorter side to the side of the square and takes the center, as OpenAI and
	// open_clip do. Like torchvision it rounds the position of the center to the even pixel.
	Center Shape = iota
	// CenterFloor is Center with the position rounded down, as Hugging Face does.
	CenterFloor
	// Squash scales both sides to the side of the square, as SigLIP does.
	Squash
)

// A Preparation describes how a picture is converted to the input of an encoder.
type Preparation struct {
	// Side is the width and height in pixels.
	Side   int
	Shape  Shape
	Filter Filter
	// Mean and Deviation normalize the channels, whose values range from 0 to 1: (value −
	// Mean)/Deviation.
	Mean, Deviation [3]float64
}

// Mean and standard deviation of CLIP's training pictures.
var clipMean, clipDeviation = [3]float64{0.48145466, 0.4578275, 0.40821073}, [3]float64{0.26862954, 0.26130258, 0.27577711}

// CLIP returns the preparation of OpenAI's and open_clip's networks, for squares of the given side.
func CLIP(side int) Preparation {
	return Preparation{Side: side, Mean: clipMean, Deviation: clipDeviation}
}

// SigLIP returns the preparation of SigLIP, for squares of the given side.
func SigLIP(side int) Preparation {
	half := [3]float64{0.5, 0.5, 0.5}
	return Preparation{Side: side, Shape: Squash, Mean: half, Deviation: half}
}

// Square returns the picture as a square of Side pixels. It returns an error for a picture so
// narrow that it would have more than 178,956,970 pixels before its center is taken.
func (p Preparation) Square(m *Picture) (*Picture, error) {
	if p.Shape == Squash {
		return m.Resize(p.Side, p.Side, p.Filter), nil
	}
	width, height := p.Side, p.Side
	switch {
	case m.Width < m.Height:
		height = int(float64(p.Side) * float64(m.Height) / float64(m.Width))
	case m.Height < m.Width:
		width = int(float64(p.Side) * float64(m.Width) / float64(m.Height))
	}
	if height > mostPixels/width {
		return nil, fmt.Errorf("picture: %d×%d pixels are too narrow: with the shorter side of %d the longer one has %d", m.Width, m.Height, p.Side, max(width, height))
	}
	resized := m.Resize(width, height, p.Filter)
	left, top := float64(width-p.Side)/2, float64(height-p.Side)/2
	if p.Shape == CenterFloor {
		return resized.Crop(int(left), int(top), p.Side, p.Side), nil
	}
	return resized.Crop(int(math.RoundToEven(left)), int(math.RoundToEven(top)), p.Side, p.Side), nil
}

// Apply returns the 3·Side·Side input values of an encoder, channel by channel and row by row:
// (pixel/255 − mean)/deviation in float32. Apply returns the error of Square.
func (p Preparation) Apply(m *Picture) ([]float32, error) {
	square, err := p.Square(m)
	if err != nil {
		return nil, err
	}
	area := p.Side * p.Side
	values := make([]float32, 3*area)
	for channel := range 3 {
		var table [256]float32
		for i := range table {
			table[i] = (float32(i)/255 - float32(p.Mean[channel])) / float32(p.Deviation[channel])
		}
		dst := values[channel*area:][:area]
		for i := range dst {
			dst[i] = table[square.Pixels[3*i+channel]]
		}
	}
	return values, nil
}

// settings holds the supported part of preprocessor_config.json of Hugging Face, and preprocess_cfg
// of open_clip.
type settings struct {
	Size      json.RawMessage `json:"size"`
	CropSize  json.RawMessage `json:"crop_size"`
	DoResize  *bool           `json:"do_resize"`
	DoCrop    *bool           `json:"do_center_crop"`
	DoRescale *bool           `json:"do_rescale"`
	DoNormal  *bool           `json:"do_normalize"`
	Factor    *float64        `json:"rescale_factor"`
	Resample  *int            `json:"resample"`
	Mean      []float64       `json:"image_mean"`
	Deviation []float64       `json:"image_std"`
	OpenCLIP  *openSettings   `json:"preprocess_cfg"`
}

type openSettings struct {
	Mean          []float64 `json:"mean"`
	Deviation     []float64 `json:"std"`
	Interpolation string    `json:"interpolation"`
	Resize        string    `json:"resize_mode"`
}

// Open returns the preparation of a model folder: standard, modified by preprocessor_config.json of
// Hugging Face or by preprocess_cfg in the configuration of open_clip. Settings that are not
// supported are errors that name them.
func Open(dir string, standard Preparation) (Preparation, error) {
	for _, name := range []string{"preprocessor_config.json", "open_clip_config.json", "config.json"} {
		path := filepath.Join(dir, name)
		text, err := userfile.ReadFile(path, userfile.Table)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Preparation{}, fmt.Errorf("picture: %w", err)
		}
		var s settings
		if err := json.Unmarshal(text, &s); err != nil {
			return Preparation{}, fmt.Errorf("picture: %s: %w", path, err)
		}
		p := standard
		switch {
		case s.OpenCLIP != nil:
			err = p.setOpenCLIP(s.OpenCLIP)
		case name == "preprocessor_config.json":
			err = p.setHuggingFace(&s)
		default:
			continue
		}
		if err != nil {
			return Preparation{}, fmt.Errorf("picture: %s: %w", path, err)
		}
		return p, nil
	}
	return standard, nil
}

// setOpenCLIP applies the settings of open_clip.
func (p *Preparation) setOpenCLIP(s *openSettings) error {
	switch s.Interpolation {
	case "", "bicubic":
	case "bilinear":
		p.Filter = Bilinear
	default:
		return fmt.Errorf("interpolation %q, want bicubic or bilinear", s.Interpolation)
	}
	switch s.Resize {
	case "", "shortest":
	case "squash":
		p.Shape = Squash
	default:
		return fmt.Errorf("resize_mode %q, want shortest or squash", s.Resize)
	}
	return p.setChannels(s.Mean, s.Deviation)
}

// setChannels applies mean and deviation of the channels, if there are any.
func (p *Preparation) setChannels(mean, deviation []float64) error {
	for _, list := range []struct {
		name   string
		values []float64
		dst    *[3]float64
	}{{"mean", mean, &p.Mean}, {"standard deviation", deviation, &p.Deviation}} {
		if list.values == nil {
			continue
		}
		if len(list.values) != 3 {
			return fmt.Errorf("%s of %d channels, want 3", list.name, len(list.values))
		}
		copy(list.dst[:], list.values)
	}
	for _, d := range p.Deviation {
		if d <= 0 {
			return fmt.Errorf("standard deviation %g of a channel", d)
		}
	}
	return nil
}

// setHuggingFace applies the settings of an image processor.
func (p *Preparation) setHuggingFace(s *settings) error {
	for _, flag := range []struct {
		name  string
		value *bool
	}{{"do_resize", s.DoResize}, {"do_rescale", s.DoRescale}, {"do_normalize", s.DoNormal}} {
		if flag.value != nil && !*flag.value {
			return fmt.Errorf("%s is false, which is not supported", flag.name)
		}
	}
	if s.Factor != nil && math.Abs(*s.Factor*255-1) > 1e-6 {
		return fmt.Errorf("rescale_factor %g, want 1/255", *s.Factor)
	}
	if s.Resample != nil {
		switch *s.Resample {
		case 2:
			p.Filter = Bilinear
		case 3:
			p.Filter = Bicubic
		default:
			return fmt.Errorf("resample %d, want 2 (bilinear) or 3 (bicubic)", *s.Resample)
		}
	}
	shortest, square, err := sideOf(s.Size)
	if err != nil {
		return fmt.Errorf("size: %w", err)
	}
	crop := s.DoCrop == nil || *s.DoCrop
	switch {
	case square > 0:
		p.Shape, p.Side = Squash, square
	case shortest > 0 && crop:
		p.Shape, p.Side = CenterFloor, shortest
		if _, side, err := sideOf(s.CropSize); err == nil && side > 0 && side != shortest {
			return fmt.Errorf("crop_size %d and size %d: only equal ones are supported", side, shortest)
		}
	case shortest > 0:
		return errors.New("do_center_crop is false with a shortest_edge: pictures of different shapes are not supported")
	}
	return p.setChannels(s.Mean, s.Deviation)
}

// sideOf decodes a size: a number, {"shortest_edge": n} or {"height": n, "width": n}.
func sideOf(text json.RawMessage) (shortest, square int, err error) {
	if len(text) == 0 || string(text) == "null" {
		return 0, 0, nil
	}
	var number int
	if json.Unmarshal(text, &number) == nil {
		return number, 0, checkSide(number)
	}
	var sides struct {
		Shortest int `json:"shortest_edge"`
		Height   int `json:"height"`
		Width    int `json:"width"`
	}
	if err := json.Unmarshal(text, &sides); err != nil {
		return 0, 0, err
	}
	if sides.Shortest != 0 {
		return sides.Shortest, 0, checkSide(sides.Shortest)
	}
	if sides.Height != sides.Width {
		return 0, 0, fmt.Errorf("%d×%d, want a square", sides.Width, sides.Height)
	}
	return 0, sides.Height, checkSide(sides.Height)
}

// checkSide returns an error for a side that no network has.
func checkSide(side int) error {
	if side < 1 || side > 4096 {
		return fmt.Errorf("%d pixels, want 1 to 4096", side)
	}
	return nil
}
