// Scenes_generic makes the generic texts of the data set scenes_generic from the captions of COCO's
// val2017 and encodes them with all-MiniLM-L6-v2.
//
//	go run ./asymvlm/embedding/scenes_generic -captions captions_val2017.json -encoder all-MiniLM-L6-v2
//
// It writes generic_int8.safetensors and generic.txt beside this file, and, with -chains FILE, the
// embeddings of the sentences of a file of chains. NOTE.txt documents the levels and the licenses.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
)

func main() {
	captions := flag.String("captions", "captions_val2017.json", "captions of COCO's val2017")
	folder := flag.String("encoder", "all-MiniLM-L6-v2", "model folder")
	out := flag.String("out", "asymvlm/embedding/scenes_generic", "folder of the results")
	chains := flag.String("chains", "", "file of chains, one a line, sentences separated by |, to encode instead")
	flag.Parse()
	if err := run(*captions, *folder, *out, *chains); err != nil {
		log.Fatal(err)
	}
}

func run(captions, folder, out, chains string) error {
	enc, err := encoder.Open(folder)
	if err != nil {
		return err
	}
	defer enc.Close()
	if chains != "" {
		text, err := os.ReadFile(chains)
		if err != nil {
			return err
		}
		sentences := strings.FieldsFunc(string(text), func(r rune) bool { return r == '|' || r == '\n' })
		arrays, err := encoded(enc, sentences)
		if err != nil {
			return err
		}
		return embedding.WriteSafetensors(strings.TrimSuffix(chains, filepath.Ext(chains))+"_int8.safetensors", &embedding.Safetensors{Arrays: arrays})
	}
	images, err := readCaptions(captions)
	if err != nil {
		return err
	}
	texts := derive(images)
	sentences := make([]string, len(texts))
	var levels, counts, scenes []uint16
	for i, text := range texts {
		sentences[i] = text.sentence
		if text.level == 0 {
			text.images = nil // all of them
		}
		levels, counts = append(levels, uint16(text.level)), append(counts, uint16(len(text.images)))
		for _, image := range text.images {
			scenes = append(scenes, uint16(image))
		}
		fmt.Printf("%d %5d %s\n", text.level, len(text.images), text.sentence)
	}
	arrays, err := encoded(enc, sentences)
	if err != nil {
		return err
	}
	arrays["level"], arrays["count"], arrays["scene"] = small(levels), small(counts), small(scenes)
	if err := embedding.WriteSafetensors(filepath.Join(out, "generic_int8.safetensors"), &embedding.Safetensors{Arrays: arrays}); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "generic.txt"), []byte(strings.Join(sentences, "\n")+"\n"), 0o644)
}

// small returns an array of 16 bits for each number.
func small(values []uint16) *embedding.Array {
	a := &embedding.Array{Type: "U16", Shape: []int{len(values)}}
	for _, value := range values {
		a.Data = binary.LittleEndian.AppendUint16(a.Data, value)
	}
	return a
}

// encoded returns the compressed embeddings of sentences.
func encoded(enc *encoder.Encoder, sentences []string) (map[string]*embedding.Array, error) {
	rows, err := enc.Texts(context.Background(), sentences...)
	if err != nil {
		return nil, err
	}
	values, scales, err := embedding.CompressInt8(rows)
	return map[string]*embedding.Array{"text": values, "text_scale": scales}, err
}

// readCaptions returns the captions of each image, as lists of words, in the order of the images'
// identifiers, which is that of the scenes.
func readCaptions(path string) (images [][][]string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Images []struct {
			ID int64 `json:"id"`
		} `json:"images"`
		Annotations []struct {
			Image   int64  `json:"image_id"`
			Caption string `json:"caption"`
		} `json:"annotations"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	var ids []int64
	for _, image := range file.Images {
		ids = append(ids, image.ID)
	}
	place := ranks(ids)
	images = make([][][]string, len(ids))
	for _, a := range file.Annotations {
		row := place[a.Image]
		images[row] = append(images[row], wordsOf(a.Caption))
	}
	return images, nil
}
