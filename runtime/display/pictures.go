package display

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"gosphere/internal/userfile"
	"gosphere/kernel/protocol"
)

// picturesVariable is the environment variable with the folder into which a compiled program writes
// the pictures that it shows. Without it only the text of a picture is printed.
const picturesVariable = "GOSPHERE_FIGURES"

// pictures counts the pictures written.
var pictures atomic.Int64

// savePicture writes the picture of an output of a compiled program and returns a note about it
// such as " (figure-1.png)". It returns "" if there is no picture or no folder for it.
func savePicture(data protocol.MimeBundle) string {
	folder := os.Getenv(picturesVariable)
	if folder == "" {
		return ""
	}
	for _, kind := range []struct{ mime, ending string }{{imageSVG, "svg"}, {imagePNG, "png"}, {imageJPEG, "jpeg"}} {
		picture, ok := pictureBytes(data[kind.mime])
		if !ok {
			continue
		}
		name := fmt.Sprintf("figure-%d.%s", pictures.Add(1), kind.ending)
		err := os.MkdirAll(folder, 0o755)
		if err == nil {
			err = userfile.CheckBelow(folder, name)
		}
		if err == nil {
			err = userfile.Write(filepath.Join(folder, name), picture)
		}
		if err != nil {
			return fmt.Sprintf(" (%v)", err)
		}
		return " (" + name + ")"
	}
	return ""
}

// pictureBytes returns the content of a picture file: the text of an SVG, or the bytes of a bitmap.
func pictureBytes(form any) ([]byte, bool) {
	switch form := form.(type) {
	case []byte:
		return form, true
	case string:
		if strings.HasPrefix(strings.TrimSpace(form), "<") {
			return []byte(form), true
		}
		decoded, err := base64.StdEncoding.DecodeString(form)
		return decoded, err == nil && len(decoded) > 0
	}
	return nil, false
}
