package embedding

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

func TestTablesAreListsOrObjects(t *testing.T) {
	for text, want := range map[string][]int{
		`[0, 0, 1]`:                     {0, 0, 1},
		` [ ] `:                         {},
		`{}`:                            {},
		`{"1": 5, "0": 3}`:              {3, 5},
		"{\"0\":\n7}\n":                 {7},
		`{"2":2,"0":0,"1":1}`:           {0, 1, 2},
		`{"0": -4}`:                     {-4}, // whether there is such an image is asked later
		`{"00": 1, "1": 2, "\u0032":3}`: {1, 2, 3},
	} {
		got, err := decodeTable([]byte(text))
		if err != nil || !slices.Equal(firsts(got), want) || !single(got) {
			t.Errorf("%s gives %v, want %v (error %v)", text, got, want, err)
		}
	}
}

func TestTablesThatHideSomethingAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"0": 0, "0": 1, "1": 1}`:    "caption 0 twice", // a JSON map would keep the last
		`{"0": 0, "00": 1}`:           "caption 0 twice",
		`[0, null, 1]`:                "caption 1 has the image null",
		`{"0": null}`:                 `caption "0" has no image`,
		`null`:                        "neither [ nor {",
		``:                            "neither [ nor {",
		`7`:                           "neither [ nor {",
		`[0, 1.5]`:                    "caption 1 has the image 1.5, want a row or a list of rows",
		`[0, 1`:                       "neither [ nor {",
		`{"0": 1.5}`:                  `caption "0" has no image`,
		`{"0": "1"}`:                  `caption "0" has no image`,
		`{"0": [1.5]}`:                `caption "0" has no image`,
		`{"0": 0} {"1": 1}`:           "text after",
		`{"0": 0`:                     "unexpected",
		`{"-1": 0}`:                   `caption "-1" in a table of 1 captions`,
		`{"1": 0}`:                    `caption "1" in a table of 1 captions`,
		`{"1e0": 0, "0": 0}`:          `caption "1e0"`,
		`{"": 0}`:                     `caption ""`,
		`{"0": 99999999999999999999}`: `caption "0" has no image`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := decodeTable([]byte(text))
			wantError(t, err, want)
		})
	}
}

// TestErrorsOfAFolderNameTheFile makes one mistake in each file of a folder.
func TestErrorsOfAFolderNameTheFile(t *testing.T) {
	numbers := func(values ...int64) []byte {
		return npyBytes("<i8", "False", fmt.Sprintf("(%d,)", len(values)), littleEndian(t, values))
	}
	for _, c := range []struct {
		file string
		data []byte
		want string
	}{
		{"image.npy", npyBytes("<f4", "False", "(2, 3)", littleEndian(t, []float32{1, 0, 0, 0, 1, 0})), "images have 3 columns, texts 2 in text.npy"},
		{tableFile, []byte(`[0, 1]`), "the caption-to-image table has 2 entries for 3 texts"},
		{tableFile, []byte(`{"0":0,"1":0,"2":1,"3":1}`), "the caption-to-image table has 4 entries for 3 texts"},
		{tableFile, []byte(`[0, 1, 2]`), "caption 2 belongs to image 2, but there are 2 images"},
		{tableFile, []byte(`[0, -1, 1]`), "caption 1 belongs to image -1, but there are 2 images"},
		{tableFile, []byte(`{"0":0,"1":0,"1":1,"2":1}`), "caption 1 twice"},
		{captionsFile, []byte(`["one", "two"]`), "2 captions for 3 texts"},
		{captionsFile, []byte(`null`), "0 captions for 3 texts"},
		{"caption_ids.npy", numbers(1, 2), "2 caption identifiers for 3 texts"},
		{"caption_ids.npy", numbers(7, 9, 7), "rows 0 and 2 have the caption identifier 7"},
		{"caption_tokens.npy", numbers(4, 4), "2 numbers of tokens for 3 texts"},
		{"caption_tokens.npy", numbers(4, -1, 4), "row 1 has -1 tokens"},
		{"caption_tokens.npy", []byte("no numbers"), "not a .npy file"},
	} {
		t.Run(c.file+": "+c.want, func(t *testing.T) {
			files := plain(t)
			files[c.file] = c.data
			dir := folder(t, files)
			_, err := ReadSet(dir)
			wantError(t, err, filepath.Join(dir, c.file)+": ", c.want)
		})
	}
	// The same mistakes in a table stored with the texts.
	files := plain(t)
	delete(files, tableFile)
	delete(files, "text.npy")
	files["text.safetensors"] = safetensorsBytes(`{"text":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"caption_images":{"dtype":"I32","shape":[1],"data_offsets":[8,12]}}`,
		littleEndian(t, struct {
			A, B  float32
			Table int32
		}{1, 2, 5}))
	_, err := ReadSet(folder(t, files))
	wantError(t, err, "text.safetensors: caption 0 belongs to image 5")
}

func TestSetsWithIdentifiersThatOccurTwiceAreRefused(t *testing.T) {
	s := small(t)
	s.CaptionIDs[3] = s.CaptionIDs[1]
	wantError(t, s.Check(), "data/split", "rows 1 and 3 have the caption identifier 11")
	s = small(t)
	s.CaptionTokens[2] = -5
	wantError(t, s.Check(), "data/split", "row 2 has -5 tokens")
}

// FuzzTable decodes tables. An accepted table must equal the one read by a simple decoder of lists
// or keys.
func FuzzTable(f *testing.F) {
	for _, text := range []string{`[0,1]`, `{"0":0,"1":0}`, `{"0":0,"0":1}`, `[null]`, `{"1":{}}`, `[[]]`, "{\"0\":0}\n[]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := decodeTable(text)
		if err != nil {
			return
		}
		if !single(table) {
			return // lists of images are compared in TestTablesListSeveralImages
		}
		var list []int
		if json.Unmarshal(text, &list) == nil && slices.Equal(list, firsts(table)) {
			return
		}
		var any []json.RawMessage
		if json.Unmarshal(text, &any) == nil {
			return // lists of one image among numbers
		}
		var object map[string]described
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatalf("%q is a table but no JSON: %v", text, err)
		}
		if len(object) != len(table) {
			t.Fatalf("%q has %d keys, the table %d entries", text, len(object), len(table))
		}
		for key, image := range object {
			caption, err := strconv.Atoi(key)
			if err != nil || !slices.Equal(table[caption], image) {
				t.Fatalf("%q: entry %q is not in the table %v", text, key, table)
			}
		}
	})
}

func FuzzCaptions(f *testing.F) {
	for _, text := range []string{`["a dog", "", "a cat"]`, `[null]`, `null`, `{}`, `["\ud800"]`, `["a"] ["b"]`, "[\"\xff\"]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		captions, err := decodeCaptions(text)
		if err != nil {
			return
		}
		encoded, err := json.Marshal(captions)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeCaptions(encoded)
		if err != nil || !slices.Equal(again, captions) {
			t.Errorf("%q came back as %q (error %v)", captions, again, err)
		}
	})
}

// firsts returns the first image of each list.
func firsts(table [][]int) []int {
	images := []int{}
	for _, list := range table {
		images = append(images, list[0])
	}
	return images
}
