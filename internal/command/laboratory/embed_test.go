package laboratory

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gosphere/asymvlm/encoder/bulk"
)

func TestEmbedRefusesFlagsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "captions.txt"), []byte("a.jpg\ta dog\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, e := range map[string]Embed{
		`--data "photos": want KIND:PATH`:                  {Data: "photos", Shard: 1},
		"--scenes 2: want at least 1":                      {Data: "folder:" + dir, Shard: 1, Texts: true, Scenes: 2},
		"--shard 0":                                        {Data: "folder:" + dir},
		`kind "photos", want one of captions, cc, cifar10`: {Data: "photos:" + dir, Shard: 1},
		"there is no nothing":                              {Data: "folder:" + dir, Shard: 1, Encoder: "nothing"},
	} {
		var out bytes.Buffer
		if err := e.run(context.Background(), &out, &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTheProgressOfEmbedHasRateAndTimeLeft(t *testing.T) {
	state := bulk.State{Pictures: 300, Captions: 1500, Bad: 10, Count: 510, Resumed: 100, Elapsed: 20 * time.Second}
	if got, want := progressLine(state, "pictures"), "300 pictures, 1500 captions, 10.0 pictures/s, 10 unusable, of 510, 20s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	state = bulk.State{Pictures: 300, Captions: 1500, Count: -1, Elapsed: 30 * time.Second}
	if got, want := progressLine(state, "pictures"), "300 pictures, 1500 captions, 10.0 pictures/s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
