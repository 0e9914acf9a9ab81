//go:build !js

package embedding

import _ "embed" // for the stored embeddings

// scenesFile holds 5,000 scenes and 10,000 captions; scenes_minilm/NOTE.txt documents their origin
// and licenses.
//
//go:embed scenes_minilm/scenes_minilm_int8.npz
var scenesFile []byte

// readScenes returns the content of the file scenes_minilm_int8.npz.
func readScenes() ([]byte, error) { return scenesFile, nil }
