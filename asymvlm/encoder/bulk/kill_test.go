package bulk

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/encoder"
	"gosphere/asymvlm/encoder/source"
)

// child is the environment variable of a process that a test starts. It names the folders of the
// encoder, the pictures and the embeddings.
const child = "GOSPHERE_TEST_EMBED"

func TestMain(m *testing.M) {
	if folders := filepath.SplitList(os.Getenv(child)); len(folders) == 3 {
		if err := embedAsChild(folders[0], folders[1], folders[2]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// embedAsChild embeds a collection. After each progress report it writes a line and waits for one,
// so that the test can kill it there.
func embedAsChild(model, pictures, folder string) error {
	e, err := encoder.Open(model)
	if err != nil {
		return err
	}
	s, err := source.Open("folder", pictures, "")
	if err != nil {
		return err
	}
	input := bufio.NewScanner(os.Stdin)
	_, err = Run(context.Background(), Options{Encoder: e, Source: s, Folder: folder, Shard: 20, MostBad: 10, Half: true, Progress: func(State) {
		fmt.Println("progress")
		input.Scan()
	}})
	return err
}

// killed starts a process that embeds and kills it after a number of progress reports. It reports
// whether the process ended first.
func killed(t *testing.T, after int, folders ...string) (ended bool) {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), child+"="+strings.Join(folders, string(filepath.ListSeparator)))
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for seen := 1; lines.Scan(); seen++ {
		if lines.Text() != "progress" {
			t.Fatal(lines.Text())
		}
		if seen > after {
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			process.Wait() // killed
			return false
		}
		fmt.Fprintln(in) // fails if the process has ended, which Wait reports
	}
	if err := process.Wait(); err != nil {
		t.Fatal(err)
	}
	return true
}

func TestAKilledProcessResumesToTheSameBytes(t *testing.T) {
	e := tiny(t)
	pictures := photoFolder(t, 90, 30)
	s, err := source.Open("folder", pictures, "")
	if err != nil {
		t.Fatal(err)
	}
	whole, pieces := filepath.Join(t.TempDir(), "a/val"), filepath.Join(t.TempDir(), "b/val")
	if _, err := Run(context.Background(), Options{Encoder: e, Source: s, Folder: whole, Shard: 20, MostBad: 10, Half: true}); err != nil {
		t.Fatal(err)
	}
	// Each process is killed one report later than the previous one, first while it embeds and then
	// while it joins the shards.
	kills := 0
	for !killed(t, kills, e.Dir, pictures, pieces) {
		if kills++; kills == 5 { // the state after a power failure
			if err := os.WriteFile(filepath.Join(pieces, ".image.npy-123"), []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kills < 8 {
		t.Errorf("%d kills", kills)
	}
	want, got := files(t, whole), files(t, pieces)
	for name, data := range want {
		if got[name] != data {
			t.Errorf("%s differs", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	array, err := embedding.ReadNPY(filepath.Join(pieces, "image.npy"))
	if err != nil || array.Type != "F16" || array.Shape[0] != 87 {
		t.Errorf("%v %v, %v", array.Type, array.Shape, err)
	}
}

// archived returns a tar file of pictures with captions. One sample in a hundred is damaged, each
// in another way.
func archived(t *testing.T, count int) string {
	t.Helper()
	var picture, file bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 32, 32))); err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(&file)
	add := func(name, data string) {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range count {
		key, data, caption := fmt.Sprintf("%06d", i), picture.String(), fmt.Sprintf(`{"caption": "word%d"}`, 3+i%500)
		if i%100 == 50 {
			switch i / 100 % 4 {
			case 0:
				data = data[:len(data)/2]
			case 1:
				data = "<html>404</html>"
			case 2:
				caption = `{"caption": nul`
			case 3:
				add(key+".json", caption) // and no picture
				continue
			}
		}
		add(key+".png", data)
		add(key+".json", caption)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "00000.tar")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestATarWithBrokenMembersFinishesWithAList(t *testing.T) {
	e := tiny(t)
	s, err := source.Open("webdataset", archived(t, 400), "")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "web/train")
	state, err := Run(context.Background(), Options{Encoder: e, Source: s, Folder: folder, Shard: 64, MostBad: 10})
	if err != nil || state.Pictures != 396 || state.Bad != 4 {
		t.Fatalf("%+v, %v", state, err)
	}
	bad, err := os.ReadFile(filepath.Join(folder, "bad.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(bad)), "\n")
	for i, want := range []string{"000050\t", "000150\t", "000250\tno caption", "000350\tno picture"} {
		if len(lines) != 4 || !strings.Contains(lines[i], want) {
			t.Fatalf("bad.txt:\n%s", bad)
		}
	}
	set, err := embedding.ReadSet(folder)
	if err != nil || set.Captions[50] != "word54" || set.CaptionImages[50] != 50 {
		t.Errorf("%v, %v", set, err)
	}
}

// TestATruncatedShardEndsTheJob cuts a tar file. The job fails and says where, unless truncated
// files are accepted.
func TestATruncatedShardEndsTheJob(t *testing.T) {
	path := archived(t, 40)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, accepted := range []bool{false, true} {
		s, err := source.Open("webdataset", path, "")
		if err != nil {
			t.Fatal(err)
		}
		options := Options{Encoder: tiny(t), Source: s, Folder: filepath.Join(t.TempDir(), "out"), Shard: 8, MostBad: 5, Truncated: accepted}
		state, err := Run(t.Context(), options)
		if accepted && (err != nil || state.Bad != 1 || state.Pictures == 0) {
			t.Errorf("accepted: %+v, %v", state, err)
		}
		if !accepted && (err == nil || !strings.Contains(err.Error(), "is truncated or damaged after the sample")) {
			t.Errorf("error %v", err)
		}
	}
}

func TestNamesInTheListOfBadItemsArePrintable(t *testing.T) {
	for name, want := range map[string]string{"a b.png": "a b.png", "é\x1b[31m": `"é\x1b[31m"`, "\xff": `"\xff"`, "a\x00": `"a\x00"`} {
		if got := newBad(source.Item{Name: name}, fmt.Errorf("open %s", name)); got.Name != want || strings.ContainsFunc(got.Reason, unicode.IsControl) || !utf8.ValidString(got.Reason) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
