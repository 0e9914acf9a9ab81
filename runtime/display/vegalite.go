package display

import (
	"encoding/json"
	"errors"
	"fmt"

	"gosphere/kernel/protocol"
)

const vegaLite = "application/vnd.vegalite.v5+json"

// VegaLite shows an interactive figure: a specification of Vega-Lite 5, as JSON text or as a value
// that is encoded as JSON. JupyterLab renders it. Front ends that do not, such as a page of
// nbconvert, show the picture in PNG format, if one is given. For a value with the method
// VegaLite() (map[string]any, error), such as a figure of package figure, it shows the
// specification that the method returns and, unless a picture is given, the value's own PNG. It
// panics if the specification is not a JSON object or a method of the value fails.
func VegaLite(specification any, picture ...[]byte) {
	metadata := map[string]any{}
	if value, ok := specification.(twinned); ok {
		var err error
		if specification, picture, err = interactive(value, picture); err != nil {
			panic(fmt.Errorf("display: VegaLite: %w", err))
		}
		if sized, ok := value.(interface{ DisplaySize() (int, int) }); ok {
			metadata[imagePNG] = pixelSize(sized.DisplaySize())
		}
	}
	tree, err := vegaTree(specification)
	if err != nil {
		panic(fmt.Errorf("display: VegaLite: %w", err))
	}
	data := protocol.MimeBundle{vegaLite: tree, textPlain: vegaText(tree)}
	if len(picture) > 0 {
		data[imagePNG] = encoded(picture[0])
	}
	publish(protocol.DisplayData{Data: data, Metadata: metadata})
}

// A twinned value provides the specification of its interactive form.
type twinned interface {
	VegaLite() (map[string]any, error)
}

// interactive returns the specification of a value that provides one, and its picture if it has
// one.
func interactive(value twinned, picture [][]byte) (specification any, pictures [][]byte, err error) {
	if isNilPointer(value) {
		return nil, nil, errors.New("want a figure, not nil")
	}
	tree, err := value.VegaLite()
	if err != nil {
		return nil, nil, err
	}
	if drawn, ok := value.(interface{ PNG() ([]byte, error) }); ok && len(picture) == 0 {
		bitmap, err := drawn.PNG()
		if err != nil {
			return nil, nil, err
		}
		picture = [][]byte{bitmap}
	}
	return tree, picture, nil
}

// vegaTree returns a copy of the specification as JSON values.
func vegaTree(specification any) (map[string]any, error) {
	var written []byte
	switch s := specification.(type) {
	case string:
		written = []byte(s)
	case []byte:
		written = s
	default:
		var err error
		if written, err = json.Marshal(specification); err != nil {
			return nil, err
		}
	}
	var tree map[string]any
	if err := json.Unmarshal(written, &tree); err != nil {
		return nil, fmt.Errorf("want a JSON object: %w", err)
	}
	if tree == nil {
		return nil, errors.New("want a JSON object, not null")
	}
	return tree, nil
}

// vegaText describes the figure for readers who cannot see it.
func vegaText(tree map[string]any) string {
	switch title := tree["title"].(type) {
	case string:
		return "Vega-Lite figure: " + title
	case map[string]any:
		if text, ok := title["text"].(string); ok {
			return "Vega-Lite figure: " + text
		}
	}
	if text, ok := tree["description"].(string); ok {
		return "Vega-Lite figure: " + text
	}
	return "Vega-Lite figure"
}
