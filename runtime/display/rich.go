package display

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"

	"gosphere/kernel/protocol"
)

// pixelLimit is the maximum size of an encoded picture. image.Uniform, for instance, is 2·10⁹
// pixels wide.
const pixelLimit = 64 << 20

// richForms returns the forms of a value other than text/plain, and the displayed sizes of its
// bitmaps. The error names the first method that failed.
func richForms(value any) (data protocol.MimeBundle, sizes map[string]any, err error) {
	data = protocol.MimeBundle{}
	var bundle func() (map[string]any, error)
	switch bundler := value.(type) {
	case interface{ MimeBundle() map[string]any }:
		bundle = func() (map[string]any, error) { return bundler.MimeBundle(), nil }
	case interface {
		MimeBundle() (map[string]any, error)
	}:
		bundle = bundler.MimeBundle
	}
	if bundle != nil {
		err := guard("MimeBundle", func() error {
			forms, err := bundle()
			maps.Copy(data, forms)
			return err
		})
		for mime, form := range data { // bytes are pictures; everything else is already JSON
			if picture, ok := form.([]byte); ok {
				data[mime] = encoded(picture)
			}
		}
		return data, bitmapSizes(value, data), err
	}
	for _, form := range []func(any, protocol.MimeBundle) error{textForms, pictureForms, byteForms, knownPicture, vectorForms} {
		if err := form(value, data); err != nil {
			return nil, nil, err
		}
	}
	return data, bitmapSizes(value, data), nil
}

// textForms adds the forms that are strings.
func textForms(value any, data protocol.MimeBundle) error {
	add := func(mime, method string, call func() string) error {
		return guard(method, func() error {
			data[mime] = call()
			return nil
		})
	}
	if v, ok := value.(interface{ HTML() string }); ok {
		if err := add(textHTML, "HTML", v.HTML); err != nil {
			return err
		}
	}
	if v, ok := value.(interface{ Markdown() string }); ok {
		if err := add(textMarkdown, "Markdown", v.Markdown); err != nil {
			return err
		}
	}
	if v, ok := value.(interface{ LaTeX() string }); ok {
		if err := add(textLaTeX, "LaTeX", v.LaTeX); err != nil {
			return err
		}
	}
	if v, ok := value.(interface{ SVG() string }); ok {
		return add(imageSVG, "SVG", v.SVG)
	}
	return nil
}

// pictureForms adds the forms that are bytes.
func pictureForms(value any, data protocol.MimeBundle) error {
	add := func(mime, method string, call func() ([]byte, error)) error {
		return guard(method, func() error {
			picture, err := call()
			if err == nil {
				data[mime] = encoded(picture)
			}
			return err
		})
	}
	if v, ok := value.(interface{ PNG() ([]byte, error) }); ok {
		if err := add(imagePNG, "PNG", v.PNG); err != nil {
			return err
		}
	}
	if v, ok := value.(interface{ JPEG() ([]byte, error) }); ok {
		return add(imageJPEG, "JPEG", v.JPEG)
	}
	return nil
}

// knownPicture adds the bitmap of an image, or of a value with a registered form, without such a
// method of its own.
func knownPicture(value any, data protocol.MimeBundle) error {
	if len(data) > 0 {
		return nil
	}
	if form, ok := formOf(value); ok && form.PNG != nil {
		// Drawing panics, for instance, for a logarithmic axis that includes zero.
		return guard("drawing the plot", func() error {
			picture, err := form.PNG()
			data[imagePNG] = encoded(picture)
			return err
		})
	}
	switch value := value.(type) {
	case image.Image:
		size := value.Bounds().Size()
		if size.X <= 0 || size.Y <= 0 || size.X > pixelLimit/size.Y {
			return nil
		}
		return guard("encoding the image", func() error {
			var picture bytes.Buffer
			err := png.Encode(&picture, value)
			data[imagePNG] = encoded(picture.Bytes())
			return err
		})
	}
	return nil
}

// bitmapSizes returns the metadata of bitmaps whose resolution is higher than their displayed size.
func bitmapSizes(value any, data protocol.MimeBundle) map[string]any {
	sizes := map[string]any{}
	width, height := 0, 0
	switch value := value.(type) {
	case interface{ DisplaySize() (int, int) }:
		if err := guard("DisplaySize", func() error {
			width, height = value.DisplaySize()
			return nil
		}); err != nil {
			return sizes // the picture is usable without its size
		}
	default:
		form, _ := formOf(value)
		width, height = form.Width, form.Height
	}
	if _, ok := data[imagePNG]; ok && width > 0 && height > 0 {
		sizes[imagePNG] = pixelSize(width, height)
	}
	return sizes
}

// guard calls a method of a user's type and converts a panic to an error. runtime.Goexit, by which
// an interrupt ends a cell, passes through.
func guard(task string, call func() error) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("display: %s panicked: %s", task, cut(fmt.Sprint(problem)))
		}
	}()
	if err := call(); err != nil {
		return fmt.Errorf("display: %s failed: %w", task, err)
	}
	return nil
}
