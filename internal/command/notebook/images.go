package notebook

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	_ "image/jpeg" // decodes pictures of cells
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"gosphere/kernel/protocol"
)

// ImagesVariable is the environment variable that selects how a terminal shows pictures: kitty,
// iterm, sixel, open or none. Without it the protocol is derived from the terminal's own variables.
const ImagesVariable = "GOSPHERE_IMAGES"

// imageProtocol returns the image protocol of the terminal that the environment describes, or ""
// for none.
func imageProtocol(environment func(string) string) string {
	switch way := environment(ImagesVariable); way {
	case "kitty", "iterm", "sixel":
		return way
	case openImages, "none":
		return ""
	}
	program, kind := environment("TERM_PROGRAM"), environment("TERM")
	switch {
	case environment("TMUX") != "" || strings.HasPrefix(kind, "screen"):
		return "" // a multiplexer forwards pictures only if configured to
	case environment("KITTY_WINDOW_ID") != "", kind == "xterm-kitty", kind == "xterm-ghostty", program == "ghostty":
		return "kitty"
	case program == "iTerm.app", environment("LC_TERMINAL") == "iTerm2", program == "WezTerm", program == "mintty":
		return "iterm"
	case strings.Contains(kind, "sixel"), kind == "foot", strings.HasPrefix(kind, "foot-"), kind == "mlterm", kind == "contour":
		return "sixel"
	}
	return ""
}

// picture returns the bitmap of an output, or nil if it has none.
func picture(data protocol.MimeBundle) []byte {
	for _, kind := range []string{"image/png", "image/jpeg"} {
		if text, ok := data[kind].(string); ok {
			if content, err := base64.StdEncoding.DecodeString(text); err == nil && len(content) > 0 {
				return content
			}
		}
	}
	return nil
}

// drawn returns the escape sequence that shows a bitmap in a terminal. If the terminal shows none,
// it writes the picture to a file and returns a line with its path.
func drawn(content []byte, way, folder string, number int) (string, error) {
	switch way {
	case "kitty":
		return kitty(content)
	case "iterm":
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;preserveAspectRatio=1:%s\a\n", len(content), base64.StdEncoding.EncodeToString(content)), nil
	case "sixel":
		return sixel(content)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	name := pictureFile(folder, number)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return "", err
	}
	return "(" + name + ")\n", nil
}

// pictureFile returns the path of a picture that the terminal cannot show.
func pictureFile(folder string, number int) string {
	return filepath.Join(folder, fmt.Sprintf("figure-%d.png", number))
}

// kittyPart is the maximum number of bytes of a picture in one escape sequence of kitty.
const kittyPart = 4096

// kitty encodes a PNG bitmap for kitty's graphics protocol.
func kitty(content []byte) (string, error) {
	if !bytes.HasPrefix(content, []byte("\x89PNG")) {
		decoded, _, err := image.Decode(bytes.NewReader(content))
		if err != nil {
			return "", err
		}
		var written bytes.Buffer
		if err := png.Encode(&written, decoded); err != nil {
			return "", err
		}
		content = written.Bytes()
	}
	rest := base64.StdEncoding.EncodeToString(content)
	var text strings.Builder
	head := "f=100,a=T,"
	for rest != "" {
		part := rest[:min(len(rest), kittyPart)]
		rest = rest[len(part):]
		more := 0
		if rest != "" {
			more = 1
		}
		fmt.Fprintf(&text, "\x1b_G%sm=%d;%s\x1b\\", head, more, part)
		head = ""
	}
	return text.String() + "\n", nil
}

// sixelHeight is the number of pixel rows in a line of sixels.
const sixelHeight = 6

// sixel encodes a bitmap as sixel graphics, in 256 colors on white.
func sixel(content []byte) (string, error) {
	decoded, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	bounds := decoded.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	white := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(white, white.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(white, white.Bounds(), decoded, bounds.Min, draw.Over)
	indexed := inPalette(white)
	var text strings.Builder
	fmt.Fprintf(&text, "\x1bPq\"1;1;%d;%d", width, height)
	for i, c := range indexed.Palette {
		r, g, b, _ := c.RGBA()
		fmt.Fprintf(&text, "#%d;2;%d;%d;%d", i, r*100/0xffff, g*100/0xffff, b*100/0xffff)
	}
	for top := 0; top < height; top += sixelHeight {
		sixelLine(&text, indexed, top)
	}
	text.WriteString("\x1b\\\n")
	return text.String(), nil
}

// fewColors is the number of colors up to which a picture is a drawing, such as a figure.
const fewColors = 4096

// inPalette returns a picture in 256 colors. In drawings each color becomes the nearest one, which
// is looked up once and leaves areas even; photographs are dithered, which takes a second or more.
func inPalette(picture *image.RGBA) *image.Paletted {
	indexed := image.NewPaletted(picture.Bounds(), palette.Plan9)
	nearest := map[color.RGBA]uint8{}
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			c := picture.RGBAAt(x, y)
			index, known := nearest[c]
			if !known {
				if len(nearest) == fewColors {
					draw.FloydSteinberg.Draw(indexed, indexed.Bounds(), picture, image.Point{})
					return indexed
				}
				index = uint8(indexed.Palette.Index(c))
				nearest[c] = index
			}
			indexed.SetColorIndex(x, y, index)
		}
	}
	return indexed
}

// sixelLine writes six rows of pixels: for each color the columns that contain it.
func sixelLine(text *strings.Builder, picture *image.Paletted, top int) {
	width, height := picture.Rect.Dx(), picture.Rect.Dy()
	columns := map[uint8][]byte{}
	for y := top; y < min(top+sixelHeight, height); y++ {
		for x := range width {
			c := picture.ColorIndexAt(x, y)
			if columns[c] == nil {
				columns[c] = make([]byte, width)
			}
			columns[c][x] |= 1 << (y - top)
		}
	}
	for c := range picture.Palette {
		line := columns[uint8(c)]
		if line == nil {
			continue
		}
		fmt.Fprintf(text, "#%d", c)
		for x := 0; x < width; {
			run := 1
			for x+run < width && line[x+run] == line[x] {
				run++
			}
			if letter := rune('?' + line[x]); run > 3 {
				fmt.Fprintf(text, "!%d%c", run, letter)
			} else {
				text.WriteString(strings.Repeat(string(letter), run))
			}
			x += run
		}
		text.WriteByte('$')
	}
	text.WriteByte('-')
}
