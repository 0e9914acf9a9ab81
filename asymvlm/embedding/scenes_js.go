package embedding

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// scenesPath is the path of the built-in data set. The page has the files of the folder /gosphere
// and downloads each when it is opened for the first time, so that the program itself, which every
// reader downloads, is smaller.
const scenesPath = "/gosphere/scenes_minilm_int8.npz"

// readScenes returns the content of the file scenes_minilm_int8.npz.
func readScenes() ([]byte, error) {
	data, err := os.ReadFile(scenesPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("embedding: scenes_minilm: this site lacks the file scenes_minilm_int8.npz beside the kernel; " +
			"build the site again with gosphere site and a complete folder gosphere-browser")
	}
	if err != nil {
		return nil, fmt.Errorf("embedding: scenes_minilm cannot be downloaded, and the browser has not kept it from an earlier use: %w", err)
	}
	return data, nil
}
