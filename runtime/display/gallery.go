package display

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	_ "image/gif" // registers a file format
	"image/jpeg"
	"path/filepath"
	"strings"

	_ "golang.org/x/image/bmp" // registers a file format
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers a file format

	"gosphere/internal/userfile"
	"gosphere/kernel/protocol"
)

// A Picture is one picture of a Gallery.
type Picture struct {
	// File is the path of a JPEG, PNG, GIF, WebP or BMP file. It is ignored if Image is not nil.
	File  string
	Image image.Image
	// Caption is shown below the picture.
	Caption string
}

// galleryHeight is the height of the pictures of a gallery in pixels.
const galleryHeight = 140

// Gallery shows pictures side by side with their captions, all at the same height. The notebook
// stores them at reduced size. A file that cannot be read is shown as its name with the reason.
func Gallery(pictures ...Picture) {
	var page, text strings.Builder
	page.WriteString(`<div style="display:flex;flex-wrap:wrap;gap:12px">`)
	for _, p := range pictures {
		name := filepath.Base(p.File)
		if p.File == "" {
			name = "picture"
		}
		small, err := p.small()
		page.WriteString(`<figure style="margin:0;max-width:260px">`)
		if err != nil {
			fmt.Fprintf(&page, `<div style="height:%dpx">%s</div>`, galleryHeight, html.EscapeString(name+": "+err.Error()))
			fmt.Fprintf(&text, "%s: %v", name, err)
		} else {
			fmt.Fprintf(&page, `<img height="%d" alt="%s" src="data:image/jpeg;base64,%s">`, galleryHeight, html.EscapeString(p.Caption), base64.StdEncoding.EncodeToString(small))
			text.WriteString(name)
		}
		fmt.Fprintf(&page, `<figcaption style="font-size:smaller">%s</figcaption></figure>`, html.EscapeString(p.Caption))
		fmt.Fprintf(&text, "\t%s\n", p.Caption)
	}
	page.WriteString(`</div>`)
	publish(protocol.DisplayData{Data: protocol.MimeBundle{textHTML: page.String(), textPlain: cut(text.String())}, Metadata: map[string]any{}})
}

// small returns the picture as a JPEG of twice the height of a gallery, for high-resolution
// screens.
func (p Picture) small() ([]byte, error) {
	m := p.Image
	if m == nil {
		file, err := userfile.Open(p.File)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if m, _, err = image.Decode(file); err != nil {
			return nil, err
		}
	}
	size := m.Bounds().Size()
	if size.X == 0 || size.Y == 0 {
		return nil, fmt.Errorf("%d×%d pixels", size.X, size.Y)
	}
	height := min(size.Y, 2*galleryHeight)
	scaled := image.NewRGBA(image.Rect(0, 0, max(1, min(size.X*height/size.Y, 8*galleryHeight)), height))
	draw.Draw(scaled, scaled.Bounds(), image.White, image.Point{}, draw.Src) // background of transparent pixels
	draw.CatmullRom.Scale(scaled, scaled.Bounds(), m, m.Bounds(), draw.Over, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scaled, &jpeg.Options{Quality: 85}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
