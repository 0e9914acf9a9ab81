// Package filelock lets processes take turns, by locks of files. A lock ends with its process, so a
// crash leaves none.
package filelock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Name is the name of the file by which processes take turns in a folder.
const Name = ".gosphere-lock"

// Folder makes the calling process the only one that works in a folder, which it creates. If
// another process does, it calls waits once, with a description of that process, and waits. The
// file of the lock is removed by release.
//
// It polls, because a blocking lock of a file could not be interrupted.
func Folder(ctx context.Context, folder string, waits func(holder string)) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, Name)
	told := false
	for wait := time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		file, held, err := try(path)
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", folder, err)
		}
		if held {
			return func() {
				os.Remove(path) // in Windows an open file stays, which does no harm
				Unlock(file)
				file.Close()
			}, nil
		}
		if !told {
			told = true
			waits(holder(path))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// try tries to lock a file once.
func try(path string) (file *os.File, held bool, err error) {
	if file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, false, err
	}
	if held, err = TryLock(file); err != nil || !held {
		file.Close()
		if err != nil {
			err = &os.PathError{Op: "lock", Path: path, Err: err}
		}
		return nil, false, err
	}
	// The process that held the lock may have removed the file in between. Then a third one can lock
	// another file of the name.
	mine, err := file.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Stat(path); err == nil && os.SameFile(mine, there) {
			_ = file.Truncate(0)
			_, _ = fmt.Fprintf(file, "process %d", os.Getpid()) // for messages of others only
			return file, true, nil
		}
	}
	Unlock(file)
	file.Close()
	if os.IsNotExist(err) {
		err = nil
	}
	return nil, false, err
}

// holder describes the process that holds the lock of a file.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return "another process"
	}
	return strings.TrimSpace(string(text))
}
