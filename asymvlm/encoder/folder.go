package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/encoder/tokenizer"
	"gosphere/asymvlm/encoder/tower"
	"gosphere/internal/userfile"
)

// FoldersVariable is the environment variable that lists folders of models, separated as in PATH.
const FoldersVariable = "GOSPHERE_ENCODERS"

// Folders returns the folders in which Open looks for a name: those of the environment variable
// GOSPHERE_ENCODERS and CacheFolder.
func Folders() []string {
	var folders []string
	for _, dir := range filepath.SplitList(os.Getenv(FoldersVariable)) {
		if dir != "" {
			folders = append(folders, dir)
		}
	}
	if cache := CacheFolder(); cache != "" {
		folders = append(folders, cache)
	}
	return folders
}

// CacheFolder returns the folder to which `gosphere encoder get` downloads models, in the user's
// cache. It is "" if the system has no such cache.
func CacheFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "gosphere", "encoders")
}

// find returns the path of a model: the given path if it exists, or a folder of that name.
func find(nameOrPath string) (string, error) {
	if nameOrPath == "" {
		return "", errors.New("encoder: no name and no path")
	}
	if _, err := os.Stat(nameOrPath); err == nil {
		return nameOrPath, nil
	}
	if filepath.Base(nameOrPath) == nameOrPath {
		for _, dir := range Folders() {
			path := filepath.Join(dir, nameOrPath)
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				return path, nil
			}
		}
	}
	help := "Give the path of a model folder, or set " + FoldersVariable + " to a folder that holds it"
	if known := Known(nameOrPath); known != nil {
		help = known.Help()
	}
	return "", fmt.Errorf("encoder: there is no %s, neither as a path nor in %s: %w\n%s", nameOrPath, strings.Join(Folders(), ", "), fs.ErrNotExist, help)
}

// nameOf returns the last element of a path.
func nameOf(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return filepath.Base(path)
}

// errNone is the error for folders without a tokenizer.
var errNone = errors.New("no tokenizer")

// folderOf returns path if it is a folder, and the folder of the file otherwise.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}

// openTokenizer opens the tokenizer of a folder.
func openTokenizer(path string, options tokenizer.Options) (*tokenizer.Tokenizer, error) {
	t, err := tokenizer.Open(path, options)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", errNone, err)
	}
	return t, err
}

// readSentence reads the settings of sentence-transformers, the longest text and the pooling.
// Without these settings a BERT uses mean pooling.
func (e *Encoder) readSentence() error {
	if e.Model.Family != "bert" {
		return nil
	}
	var sentence struct {
		Longest int `json:"max_seq_length"`
	}
	if err := readJSON(filepath.Join(folderOf(e.Dir), "sentence_bert_config.json"), &sentence); err != nil {
		return err
	}
	if sentence.Longest > 0 {
		e.Limit = min(e.Limit, sentence.Longest)
	}
	pooling := map[string]any{}
	path := filepath.Join(folderOf(e.Dir), "1_Pooling", "config.json")
	if err := readJSON(path, &pooling); err != nil {
		return err
	}
	chosen := 0
	for name, value := range pooling {
		if value != true || !strings.HasPrefix(name, "pooling_mode_") {
			continue
		}
		chosen++
		switch name {
		case "pooling_mode_mean_tokens":
			e.Model.Text.Pooling = tower.PoolMean
		case "pooling_mode_cls_token":
			e.Model.Text.Pooling = tower.PoolFirst
		default:
			return fmt.Errorf("%s: %s is not supported, want mean_tokens or cls_token", path, name)
		}
	}
	if chosen > 1 {
		return fmt.Errorf("%s: %d poolings, want one", path, chosen)
	}
	return nil
}

// readJSON decodes a JSON file if it exists.
func readJSON(path string, value any) error {
	text, err := userfile.ReadFile(path, userfile.Table)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
