package embedding

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/userfile"
)

// The file names inside a folder embeddings/<data>/<split> follow the paper's reference
// implementation (cache_embeddings.py), which stores image.pt, text.pt and cap_id_to_img_id.json.
const (
	imageName         = "image"
	textName          = "text"
	tableFile         = "cap_id_to_img_id.json"
	captionsFile      = "captions.json"
	tableName         = "caption_images"
	captionIDsName    = "caption_ids"
	captionTokensName = "caption_tokens"
)

// extensions are the file extensions of embeddings.
var extensions = []string{".npy", ".npz", ".safetensors", ".parquet"}

// ReadSet reads a folder of cached embeddings in the layout of the paper's reference
// implementation:
//
//	embeddings/coco/val/
//	    image.npy               N×D, one row per image (or images.npy)
//	    text.npy                M×D, one row per caption, not normalized (or texts.npy)
//	    cap_id_to_img_id.json   caption to image, {"0": 0, "1": 0, …} or [0, 0, …], or to all images that it describes, {"0": [0, 4], …}
//	    captions.json           the captions, a list of strings; optional
//	    caption_ids.npy         the captions' identifiers; optional
//	    image_ids.npy           the images' identifiers; optional
//	    caption_tokens.npy      the captions' lengths in tokens; optional
//	    image_features.npy      N×P, inputs of the image encoder's last linear layer for the rows of image.npy; optional
//	    text_features.npy       M×P′, the same for the texts; both or neither
//	embeddings/coco/
//	    image_projection.npy    D×P, that layer's weights as torch.nn.Linear stores them; in the split's folder or here
//	    text_projection.npy     D×P′
//	    image_projection_bias.npy, text_projection_bias.npy   D numbers; optional
//
// The features are for bayesvlm. In Hugging Face's CLIPModel they are pooler_output of vision_model
// and text_model, and the projections are visual_projection.weight and text_projection.weight;
// OpenAI's program stores both projections transposed.
//
// The rows of a matrix may be split over several .npy, .safetensors or .parquet files:
// image_0000.npy, image_0001.npy, …
//
// Each matrix may be in a .npy, .npz, .safetensors or .parquet file. In the latter three it is the
// array with the file's name, or the only array. In Parquet it is a column of lists of numbers, and
// a column caption, text or title holds the captions. An int8 array text is accompanied by a
// float32 array text_scale of one factor per row, value = stored·scale. The table may also be the
// array caption_images and the identifiers the array caption_ids, in the file of the texts or in
// caption_images.npy. Numbers are converted to float32. The set's name is the last two folders,
// here coco/val.
//
// The paper's .pt files are Python pickles and cannot be read; the error explains how to convert
// them. Errors name the file and the row.
func ReadSet(dir string) (*Set, error) {
	set := new(Set)
	images, err := findFiles(dir, imageName)
	if err != nil {
		return nil, err
	}
	texts, err := findFiles(dir, textName)
	if err != nil {
		return nil, err
	}
	if set.Images, _, err = readFiles(images, imageName); err != nil {
		return nil, err
	}
	var beside map[string]*Array
	if set.Texts, beside, err = readFiles(texts, textName); err != nil {
		return nil, err
	}
	return readRest(dir, set, [2]string{images[0], texts[0]}, beside)
}

// readRest reads everything but the embeddings of a set and checks the set. Paths are the first
// files of both sides, and beside holds the arrays stored with the texts.
func readRest(dir string, set *Set, paths [2]string, beside map[string]*Array) (*Set, error) {
	set.Name = setName(dir)
	if set.Images.Columns != set.Texts.Columns {
		return nil, inFile(paths[0], fmt.Errorf("images have %d columns, texts %d in %s", set.Images.Columns, set.Texts.Columns,
			filepath.Base(paths[1])))
	}
	var err error
	if err = readTable(dir, paths[1], beside, set); err != nil {
		return nil, err
	}
	if set.ImageIDs, err = readImageIDs(dir, set.Images.Rows); err != nil {
		return nil, err
	}
	if err := readCaptions(dir, paths[1], beside, set); err != nil {
		return nil, err
	}
	if set.ImageLayer, err = readLayer(dir, imageName); err != nil {
		return nil, err
	}
	if set.TextLayer, err = readLayer(dir, textName); err != nil {
		return nil, err
	}
	if err := set.Check(); err != nil {
		return nil, err
	}
	return set, nil
}

// readFiles reads a matrix from one file, with all arrays of the file, or from several files.
func readFiles(paths []string, name string) (Matrix, map[string]*Array, error) {
	if len(paths) == 1 {
		return readMatrix(paths[0], name)
	}
	stored, err := openStored(paths, name)
	if errors.Is(err, errInMemory) {
		m, err := joinedMatrix(paths, name)
		return m, nil, err
	}
	if err != nil {
		return Matrix{}, nil, err
	}
	m, err := stored.Matrix()
	return m, nil, err
}

