package display

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"reflect"
	"strconv"
	"strings"

	"gosphere/kernel/protocol"
)

// A Range is a slider of Frames: its name and its values.
type Range struct {
	Name   string
	Values []float64
	// Start is the index of the initial value.
	Start int
}

// Limits of Frames: all frames are drawn in advance and stored in the notebook.
const (
	mostFrames = 500
	frameBytes = 32 << 20
)

// framePace is the time between two frames in milliseconds.
const framePace = 350

//go:embed frames.js
var framesScript string

// Frames shows the results of a function for all values of sliders, one for each of its parameters,
// which must be float64 or int. It calls the function once for each combination of values and
// stores all results in the output. The sliders therefore need no kernel: they work in an exported
// page, on slides and in a notebook that was opened but not run. A button animates the first range.
//
//	display.Frames(func(kappa float64) any { return density(kappa) },
//		display.Range{Name: "κ", Values: []float64{1, 2, 5, 10, 20}})
//
// Use widget.Interact if there are too many combinations to draw in advance. Frames panics if the
// ranges do not match the parameters, and for more than 500 frames or 32 MiB.
func Frames(function any, ranges ...Range) {
	m, err := newFrames(function, ranges)
	if err != nil {
		panic(fmt.Errorf("display: Frames: %w", err))
	}
	publish(m.message())
}

// A frames is a set of drawn frames. The last range changes fastest.
type frames struct {
	ranges []Range
	pages  []string // as HTML
	start  int      // index of the initial frame
	still  protocol.MimeBundle
	size   map[string]any // metadata of still
}

// newFrames draws all frames.
func newFrames(function any, ranges []Range) (*frames, error) {
	f := reflect.ValueOf(function)
	if f.Kind() != reflect.Func || f.IsNil() {
		return nil, fmt.Errorf("want a function, not %T", function)
	}
	if f.Type().NumOut() != 1 {
		return nil, fmt.Errorf("the function %s has %d results, want 1", f.Type(), f.Type().NumOut())
	}
	if f.Type().IsVariadic() || len(ranges) == 0 || f.Type().NumIn() != len(ranges) {
		return nil, fmt.Errorf("%d ranges for %s, want one for each parameter", len(ranges), f.Type())
	}
	m, count := &frames{ranges: ranges}, 1
	for i, r := range ranges {
		if kind := f.Type().In(i).Kind(); kind != reflect.Float64 && kind != reflect.Int {
			return nil, fmt.Errorf("parameter %d of %s is neither a float64 nor an int", i+1, f.Type())
		}
		if len(r.Values) == 0 {
			return nil, fmt.Errorf("range %q has no values", r.Name)
		}
		if r.Start < 0 || r.Start >= len(r.Values) {
			return nil, fmt.Errorf("range %q starts at index %d of %d values", r.Name, r.Start, len(r.Values))
		}
		for _, value := range r.Values {
			if f.Type().In(i).Kind() == reflect.Int && value != float64(int(value)) {
				return nil, fmt.Errorf("range %q has %g for an int", r.Name, value)
			}
		}
		if count *= len(r.Values); count > mostFrames {
			return nil, fmt.Errorf("%d or more frames, at most %d are drawn", count, mostFrames)
		}
		m.start = m.start*len(r.Values) + r.Start
	}
	total := 0
	for n := range count {
		bundle, metadata := Bundle(f.Call(m.arguments(f.Type(), n))[0].Interface())
		if n == m.start {
			m.still, m.size = bundle, metadata
		}
		m.pages = append(m.pages, framePage(bundle, metadata))
		if total += len(m.pages[n]); total > frameBytes {
			return nil, fmt.Errorf("more than %d MiB in %d of %d frames; draw fewer or smaller ones", frameBytes>>20, n+1, count)
		}
	}
	return m, nil
}

// arguments returns the arguments for frame n.
func (m *frames) arguments(function reflect.Type, n int) []reflect.Value {
	arguments := make([]reflect.Value, len(m.ranges))
	for i := len(m.ranges) - 1; i >= 0; i-- {
		values := m.ranges[i].Values
		arguments[i] = reflect.ValueOf(values[n%len(values)]).Convert(function.In(i))
		n /= len(values)
	}
	return arguments
}

// framePage returns one frame in its best form.
func framePage(bundle protocol.MimeBundle, metadata map[string]any) string {
	text, _ := bundle[textPlain].(string)
	for _, kind := range []string{imagePNG, imageJPEG, "image/gif"} {
		picture, ok := bundle[kind].(string)
		if !ok {
			continue
		}
		width, shown := "", kind
		if size, ok := metadata[kind].(map[string]any); ok {
			width = fmt.Sprintf(` width="%v" height="%v"`, size["width"], size["height"])
		}
		if kind == imagePNG {
			shown, picture = smallerPNG(picture)
		}
		return fmt.Sprintf(`<img src="data:%s;base64,%s" alt="%s"%s style="max-width:100%%;height:auto">`, shown, picture, html.EscapeString(text), width)
	}
	for _, kind := range []string{imageSVG, textHTML} {
		if page, ok := bundle[kind].(string); ok {
			return page
		}
	}
	return "<pre>" + html.EscapeString(text) + "</pre>"
}

