package source

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/encoder/picture"
)

// write writes files to a new folder and returns its path.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// described lists the items of a source: name, contents of the picture and captions, or the error.
func described(t *testing.T, s *Source) string {
	t.Helper()
	var lines []string
	for item, err := range s.Items() {
		if err != nil {
			lines = append(lines, item.Name+" ! "+err.Error())
			continue
		}
		data, err := item.Read()
		if err != nil {
			t.Error(err)
		}
		lines = append(lines, fmt.Sprintf("%s=%s %s", item.Name, data, strings.Join(item.Captions, "|")))
	}
	return strings.Join(lines, "; ")
}

func TestCollectionsAreReadInTheirLayouts(t *testing.T) {
	coco := map[string]string{
		"val2017/b.jpg": "B", "val2017/a.jpg": "A",
		"annotations/captions_val2017.json": `{"images": [{"id": 7, "file_name": "b.jpg"}, {"id": 3, "file_name": "a.jpg"}, {"id": 9, "file_name": "none.jpg"}],
			"annotations": [{"id": 2, "image_id": 7, "caption": "second"}, {"id": 1, "image_id": 7, "caption": "first"}, {"id": 5, "image_id": 3, "caption": "third"}]}`,
	}
	karpathy := map[string]string{"val2014/a.jpg": "A", "images/c.jpg": "C", "dataset.json": `{"images": [
		{"filepath": "val2014", "filename": "a.jpg", "split": "test", "sentences": [{"raw": "one"}, {"raw": "two"}]},
		{"filename": "c.jpg", "split": "test", "sentences": [{"raw": "three"}]}, {"filename": "x.jpg", "split": "train", "sentences": [{"raw": "no"}]}]}`}
	for _, c := range []struct {
		kind, path, split, want string
		files                   map[string]string
	}{
		{"coco", "", "val", "b.jpg=B first|second; a.jpg=A third", coco},
		{"karpathy", "dataset.json", "test", "val2014/a.jpg=A one|two; c.jpg=C three", karpathy},
		{"flickr", "", "", "a.jpg=A one, with a comma|two; b.jpg=B three", map[string]string{
			"results.token": "a.jpg#0\tone, with a comma\na.jpg#1\ttwo\nb.jpg#0\tthree\n", "images/a.jpg": "A", "images/b.jpg": "B"}},
		{"flickr", "", "test", "b.jpg=B three", map[string]string{
			"captions.txt": "image,caption\na.jpg,one\nb.jpg,three\n", "test.txt": "b\n", "Images/a.jpg": "A", "Images/b.jpg": "B"}},
		{"folder", "", "", "b/x.png=X two words; a.jpg=A one, \"quoted\"", map[string]string{
			"captions.txt": "b/x.png\ttwo words\na.jpg\tone, \"quoted\"\n", "b/x.png": "X", "a.jpg": "A"}},
		{"folder", "", "", "a.jpg=A one|two", map[string]string{"a.jpg": "A", "a.txt": "one\n\ntwo\n", "notes.md": ""}},
	} {
		s, err := Open(c.kind, filepath.Join(write(t, c.files), c.path), c.split)
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		if got := described(t, s); got != c.want {
			t.Errorf("%s: got %s, want %s", c.kind, got, c.want)
		}
	}
}

func TestCollectionsThatDoNotFitAreRefusedByName(t *testing.T) {
	for _, c := range []struct {
		kind, split, want string
		files             map[string]string
	}{
		{"photos", "", `kind "photos", want one of captions, cc, cifar10, cifar100, classes, coco, flickr, folder, hierarcaps, karpathy, parquet, stl10, webdataset`, nil},
		{"coco", "", "coco needs a split", nil},
		{"coco", "val", "there is no", nil},
		{"coco", "val", `"../../x.jpg" is not a path inside`, map[string]string{"val2017/a": "", "annotations/captions_val2017.json": `{"images": [{"id": 1, "file_name": "../../x.jpg"}]}`}},
		{"coco", "val", "captions_val2017.json: unexpected end", map[string]string{"annotations/captions_val2017.json": "{", "val2017/a": ""}},
		{"flickr", "", "no captions.txt", nil},
		{"flickr", "", `line 2: "b.jpg"`, map[string]string{"x.token": "a.jpg#0\tone\nb.jpg\n"}},
		{"folder", "", "a.jpg has no captions", map[string]string{"a.jpg": "A"}},
		{"folder", "", "has no pictures with captions or classes", nil},
		{"webdataset", "val", "webdataset has no splits", nil},
	} {
		if _, err := Open(c.kind, write(t, c.files), c.split); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.kind, err, c.want)
		}
	}
}

