package display

import (
	"encoding/json"
	"errors"
	"fmt"

	"gosphere/kernel/protocol"
)

const vegaLite = "application/vnd.vegalite.v5+json"

// VegaLite shows an interactive figure: a specification of Vega-Lite 5, as JSON text or as a
// value that is written as JSON. JupyterLab draws it by itself. Where that is not so, as in a
// page of nbconvert, the picture in PNG format is shown, if one is given. It panics for a
// specification that is no JSON object.
func VegaLite(specification any, picture ...[]byte) {
	tree, err := vegaTree(specification)
	if err != nil {
		panic(fmt.Errorf("display: VegaLite: %w", err))
	}
	data := protocol.MimeBundle{vegaLite: tree, textPlain: vegaText(tree)}
	if len(picture) > 0 {
		data[imagePNG] = encoded(picture[0])
	}
	publish(protocol.DisplayData{Data: data, Metadata: map[string]any{}})
}

// vegaTree returns the specification as JSON values of its own.
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

// vegaText names the figure for those who cannot see it.
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