// smallerPNG returns the smallest of three encodings of a PNG bitmap: the bitmap itself; one with a
// palette, if it has few colors after the low bits of each channel are dropped, as lines and points
// have; and a JPEG, if nothing is transparent, as for shaded spheres.
func smallerPNG(encodedPicture string) (kind, smallest string) {
	content, err := base64.StdEncoding.DecodeString(encodedPicture)
	if err != nil {
		return imagePNG, encodedPicture
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		return imagePNG, encodedPicture
	}
	kind = imagePNG
	var written bytes.Buffer
	if few := paletted(picture); few != nil {
		if err := png.Encode(&written, few); err == nil && written.Len() < len(content) {
			content = bytes.Clone(written.Bytes())
		}
	}
	if opaque, ok := picture.(interface{ Opaque() bool }); ok && opaque.Opaque() {
		written.Reset()
		if err := jpeg.Encode(&written, picture, &jpeg.Options{Quality: frameQuality}); err == nil && written.Len() < len(content) {
			kind, content = imageJPEG, written.Bytes()
		}
	}
	return kind, encoded(content)
}

// frameQuality is the quality of frames in JPEG format: letters in them stay sharp.
const frameQuality = 88

// paletted returns a bitmap with coarse colors; nil if there are more than 256.
func paletted(picture image.Image) *image.Paletted {
	bounds := picture.Bounds()
	reduced := image.NewPaletted(bounds, nil)
	index := map[color.RGBA]uint8{}
	at := func(x, y int) color.RGBA {
		r, g, b, a := picture.At(x, y).RGBA()
		return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
	}
	if direct, ok := picture.(*image.RGBA); ok {
		at = direct.RGBAAt
	}
	// Neighbors mostly have the same color.
	var last color.RGBA
	var i uint8
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if c := at(x, y); c != last || len(index) == 0 {
				last = c
				c = color.RGBA{coarse(c.R), coarse(c.G), coarse(c.B), c.A}
				known := false
				if i, known = index[c]; !known {
					if len(reduced.Palette) == 256 {
						return nil
					}
					i = uint8(len(reduced.Palette))
					index[c], reduced.Palette = i, append(reduced.Palette, c)
				}
			}
			reduced.Pix[reduced.PixOffset(x, y)] = i
		}
	}
	return reduced
}

// coarse rounds a channel to 16 levels that include black and white.
func coarse(channel uint8) uint8 {
	return uint8((uint(channel) + 8) / 17 * 17)
}

// message returns the output: the page with its script, the initial frame for readers without HTML,
// and a text.
func (m *frames) message() protocol.DisplayData {
	var names []string
	var ranges []map[string]any
	var starts []int
	for _, r := range m.ranges {
		labels := make([]string, len(r.Values))
		for i, value := range r.Values {
			labels[i] = strconv.FormatFloat(value, 'g', 4, 64)
		}
		ranges = append(ranges, map[string]any{"name": r.Name, "labels": labels})
		names = append(names, fmt.Sprintf("%s = %s", r.Name, strings.Join(labels, ", ")))
		starts = append(starts, r.Start)
	}
	pages := make([]any, len(m.pages))
	for i, page := range m.pages {
		if i != m.start { // which is already in the page
			pages[i] = page
		}
	}
	written, err := json.Marshal(map[string]any{"ranges": ranges, "frames": pages, "start": starts, "pace": framePace}) // escapes <
	if err != nil {
		panic(fmt.Errorf("display: Frames: %w", err)) // cannot happen: there are only strings and numbers
	}
	text, _ := m.still[textPlain].(string)
	data := protocol.MimeBundle{
		textPlain: cut(fmt.Sprintf("%d frames over %s\n%s", len(m.pages), strings.Join(names, "; "), text)),
		textHTML: "<div class=\"gosphere-frames\">\n<div class=\"gosphere-frame\">" + m.pages[m.start] + "</div>\n<script type=\"application/json\">" +
			string(written) + "</script>\n<script>\n" + compact(framesScript) + "\n</script>\n</div>\n",
	}
	metadata := map[string]any{}
	if picture, ok := m.still[imagePNG]; ok {
		data[imagePNG] = picture
		metadata = m.size
	}
	return protocol.DisplayData{Data: data, Metadata: metadata}
}