// archive returns a tar file.
func archive(t testing.TB, members ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestTarFilesAreReadAsStreams(t *testing.T) {
	dir := write(t, map[string]string{
		"00.tar": string(archive(t, "1.jpg", "A", "1.txt", "one\n", "1.json", "{}", "2.png", "B", "2.json", `{"caption": "two"}`, "3.jpg", "C", "4.txt", "four")),
		"01.tar": string(archive(t, "x/5.webp", "E", "x/5.txt", "five")),
	})
	s, err := Open("webdataset", filepath.Join(dir, "*.tar"), "")
	if err != nil {
		t.Fatal(err)
	}
	const want = "00.tar/1=A one; 00.tar/2=B two; 00.tar/3 ! no caption; 00.tar/4 ! no picture; 01.tar/x/5=E five"
	if got := described(t, s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestABrokenTarDoesNotEndTheCollection(t *testing.T) {
	whole := archive(t, "1.jpg", "A", "1.txt", "one", "2.jpg", strings.Repeat("B", 4096), "2.txt", "two")
	dir := write(t, map[string]string{"00.tar": string(whole[:2700]), "01.tar": string(archive(t, "3.jpg", "C", "3.txt", "three"))})
	s, err := Open("webdataset", filepath.Join(dir, "*.tar"), "")
	if err != nil {
		t.Fatal(err)
	}
	got := described(t, s)
	if !strings.HasPrefix(got, "00.tar/1=A one; ") || !strings.Contains(got, "00.tar is truncated or damaged after the sample 1") || !strings.HasSuffix(got, "; 01.tar/3=C three") {
		t.Errorf("got %s", got)
	}
}

func TestWhatATarLosesIsReported(t *testing.T) {
	two := archive(t, "1.jpg", "A", "1.txt", "one")
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"one name for two samples":  {archive(t, "1.jpg", "A", "1.txt", "one", "1.jpg", "B", "1.txt", "two"), "a.tar/1 ! 1.txt occurs twice: samples have different names"},
		"two archives":              {append(slices.Clone(two), two...), "a.tar/1=A one; %s/a.tar ! %s/a.tar is truncated or damaged after the sample 1: further data follows the end of the archive"},
		"a half of zeros":           {append(slices.Clone(two), make([]byte, mostPadding+1)...), "a.tar/1=A one; %s/a.tar ! %s/a.tar is truncated or damaged after the sample 1: more than 4194304 zero bytes follow the end of the archive"},
		"the padding of a big disk": {append(slices.Clone(two), make([]byte, 1<<20)...), "a.tar/1=A one"},
	} {
		dir := write(t, map[string]string{"a.tar": string(c.data)})
		s, err := Open("webdataset", filepath.Join(dir, "a.tar"), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(described(t, s), dir, "%s"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func FuzzTarFilesAreReadToTheirEnd(f *testing.F) {
	f.Add(archive(f, "1.jpg", "A", "1.txt", "one"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.tar")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		readTar(path, func(Item, error) bool { return true })
	})
}

// planes returns the bytes of a picture of three planes whose values encode their position.
func planes(side int, columns bool) string {
	data := make([]byte, 3*side*side)
	for channel := range 3 {
		for y := range side {
			for x := range side {
				at := y*side + x
				if columns {
					at = x*side + y
				}
				data[channel*side*side+at] = byte(100*channel + 2*y + x%2)
			}
		}
	}
	return string(data)
}

func TestCollectionsWithClassesHaveLabelsAndPixels(t *testing.T) {
	for _, c := range []struct {
		kind, split, classes string
		labels               []int
		side                 int
		files                map[string]string
	}{
		{"cifar10", "test", "cat dog", []int{1, 0}, 32, map[string]string{
			"batches.meta.txt": "cat\ndog\n\n", "test_batch.bin": "\x01" + planes(32, false) + "\x00" + planes(32, false)}},
		{"cifar100", "train", "red fox bee", []int{1}, 32, map[string]string{
			"fine_label_names.txt": "red_fox\nbee\n", "train.bin": "\x09\x01" + planes(32, false)}},
		{"stl10", "test", "cat dog", []int{1}, 96, map[string]string{
			"class_names.txt": "cat\ndog\n", "test_X.bin": planes(96, true), "test_y.bin": "\x02"}},
	} {
		s, err := Open(c.kind, write(t, c.files), c.split)
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		if got := strings.Join(s.Classes, " "); got != c.classes || len(s.Templates) == 0 || s.Count != len(c.labels) {
			t.Errorf("%s: classes %s, %d templates, %d pictures", c.kind, got, len(s.Templates), s.Count)
		}
		i := 0
		for item := range s.Items() {
			data, err := item.Read()
			if err != nil || item.Label != c.labels[i] {
				t.Errorf("%s: label %d, want %d (%v)", c.kind, item.Label, c.labels[i], err)
			}
			p, err := picture.Decode(data, false)
			if err != nil || p.Width != c.side {
				t.Fatalf("%s: %v, %v", c.kind, p, err)
			}
			for channel := range 3 {
				if got, want := p.Pixels[3*(5*c.side+7)+channel], byte(100*channel+11); got != want {
					t.Errorf("%s: channel %d of pixel (7, 5) is %d, want %d", c.kind, channel, got, want)
				}
			}
			i++
		}
	}
	s, err := Open("classes", write(t, map[string]string{
		"val/n2/b.JPEG": "B", "val/n1/a.jpg": "A", "val/n1/notes": "", "classes.txt": "n1 great white shark\nn2 bee\n"}), "val")
	if err != nil || strings.Join(s.Classes, ",") != "great white shark,bee" || s.Count != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestRecordsThatDoNotFitAreRefused(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"no multiple of the 3073":      {"batches.meta.txt": "cat\n", "test_batch.bin": "\x00abc"},
		"has the label 7 of 1 classes": {"batches.meta.txt": "cat\n", "test_batch.bin": "\x07" + planes(32, false)},
		"batches.meta.txt":             {},
	} {
		if _, err := Open("cifar10", write(t, files), "test"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Open("cifar10", write(t, map[string]string{"batches.meta.txt": "cat\n"}), "val"); err == nil || !strings.Contains(err.Error(), "splits train and test") {
		t.Errorf("got %v", err)
	}
}
