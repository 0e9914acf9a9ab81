package laboratory

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/asymvlm/encoder"
)

func TestEncodersOnThisMachineAreListed(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"all-MiniLM-L6-v2", "my-own"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(encoder.FoldersVariable, folder)
	var out bytes.Buffer
	if err := listEncoders(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{filepath.Join(folder, "all-MiniLM-L6-v2"), filepath.Join(folder, "my-own"), "clip-vit-base-patch32", "Apache-2.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestAnEncoderIsDownloadedFromAServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(r.URL.Path))
	}))
	defer server.Close()
	folder := filepath.Join(t.TempDir(), "model")
	var out bytes.Buffer
	get := EncoderGet{Model: "all-MiniLM-L6-v2", Folder: folder, Server: server.URL, Revision: "main"}
	if err := get.run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "1_Pooling", "config.json"))
	if want := "/sentence-transformers/all-MiniLM-L6-v2/resolve/main/1_Pooling/config.json"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if !strings.Contains(out.String(), folder) {
		t.Errorf("printed %q", &out)
	}
	get.Model = "nothing"
	if err := get.run(context.Background(), &out); err == nil || !strings.Contains(err.Error(), "gosphere encoder list") {
		t.Errorf("an unknown model: %v", err)
	}
}

func TestAFolderIsDescribedAndNotMistakenForAnother(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "golden", "encoders", "models", "clip_hf_gelu")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no references:", err)
	}
	var out bytes.Buffer
	if err := (EncoderInfo{Model: folder}).run(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"clip, layout of huggingface", "stored as F32", "32×32 pixels in patches of 8", "tokenizer   none"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	err := EncoderCheck{Model: folder}.run(context.Background(), &out)
	if err == nil || !strings.Contains(err.Error(), "no vectors are stored for") {
		t.Errorf("check: %v", err)
	}
}