// joinedMatrix reads a matrix from several files, each of which is read whole.
func joinedMatrix(paths []string, name string) (Matrix, error) {
	var all Matrix
	for i, path := range paths {
		m, _, err := readMatrix(path, name)
		if err != nil {
			return Matrix{}, err
		}
		if i == 0 {
			all.Columns = m.Columns
		}
		if m.Columns != all.Columns {
			return Matrix{}, inFile(path, fmt.Errorf("rows of %d columns, those of %s have %d", m.Columns, paths[0], all.Columns))
		}
		all.Rows, all.Values = all.Rows+m.Rows, append(all.Values, m.Values...)
	}
	return all, nil
}

// setName returns the last two folders of a path, which name the data set and its split.
func setName(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	return filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
}

// findFiles returns the files of a folder that hold the named matrix: one file, or several numbered
// ones.
func findFiles(dir, name string) ([]string, error) {
	var found []string
	for _, extension := range extensions {
		for _, stem := range []string{name, name + "s"} {
			path := filepath.Join(dir, stem+extension)
			if _, err := os.Stat(path); err == nil {
				found = append(found, path)
			}
		}
	}
	shards, err := findShards(dir, name)
	if err != nil {
		return nil, err
	}
	switch {
	case len(found) == 0 && len(shards) > 0:
		return shards, nil
	case len(found) == 1 && len(shards) == 0:
		return found, nil
	case len(found) == 0:
		return nil, missingFile(dir, name)
	default:
		both := append(found, shards...)
		return nil, fmt.Errorf("embedding: %s has both %s and %s, so it is not clear which counts", dir,
			filepath.Base(both[0]), filepath.Base(both[1]))
	}
}

// foreign lists file extensions that other programs use for embeddings, with Python code that
// converts such a file to .npy.
var foreign = []struct{ extension, kind, convert string }{
	{".pt", "a Python pickle", `numpy.save(%q, torch.load(%q).numpy())`},
}

// missingFile returns an error for a folder without the named matrix. It suggests a conversion if
// the folder has a file of another format.
func missingFile(dir, name string) error {
	for _, f := range foreign {
		path := filepath.Join(dir, name+f.extension)
		if _, err := os.Stat(path); err == nil {
			return fmt.Errorf("embedding: %s is %s; gosphere import reads it, or convert it in Python with "+f.convert, path, f.kind, name+".npy", name+f.extension)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("embedding: no folder of embeddings: %w", err)
	}
	err = fmt.Errorf("embedding: %s has no file %s.npy, %[2]s.npz, %[2]s.safetensors or %[2]s.parquet", dir, name)
	var others []string
	for _, entry := range entries {
		if slices.Contains(extensions, strings.ToLower(filepath.Ext(entry.Name()))) {
			others = append(others, entry.Name())
		}
	}
	if others != nil {
		err = fmt.Errorf("%w; it has %s", err, strings.Join(others, ", "))
	}
	return err
}

// readMatrix returns the matrix of a file and all arrays of the file.
func readMatrix(path, name string) (Matrix, map[string]*Array, error) {
	arrays, err := ReadArrays(path)
	if err != nil {
		return Matrix{}, nil, err
	}
	key, err := matrixKey(arrays, name)
	if err != nil {
		return Matrix{}, nil, inFile(path, err)
	}
	m, err := matrixNamed(arrays, key)
	if err == nil {
		err = m.Check()
	}
	if err == nil {
		err = m.CheckDirections()
	}
	if err != nil {
		return Matrix{}, nil, inFile(path, err)
	}
	return m, arrays, nil
}

// matrixKey returns the key of the array that holds the embeddings.
func matrixKey(arrays map[string]*Array, name string) (string, error) {
	for _, key := range []string{name, name + "s"} {
		if arrays[key] != nil {
			return key, nil
		}
	}
	var candidates []string
	for key := range arrays {
		number := len(arrays) > 1 && len(arrays[key].Shape) == 1 // one number per row, stored with the rows
		if !number && !strings.HasSuffix(key, scaleSuffix) && key != tableName && key != captionIDsName {
			candidates = append(candidates, key)
		}
	}
	if len(candidates) == 1 {
		return candidates[0], nil
	}
	slices.Sort(candidates)
	return "", fmt.Errorf("embedding: no array %q among %q", name, candidates)
}

// decodeCaptions decodes a JSON list of strings.
func decodeCaptions(text []byte) ([]string, error) {
	var list []*string // a pointer distinguishes null from ""
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("want a list of captions: %w", err)
	}
	captions := make([]string, len(list))
	for row, caption := range list {
		if caption == nil {
			return nil, fmt.Errorf("caption %d is null", row)
		}
		captions[row] = *caption
	}
	return captions, nil
}

