package display

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image"
	"image/gif"
	"math"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"gosphere/internal/userfile"
	"gosphere/kernel/protocol"
)

// mediaLimit is the maximum size of a picture, sound or video in a notebook.
const mediaLimit = 64 << 20

// GIF shows a picture in GIF format, which may be animated.
func GIF(picture []byte) { showMedia("image/gif", picture) }

// Audio shows a player for a sound, such as the content of a WAV, MP3 or Ogg file.
func Audio(sound []byte) {
	kind := mediaKind(sound)
	if !strings.HasPrefix(kind, "audio/") {
		kind = "audio/mpeg" // sounds that the standard library does not recognize are mostly MP3
	}
	showMedia(kind, sound)
}

// Video shows a player for a video, such as the content of an MP4 or WebM file.
func Video(film []byte) {
	kind := mediaKind(film)
	if !strings.HasPrefix(kind, "video/") {
		kind = "video/mp4"
	}
	showMedia(kind, film)
}

// Sound shows a player for samples between −1 and 1, with rate samples per second. It panics if
// rate is below 1 or a sample is NaN.
func Sound(samples []float64, rate int) {
	if rate < 1 {
		panic(fmt.Errorf("display: Sound: rate %d, want at least 1 sample per second", rate))
	}
	wav := []byte("RIFF\x00\x00\x00\x00WAVEfmt ")
	size := uint32(2 * len(samples))
	binary.LittleEndian.PutUint32(wav[4:], 36+size)
	for _, field := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2 * rate), uint16(2), uint16(16)} {
		wav, _ = binary.Append(wav, binary.LittleEndian, field) // never fails for numbers
	}
	wav = binary.LittleEndian.AppendUint32(append(wav, "data"...), size)
	for i, x := range samples {
		if math.IsNaN(x) {
			panic(fmt.Errorf("display: Sound: sample %d is %v", i, x))
		}
		wav = binary.LittleEndian.AppendUint16(wav, uint16(int16(math.Round(max(-1, min(1, x))*math.MaxInt16))))
	}
	showMedia("audio/wave", wav)
}

// File shows a file by its content: a picture, a sound, a video, HTML, Markdown, SVG, JSON, a table
// of comma-separated values, or text. It panics if the file cannot be read.
func File(path string) {
	content, err := userfile.ReadFile(path, userfile.Picture)
	if err != nil {
		panic(fmt.Errorf("display: File: %w", err))
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".html", ".htm":
		HTML(string(content))
	case ".md":
		Markdown(string(content))
	case ".svg":
		SVG(string(content))
	case ".json", ".ipynb":
		var tree any
		if err := json.Unmarshal(content, &tree); err != nil {
			panic(fmt.Errorf("display: File: %s: %w", path, err))
		}
		JSON(tree)
	case ".csv", ".tsv":
		showSeparated(path, content, ending == ".tsv")
	default:
		kind := mediaKind(content)
		if !isMedia(kind) {
			if named, _, _ := strings.Cut(mime.TypeByExtension(ending), ";"); isMedia(named) {
				kind = named
			}
		}
		if isMedia(kind) {
			showMedia(kind, content)
			return
		}
		Show(content)
	}
}

// showSeparated shows a table of comma-separated values whose first record is the header.
func showSeparated(path string, content []byte, tabs bool) {
	reader := csv.NewReader(bytes.NewReader(content))
	if tabs {
		reader.Comma = '\t'
	}
	records, err := reader.ReadAll()
	if err != nil {
		panic(fmt.Errorf("display: File: %s: %w", path, err))
	}
	if len(records) < 2 {
		Show(content)
		return
	}
	Table(records[1:], records[0]...)
}

// mediaKind returns the content type of bytes by their signature, without parameters.
func mediaKind(content []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(content), ";")
	switch {
	case kind == "application/ogg":
		return "audio/ogg"
	case bytes.HasPrefix(content, []byte("fLaC")):
		return "audio/flac"
	case len(content) > 1 && content[0] == 0xff && content[1]&0xe6 == 0xe2: // an MPEG layer 3 frame without a preceding header
		return "audio/mpeg"
	}
	return kind
}

