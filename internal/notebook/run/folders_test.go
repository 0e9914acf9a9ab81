//go:build !race

package run_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/world"
	"gosphere/asymvlm/zeroshot"
	"gosphere/internal/notebook/run"
)

// smallWorld is the data in the folders: 40 training images, 20 others, width 16.
var smallWorld = world.Options{Scenes: 40, TestScenes: 20, CaptionsPerScene: 2, Dimension: 16}

// writeArray writes a .npy file.
func writeArray(t *testing.T, array *embedding.Array, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), embedding.WriteNPY(file, array)); err != nil {
		t.Fatal(err)
	}
}

// writeText writes a value as JSON.
func writeText(t *testing.T, value any, path ...string) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = os.WriteFile(filepath.Join(path...), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeSet writes the files that the notebooks describe for one set, with made-up numbers of
// tokens.
func writeSet(t *testing.T, dir string, set *embedding.Set) {
	t.Helper()
	writeArray(t, set.Images.Array(), dir, "image.npy")
	writeArray(t, set.Texts.Array(), dir, "text.npy")
	table, tokens := map[string]int{}, make([]int64, set.Texts.Rows)
	for caption, image := range set.CaptionImages {
		table[strconv.Itoa(caption)], tokens[caption] = image, int64(4+caption%9)
	}
	writeText(t, table, dir, "cap_id_to_img_id.json")
	writeArray(t, embedding.Int64Array(tokens), dir, "caption_tokens.npy")
}

// writeTask writes the files that the notebooks describe for a classification task.
func writeTask(t *testing.T, dir string, task *zeroshot.Task) {
	t.Helper()
	labels := make([]int64, len(task.Labels))
	for i, label := range task.Labels {
		labels[i] = int64(label)
	}
	names := make([]string, task.ClassCount())
	for i := range names {
		names[i] = "class " + strconv.Itoa(i)
	}
	writeArray(t, task.Images.Array(), dir, "image.npy")
	writeArray(t, embedding.Int64Array(labels), dir, "label.npy")
	writeArray(t, task.Prompts.Array(), dir, "prompt.npy")
	writeArray(t, task.Dummies.Array(), dir, "dummy.npy")
	writeText(t, names, dir, "classes.json")
}

// writeFolders writes folders of every layout that a notebook describes: data, chains, damaged,
// task, others.
func writeFolders(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	train, test, err := world.New(smallWorld)
	if err != nil {
		t.Fatal(err)
	}
	chains, err := world.NewChains(smallWorld, 4)
	if err != nil {
		t.Fatal(err)
	}
	task, err := world.NewTask(smallWorld, world.TaskOptions{Classes: 4, PerClass: 6, Templates: 3, Dummies: 1})
	if err != nil {
		t.Fatal(err)
	}
	writeSet(t, filepath.Join(root, "data", "train"), &train.Set)
	writeSet(t, filepath.Join(root, "data", "val"), &test.Set)
	writeSet(t, filepath.Join(root, "chains"), &chains.Set)
	writeArray(t, embedding.Float32Array(task.Dummies.Row(0), smallWorld.Dimension), root, "chains", "root.npy")
	for _, kind := range []string{"snow", "natural"} {
		damaged := test.Set
		if kind == "snow" {
			damaged.Images = damaged.Images.Clone()
			for i := range damaged.Images.Values {
				damaged.Images.Values[i] += float32(i%5) / 5
			}
		}
		writeSet(t, filepath.Join(root, "damaged", kind), &damaged)
	}
	writeTask(t, filepath.Join(root, "task"), task)
	writeArray(t, task.Images.Array(), root, "others", "image.npy")
	return root
}

// inFolder replaces every @ in the parameters by the folder's path, and requests the full schedule
// in one epoch.
func inFolder(root string, parameters map[string]string) map[string]string {
	full := map[string]string{"quick": "false", "epochs": "1", "device": "cpu"}
	for name, value := range parameters {
		full[name] = strings.ReplaceAll(value, "@", filepath.ToSlash(root)+"/")
	}
	return full
}

// TestReproductionsRunInFullOnFolders runs every notebook with the paper's network and batches, on
// folders with the described contents, and checks the outputs about the data.
func TestReproductionsRunInFullOnFolders(t *testing.T) {
	if testing.Short() {
		t.Skip("trains adapters of full size")
	}
	root := writeFolders(t)
	full := "the paper's, with epochs = 1"
	for name, c := range map[string]struct {
		parameters map[string]string
		want       map[string]string // by cell
	}{
		"table-1-figure-3": {
			map[string]string{"data": `["@data"]`, "beside": `["MS-COCO"]`, "methods": `["pfe", "asymvlm-vmf"]`, "seeds": "[3]", "textLength": "9"},
			map[string]string{"tables": "This is NOT the paper's data: 20 images and 40 texts", "versions": full, "data": "Read from a folder"},
		},
		"table-a3": {
			map[string]string{"data": `["@data"]`, "methods": `["siglip-vmf"]`, "seeds": "[0]"},
			map[string]string{"tables": "This is NOT the paper's data: 20 images and 40 texts", "versions": full},
		},
		"table-2": {
			map[string]string{"data": "@data", "positives": "@task", "negatives": "@others", "methods": `["clip", "asymvlm-vmf"]`, "seeds": "[0]"},
			map[string]string{"table": "This is NOT the paper's data**: without an adapter", "data": "4 classes with 3 prompts each, 1 dummies", "versions": "others"},
		},
		"table-3": {
			map[string]string{"data": "@data", "tasks": `["@task"]`, "besideTasks": `["STL-10"]`, "methods": `["asymvlm-vmf", "asymvlm-psd", "determ-ft"]`, "seeds": "[1]"},
			map[string]string{"table": "in the paper 0.974 on STL-10", "versions": full},
		},
		"figure-4": {
			map[string]string{"data": `["@data"]`, "methods": `["asymvlm-vmf", "symvlm"]`, "seeds": "[0]"},
			map[string]string{"train": "data beside CC-200k: This is NOT the paper's data", "versions": full},
		},
		"figure-5": {
			map[string]string{"data": "@data", "chains": "@chains", "lengths": "@data"},
			map[string]string{"numbers": "mean of level 3", "length": "length and uncertainty", "versions": "chains"},
		},
		"../elip/table-1-corruption": {
			map[string]string{"data": "@data", "damaged": "@damaged", "methods": `["clip", "elip"]`},
			map[string]string{"tables": "This is NOT the paper's data**: without an adapter", "severity": "natural", "versions": "natural"},
		},
		"../elip/figure-5-uncertainty": {
			map[string]string{"data": "@data", "damaged": "@damaged/snow", "methods": `["elip", "prolip"]`},
			map[string]string{"detection": "ProLIP", "versions": full},
		},
		"../prolip/table-2-traversal": {
			map[string]string{"data": "@data", "chains": "@chains", "methods": `["prolip"]`},
			map[string]string{"traversal": "They are not the paper's models, whatever the data is", "data": "20 chains of 4 captions, 20 images"},
		},
		"../prolip/table-3-prompts": {
			map[string]string{"data": "@data", "task": "@task", "shots": "[0, 2]"},
			map[string]string{"run": "not those of the paper's encoders", "versions": full},
		},
		"../prolip/figures-5-7-filtering": {
			map[string]string{"data": "@data", "chains": "@chains", "beside": `["pcmepp"]`},
			map[string]string{"length": "ProLIP", "levels": "2 methods trained on data/train", "filter": "smallest CSD of ProLIP"},
		},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			notebook, err := runWith(t, name, inFolder(root, c.parameters))
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range c.want {
				if text := cellText(t, notebook, id); !strings.Contains(text, want) {
					t.Errorf("cell %s does not show %q but\n%s", id, want, text)
				}
			}
		})
	}
}

