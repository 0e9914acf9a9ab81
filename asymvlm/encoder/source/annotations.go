package source

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/internal/userfile"
)

// readJSON decodes a JSON file.
func readJSON(path string, value any) error {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// openCOCO reads captions_SPLIT2017.json or captions_SPLIT2014.json, with pictures in file order
// and captions by id.
func openCOCO(dir, split string) (*Source, error) {
	if split == "" {
		return nil, errors.New("coco needs a split: train, val or test")
	}
	year := "2017"
	file, err := oneOf(filepath.Join(dir, "annotations", "captions_"+split+"2017.json"), filepath.Join(dir, "annotations", "captions_"+split+"2014.json"))
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, "2014.json") {
		year = "2014"
	}
	folder, err := oneOf(filepath.Join(dir, split+year), filepath.Join(dir, "images", split+year), filepath.Join(dir, "images"))
	if err != nil {
		return nil, err
	}
	var content struct {
		Images []struct {
			ID   int    `json:"id"`
			File string `json:"file_name"`
		} `json:"images"`
		Annotations []struct {
			ID      int    `json:"id"`
			Image   int    `json:"image_id"`
			Caption string `json:"caption"`
		} `json:"annotations"`
	}
	if err := readJSON(file, &content); err != nil {
		return nil, err
	}
	annotations := content.Annotations
	order := make([]int, len(annotations))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(annotations[a].ID, annotations[b].ID) })
	captions, ids := map[int][]string{}, map[int][]int64{}
	for _, i := range order {
		image := annotations[i].Image
		captions[image], ids[image] = append(captions[image], annotations[i].Caption), append(ids[image], int64(annotations[i].ID))
	}
	var items []Item
	for _, image := range content.Images {
		path, err := below(folder, image.File)
		if err != nil {
			return nil, fmt.Errorf("%s: picture %d: %w", file, image.ID, err)
		}
		if len(captions[image.ID]) > 0 {
			items = append(items, Item{Name: image.File, Captions: captions[image.ID], ID: int64(image.ID), CaptionIDs: ids[image.ID], path: path})
		}
	}
	return listed(items, file), nil
}

// openKarpathy reads the JSON file of Karpathy and Fei-Fei 2015. The split "" selects all splits.
func openKarpathy(file, split string) (*Source, error) {
	var content struct {
		Images []struct {
			Folder    string `json:"filepath"`
			File      string `json:"filename"`
			Split     string `json:"split"`
			COCO      int64  `json:"cocoid"` // only in the file of COCO
			Sentences []struct {
				Raw string `json:"raw"`
				ID  int64  `json:"sentid"`
			} `json:"sentences"`
		} `json:"images"`
	}
	if err := readJSON(file, &content); err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	var items []Item
	for _, image := range content.Images {
		if split != "" && image.Split != split || len(image.Sentences) == 0 {
			continue
		}
		name := image.File
		if image.Folder != "" {
			name = image.Folder + "/" + name
		}
		path, err := below(dir, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if image.Folder == "" {
			if other := filepath.Join(dir, "images", name); !exists(path) && exists(other) {
				path = other
			}
		}
		item := Item{Name: name, path: path}
		for _, sentence := range image.Sentences {
			item.Captions = append(item.Captions, sentence.Raw)
			if image.COCO != 0 {
				item.CaptionIDs = append(item.CaptionIDs, sentence.ID)
			}
		}
		item.ID = image.COCO
		items = append(items, item)
	}
	return listed(items, file), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openFlickr reads Flickr8k and Flickr30k. A split is a list of file names,
// Flickr_8k.SPLITImages.txt or SPLIT.txt.
func openFlickr(dir, split string) (*Source, error) {
	tokens, err := filepath.Glob(filepath.Join(dir, "*token*"))
	if err != nil {
		return nil, err
	}
	tokens = slices.DeleteFunc(tokens, func(name string) bool { return strings.Contains(name, "lemma") })
	var file string
	var pairs [][2]string
	switch {
	case len(tokens) == 1:
		file = tokens[0]
		pairs, err = readTokens(file)
	case exists(filepath.Join(dir, "captions.txt")):
		file = filepath.Join(dir, "captions.txt")
		pairs, err = readPairs(file, ',')
	default:
		return nil, fmt.Errorf("%s has %d files *token* and no captions.txt", dir, len(tokens))
	}
	if err != nil {
		return nil, err
	}
	folder, err := oneOf(filepath.Join(dir, "flickr30k-images"), filepath.Join(dir, "flickr30k_images"), filepath.Join(dir, "Flicker8k_Dataset"), filepath.Join(dir, "Images"), filepath.Join(dir, "images"))
	if err != nil {
		return nil, err
	}
	items, err := grouped(folder, pairs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if split == "" {
		return listed(items, file), nil
	}
	list, err := oneOf(filepath.Join(dir, "Flickr_8k."+split+"Images.txt"), filepath.Join(dir, split+".txt"))
	if err != nil {
		return nil, fmt.Errorf("split %q: %w", split, err)
	}
	text, err := userfile.ReadFile(list, userfile.Table)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, name := range strings.Fields(string(text)) {
		wanted[name] = true
		wanted[name+".jpg"] = true // some lists have no ending
	}
	items = slices.DeleteFunc(items, func(item Item) bool { return !wanted[item.Name] })
	return listed(items, file, list), nil
}

// readTokens reads lines of the form "file#number<TAB>caption".
func readTokens(path string) ([][2]string, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var pairs [][2]string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if lines.Text() == "" {
			continue
		}
		name, caption, ok := strings.Cut(lines.Text(), "\t")
		name, _, numbered := strings.Cut(name, "#")
		if !ok || !numbered {
			return nil, fmt.Errorf("%s: line %d: %.40q, want file#number, a tab and a caption", path, number, lines.Text())
		}
		pairs = append(pairs, [2]string{name, caption})
	}
	return pairs, lines.Err()
}

// readPairs reads a table of files and captions, with or without a header line.
func readPairs(path string, comma rune) ([][2]string, error) {
	file, err := userfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = comma, comma == '\t', -1
	var pairs [][2]string
	for number := 1; ; number++ {
		fields, err := reader.Read()
		if err == io.EOF {
			return pairs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if number == 1 && !isPicture(fields[0]) { // the header image,caption
			continue
		}
		if len(fields) < 2 {
			return nil, fmt.Errorf("%s: record %d: %.40q, want a file and a caption", path, number, fields[0])
		}
		separator := string(comma)
		pairs = append(pairs, [2]string{strings.TrimSpace(fields[0]), strings.TrimSpace(strings.Join(fields[1:], separator))})
	}
}

// grouped returns one item per file, in order of first occurrence.
func grouped(folder string, pairs [][2]string) ([]Item, error) {
	var items []Item
	at := map[string]int{}
	for _, pair := range pairs {
		i, known := at[pair[0]]
		if !known {
			path, err := below(folder, pair[0])
			if err != nil {
				return nil, err
			}
			i = len(items)
			at[pair[0]] = i
			items = append(items, Item{Name: pair[0], path: path})
		}
		items[i].Captions = append(items[i].Captions, pair[1])
	}
	return items, nil
}