// isMedia reports whether browsers show a content type as a picture, a sound or a video.
func isMedia(kind string) bool {
	return strings.HasPrefix(kind, "image/") && kind != "image/svg+xml" || strings.HasPrefix(kind, "audio/") || strings.HasPrefix(kind, "video/")
}

func showMedia(kind string, content []byte) {
	data, _ := mediaForms(kind, content)
	publish(protocol.DisplayData{Data: data, Metadata: map[string]any{}})
}

// mediaForms returns the forms of a picture, a sound or a video. Bitmaps other than PNG and JPEG
// are embedded in HTML, because some notebook readers do not support their types.
func mediaForms(kind string, content []byte) (data protocol.MimeBundle, err error) {
	text := fmt.Sprintf("%s, %d bytes", kind, len(content))
	if config, _, err := image.DecodeConfig(bytes.NewReader(content)); err == nil {
		text = fmt.Sprintf("%s %d×%d, %d bytes", kind, config.Width, config.Height, len(content))
	}
	data = protocol.MimeBundle{textPlain: text}
	if len(content) > mediaLimit {
		data[textPlain] = text + fmt.Sprintf("\ndisplay: not shown: the limit is %d bytes", mediaLimit)
		return data, errors.New("too large")
	}
	source := "data:" + kind + ";base64," + encoded(content)
	class, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == imagePNG, kind == imageJPEG:
		data[kind] = encoded(content)
	case class == "image":
		data[textHTML] = fmt.Sprintf(`<img src="%s" alt="%s">`, source, html.EscapeString(text))
	case class == "audio":
		data[textHTML] = fmt.Sprintf(`<audio controls src="%s"></audio>`, source)
	default:
		data[textHTML] = fmt.Sprintf(`<video controls style="max-width:100%%" src="%s"></video>`, source)
	}
	return data, nil
}

// byteForms adds the forms of an animation and of a slice of bytes that contains a picture, a sound
// or a video.
func byteForms(value any, data protocol.MimeBundle) error {
	var content []byte
	kind := ""
	switch value := value.(type) {
	case *gif.GIF:
		var written bytes.Buffer
		if err := guard("encoding the animation", func() error { return gif.EncodeAll(&written, value) }); err != nil {
			return err
		}
		content, kind = written.Bytes(), "image/gif"
	case []byte:
		content, kind = value, mediaKind(value)
	}
	if !isMedia(kind) || len(content) > mediaLimit {
		return nil
	}
	forms, err := mediaForms(kind, content)
	if err == nil {
		for mime, form := range forms {
			data[mime] = form
		}
	}
	return nil
}

// Limits for bytes that are not text.
const (
	fewBytes  = 32 // at most this many are shown as numbers
	dumpBytes = 256
)

// bytesText returns a slice of bytes as text if it is readable, else as numbers if it is short,
// else in hexadecimal.
func bytesText(content []byte) string {
	switch {
	case readable(content):
		return cut(string(content))
	case len(content) <= fewBytes:
		return fmt.Sprint(content)
	}
	text := strings.TrimRight(hex.Dump(content[:min(len(content), dumpBytes)]), "\n")
	if len(content) > dumpBytes {
		text += "\n…"
	}
	return fmt.Sprintf("%d bytes, %s\n%s", len(content), http.DetectContentType(content), text)
}

// readable reports whether bytes are text: UTF-8 without control characters.
func readable(content []byte) bool {
	if len(content) == 0 || !utf8.Valid(content) {
		return false
	}
	for _, letter := range string(content[:min(len(content), textLimit)]) {
		if unicode.IsControl(letter) && !strings.ContainsRune("\n\r\t\x1b\b\f", letter) {
			return false
		}
	}
	return true
}