// remove returns a function that deletes files.
func remove(path ...string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		if err := os.RemoveAll(filepath.Join(append([]string{root}, path...)...)); err != nil {
			t.Fatal(err)
		}
	}
}

// resize returns a function that writes an array of ones of another shape.
func resize(rows, columns int, path ...string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		values := make([]float32, rows*columns)
		for i := range values {
			values[i] = 1
		}
		writeArray(t, embedding.Float32Array(values, rows, columns), append([]string{root}, path...)...)
	}
}

// TestReproductionsNameWhatFoldersLack deletes a file or changes its shape, and expects the first
// cell that reads it to report it.
func TestReproductionsNameWhatFoldersLack(t *testing.T) {
	damaged := map[string]string{"data": "@data", "damaged": "@damaged", "methods": `["clip"]`}
	oneDamaged := map[string]string{"data": "@data", "damaged": "@damaged/snow"}
	retrieval := map[string]string{"data": `["@data"]`, "beside": `["MS-COCO"]`}
	none := map[string]string{"data": "@data", "positives": "@task", "negatives": "@others"}
	classes := map[string]string{"data": "@data", "tasks": `["@task"]`, "besideTasks": `["STL-10"]`}
	chained := map[string]string{"data": "@data", "chains": "@chains", "lengths": "@data"}
	walked := map[string]string{"data": "@data", "chains": "@chains"}
	weighted := map[string]string{"data": "@data", "task": "@task"}
	for name, c := range map[string]struct {
		notebook   string
		parameters map[string]string
		spoil      func(*testing.T, string)
		cell, want string
	}{
		"no training set":      {"table-1-figure-3", retrieval, remove("data", "train"), "data", "has no folder train: a data set has train and val"},
		"no texts":             {"table-1-figure-3", retrieval, remove("data", "val", "text.npy"), "data", "val has no file text.npy"},
		"no table":             {"table-a3", retrieval, remove("data", "train", "cap_id_to_img_id.json"), "data", "cap_id_to_img_id.json"},
		"too few captions":     {"figure-4", map[string]string{"data": `["@data"]`}, resize(39, 16, "data", "val", "text.npy"), "data", "39"},
		"another width":        {"table-1-figure-3", retrieval, resize(20, 8, "data", "val", "image.npy"), "data", "images have 8 columns, texts 16"},
		"no dummies":           {"table-2", none, remove("task", "dummy.npy"), "data", "4 classes (prompt.npy, label.npy) and 0 dummies (dummy.npy)"},
		"no negatives":         {"table-2", none, remove("others", "image.npy"), "data", "others/image.npy"},
		"no labels":            {"table-3", classes, remove("task", "label.npy"), "data", "0 labels and 4 classes"},
		"too few labels":       {"table-3", classes, resize(5, 16, "task", "image.npy"), "data", "24 labels for 5 images"},
		"no lengths":           {"figure-5", chained, remove("data", "val", "caption_tokens.npy"), "data", "have no caption_tokens.npy"},
		"not whole chains":     {"figure-5", map[string]string{"data": "@data", "chains": "@data/val", "levels": "3"}, remove("nothing"), "data", "40 captions do not form rows of 3 levels"},
		"no damaged captions":  {"../elip/table-1-corruption", damaged, remove("damaged", "snow", "text.npy"), "data", "snow has no file text.npy"},
		"no kinds":             {"../elip/table-1-corruption", damaged, remove("damaged"), "data", "damaged"},
		"damage of other size": {"../elip/figure-5-uncertainty", oneDamaged, resize(25, 16, "damaged", "snow", "image.npy"), "data", "has 25 images and 40 captions"},
		"no root":              {"../prolip/table-2-traversal", walked, remove("chains", "root.npy"), "data", "root.npy"},
		"root of other width":  {"../prolip/table-2-traversal", walked, resize(1, 7, "chains", "root.npy"), "data", "root.npy there 7 numbers"},
		"one prompt":           {"../prolip/table-3-prompts", weighted, resize(4, 16, "task", "prompt.npy"), "data", "has 1 prompts for each class, at least 2 are needed"},
		"task of other width":  {"../prolip/table-3-prompts", weighted, resize(24, 9, "task", "image.npy"), "data", "rows of 16 columns, the images have 9"},
		"chains of other images": {"../prolip/figures-5-7-filtering", map[string]string{"data": "@data", "chains": "@data/val", "beside": "[]"}, remove("nothing"),
			"levels", "should be levels 0 and 2 of one row, but belong to images 0 and 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && c.cell != "data" {
				t.Skip("trains an adapter first")
			}
			root := writeFolders(t)
			c.spoil(t, root)
			_, err := runWith(t, c.notebook, inFolder(root, c.parameters))
			var failed *run.CellError
			if !errors.As(err, &failed) || failed.ID != c.cell || !strings.Contains(filepath.ToSlash(failed.Evalue), c.want) {
				t.Errorf("error %v, want one of cell %s with %q", err, c.cell, c.want)
			}
		})
	}
}
