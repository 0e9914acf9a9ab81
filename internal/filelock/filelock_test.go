package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestOneProcessWorksInAFolderAtATime(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no other process uses the files of a page")
	}
	folder := filepath.Join(t.TempDir(), "a", "b")
	var mu sync.Mutex
	inside, most, waits := 0, 0, 0
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			release, err := Folder(t.Context(), folder, func(holder string) {
				mu.Lock()
				waits++
				mu.Unlock()
				if holder != "another process" && holder != fmt.Sprintf("process %d", os.Getpid()) {
					t.Errorf("holder %q", holder)
				}
			})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			inside--
			mu.Unlock()
			release()
		})
	}
	group.Wait()
	if most != 1 {
		t.Errorf("%d at a time", most)
	}
	if entries, err := os.ReadDir(folder); err != nil || runtime.GOOS != "windows" && len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no other process uses the files of a page")
	}
	folder := t.TempDir()
	release, err := Folder(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Folder(ctx, folder, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(t.Context(), file, nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
}