// readCaptions reads the captions, their identifiers and their lengths, as far as they exist.
func readCaptions(dir, textPath string, beside map[string]*Array, set *Set) error {
	path := filepath.Join(dir, captionsFile)
	text, err := userfile.ReadFile(path, userfile.Table)
	switch {
	case err == nil:
		if set.Captions, err = decodeCaptions(text); err != nil {
			return inFile(path, err)
		}
		if len(set.Captions) != set.Texts.Rows {
			return inFile(path, fmt.Errorf("%d captions for %d texts", len(set.Captions), set.Texts.Rows))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("embedding: %w", err)
	case filepath.Ext(textPath) == ".parquet" && beside != nil: // one file
		if set.Captions, err = parquetCaptions(textPath); err != nil {
			return err
		}
	}
	identifiers, path, err := perCaption(dir, textPath, beside, captionIDsName)
	if err != nil {
		return err
	}
	if identifiers != nil {
		if set.CaptionIDs, err = identifiers.Int64s(); err == nil {
			err = checkIdentifiers("caption", set.CaptionIDs, set.Texts.Rows)
		}
		if err != nil {
			return inFile(path, err)
		}
	}
	tokens, path, err := perCaption(dir, textPath, beside, captionTokensName)
	if err != nil {
		return err
	}
	if tokens != nil {
		if set.CaptionTokens, err = tokens.Ints(); err == nil {
			err = checkTokens(set.CaptionTokens, set.Texts.Rows)
		}
		if err != nil {
			return inFile(path, err)
		}
	}
	return nil
}

// perCaption returns an optional array with one number per caption and the path of its file. It
// looks in the file of the texts and in name.npy, and returns nil if there is none.
func perCaption(dir, textPath string, beside map[string]*Array, name string) (*Array, string, error) {
	if array := beside[name]; array != nil {
		return array, textPath, nil
	}
	path := filepath.Join(dir, name+".npy")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	array, err := ReadNPY(path)
	return array, path, err
}

// WriteSet writes a set to a folder in the layout that ReadSet reads, creating the folder if
// needed: image.safetensors, text.safetensors, cap_id_to_img_id.json and, if they are known,
// captions.json and the last layers with their projections. Each file is replaced atomically. If
// Check rejects the set, WriteSet returns its error and writes nothing.
func WriteSet(dir string, set *Set) error { return writeSet(dir, set, false) }

// WriteSetInt8 is like WriteSet with both matrices stored by CompressInt8. The errors are the same.
func WriteSetInt8(dir string, set *Set) error { return writeSet(dir, set, true) }

func writeSet(dir string, set *Set, compress bool) error {
	if err := set.Check(); err != nil {
		return err
	}
	if set.IsStored() {
		return set.wrong("%s", bare(errLeft))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	images, err := storedMatrix(imageName, set.Images, compress)
	if err != nil {
		return err
	}
	texts, err := storedMatrix(textName, set.Texts, compress)
	if err != nil {
		return err
	}
	if set.CaptionIDs != nil {
		texts[captionIDsName] = Int64Array(set.CaptionIDs)
	}
	if set.CaptionTokens != nil {
		tokens := make([]int64, len(set.CaptionTokens))
		for caption, n := range set.CaptionTokens {
			tokens[caption] = int64(n)
		}
		texts[captionTokensName] = Int64Array(tokens)
	}
	if err := WriteSafetensors(filepath.Join(dir, imageName+".safetensors"), &Safetensors{Arrays: images}); err != nil {
		return err
	}
	if err := WriteSafetensors(filepath.Join(dir, textName+".safetensors"), &Safetensors{Arrays: texts}); err != nil {
		return err
	}
	if err := writeCaptions(filepath.Join(dir, captionsFile), set.Captions); err != nil {
		return err
	}
	for _, side := range []struct {
		name  string
		layer *Layer
	}{{imageName, set.ImageLayer}, {textName, set.TextLayer}} {
		if err := writeLayer(dir, side.name, side.layer); err != nil {
			return err
		}
	}
	if err := writeImageIDs(dir, set.ImageIDs); err != nil {
		return err
	}
	table := make(map[string]any, len(set.CaptionImages))
	for caption, image := range set.CaptionImages {
		if images := set.ImagesOf(caption); len(images) > 1 {
			table[strconv.Itoa(caption)] = images
		} else {
			table[strconv.Itoa(caption)] = image
		}
	}
	return writeJSON(filepath.Join(dir, tableFile), table)
}

// writeCaptions writes the captions, or removes those of an earlier set if they are unknown.
func writeCaptions(path string, captions []string) error {
	if captions != nil {
		return writeJSON(path, captions)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("embedding: %w", err)
	}
	return nil
}

// storedMatrix returns the arrays in which a matrix is stored.
func storedMatrix(name string, m Matrix, compress bool) (map[string]*Array, error) {
	if !compress {
		return map[string]*Array{name: m.Array()}, nil
	}
	values, scales, err := CompressInt8(m)
	if err != nil {
		return nil, err
	}
	return map[string]*Array{name: values, name + scaleSuffix: scales}, nil
}

// writeJSON writes a value to a file as JSON.
func writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return inFile(path, err)
	}
	return writeWhole(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
