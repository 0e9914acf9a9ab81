//go:build unix

package userfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAndDevicesAreRefused opens files that block or never end.
func TestPipesAndDevicesAreRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{pipe: "a named pipe", "/dev/zero": "a device", link: "a device"} {
		var wrong *KindError
		if _, err := ReadFile(path, 1<<40); !errors.As(err, &wrong) || wrong.Kind != kind {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestStreamsAreReadWhereAUserNamesThem reads a pipe, and one that nothing is written to.
func TestStreamsAreReadWhereAUserNamesThem(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string, last <-chan struct{}) {
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		w.WriteString(text)
		<-last
		w.Close()
	}
	now := make(chan struct{})
	close(now)
	go write("text", now)
	if got, err := ReadStream(t.Context(), pipe, 10); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
	later := make(chan struct{})
	defer close(later)
	go write("", later)
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := ReadStream(ctx, pipe, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent pipe: %v", err)
	}
	var large *SizeError
	if _, err := ReadStream(t.Context(), "/dev/zero", 1<<20); !errors.As(err, &large) {
		t.Errorf("/dev/zero: %v", err)
	}
}
