package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// content is the content of a served file.
var content = bytes.Repeat([]byte("weights "), 1<<15)

// A server serves one repository and counts the bytes sent.
type server struct {
	*httptest.Server
	sent    atomic.Int64
	cut     atomic.Int64 // bytes after which a connection is closed; 0 for none
	lies    bool
	refuses int
}

func newServer(t *testing.T) *server {
	s := &server{}
	mux := http.NewServeMux()
	mux.HandleFunc("/me/model/resolve/main/", func(w http.ResponseWriter, r *http.Request) {
		if s.refuses != 0 {
			w.WriteHeader(s.refuses)
			return
		}
		sum := sha256.Sum256(content)
		if s.lies {
			sum[0]++
		}
		w.Header().Set("X-Linked-Etag", `"`+hex.EncodeToString(sum[:])+`"`)
		http.Redirect(w, r, "/store/"+filepath.Base(r.URL.Path), http.StatusFound)
	})
	mux.HandleFunc("/store/", func(w http.ResponseWriter, r *http.Request) {
		counted := &counter{ResponseWriter: w, server: s}
		http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(content))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// A counter counts the bytes of a response and closes the connection at the limit.
type counter struct {
	http.ResponseWriter
	server *server
	n      int
}

func (c *counter) Write(b []byte) (int, error) {
	if cut := int(c.server.cut.Load()); cut > 0 && c.n+len(b) > cut {
		c.ResponseWriter.Write(b[:cut-c.n])
		panic(http.ErrAbortHandler)
	}
	c.n += len(b)
	c.server.sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

func TestFilesAreDownloadedOnce(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	o := Options{Server: s.URL, Repository: "me/model", Files: []string{"model.safetensors", "1_Pooling/config.json"}, Folder: dir}
	for range 2 {
		if err := Get(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range o.Files {
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes, %v", file, len(got), err)
		}
	}
	if int(s.sent.Load()) != 2*len(content) {
		t.Errorf("%d bytes sent, want %d", s.sent.Load(), 2*len(content))
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil || strings.Count(string(sums), "\n") != 2 {
		t.Errorf("%q, %v", sums, err)
	}
}

func TestADownloadGoesOnWhereItEnded(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	s.cut.Store(1 << 16)
	o := Options{Server: s.URL, Repository: "me/model", Files: []string{"model.safetensors"}, Folder: dir}
	if err := Get(context.Background(), o); err == nil || !strings.Contains(err.Error(), "again to go on") {
		t.Fatalf("a cut connection: %v", err)
	}
	part, err := os.Stat(filepath.Join(dir, "model.safetensors.part"))
	if err != nil || part.Size() == 0 {
		t.Fatalf("%v, %v", part, err)
	}
	s.cut.Store(0)
	s.sent.Store(0)
	if err := Get(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "model.safetensors")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if want := len(content) - int(part.Size()); int(s.sent.Load()) != want {
		t.Errorf("%d bytes sent, want the missing %d", s.sent.Load(), want)
	}
}

func TestAWrongChecksumLeavesNoFile(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	s.lies = true
	err := Get(context.Background(), Options{Server: s.URL, Repository: "me/model", Files: []string{"model.safetensors"}, Folder: dir})
	if err == nil || !strings.Contains(err.Error(), "the hub states") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

func TestAnswersThatAreNoFileAreErrors(t *testing.T) {
	s, dir := newServer(t), t.TempDir()
	get := func(o Options) error {
		o.Repository, o.Folder = "me/model", dir
		return Get(context.Background(), o)
	}
	for status, want := range map[int]string{404: "404 Not Found", 401: "accept its license", 500: "500"} {
		s.refuses = status
		if err := get(Options{Server: s.URL, Files: []string{"a"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("status %d: %v, want %q", status, err, want)
		}
	}
	if err := get(Options{Server: s.URL, Files: []string{"../a"}}); err == nil || !strings.Contains(err.Error(), "not a path inside") {
		t.Errorf("a file outside: %v", err)
	}
	s.Close()
	if err := get(Options{Server: s.URL, Files: []string{"a"}}); err == nil || !strings.Contains(err.Error(), "copy it to "+filepath.Join(dir, "a")) {
		t.Errorf("no server: %v, want what to do", err)
	}
}
