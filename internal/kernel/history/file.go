package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	sqlite "modernc.org/sqlite"
)

// Variable names the environment variable that says where the history is kept: a path, or
// "off" for nowhere.
const Variable = "GOSPHERE_HISTORY"

// Path returns where the history of this user is kept, "" for nowhere: what Variable says, or
// a file in the folder where programs of this system keep their data.
func Path() string {
	switch path := os.Getenv(Variable); path {
	case "":
	case "off":
		return ""
	default:
		return path
	}
	folder := dataFolder()
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "gosphere", "history.sqlite")
}

// dataFolder returns the folder for the data of this user's programs, "" if there is none.
func dataFolder() string {
	switch runtime.GOOS {
	case "windows":
		return os.Getenv("LOCALAPPDATA")
	case "darwin":
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, "Library", "Application Support")
		}
		return ""
	}
	if folder := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(folder) {
		return folder
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share")
	}
	return ""
}

// lockTime is how long one attempt waits for another process that writes.
const lockTime = time.Second

// open opens a history file, or makes it. Nobody but its owner may read it: cells hold
// passwords and keys.
func open(ctx context.Context, path string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// SQLite gives the files beside it the rights of this one.
	made, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := made.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		err = made.Chmod(info.Mode().Perm() &^ 0o077)
	}
	if err = errors.Join(err, made.Close()); err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	settings := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", lockTime.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)", "cache_size(-512)",
	}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", address(path)+"?"+settings.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &file{db: db}, nil
}

// prepare makes the first connection and the tables. SQLite does not wait for the lock while it
// changes the journal mode of a new file (two connections that did would wait for each other),
// so the attempt is repeated here.
func prepare(ctx context.Context, db *sql.DB) error {
	for limit := time.Now().Add(lockTime); ; {
		_, err := db.ExecContext(ctx, tables)
		if err == nil || !isBusy(err) || time.Now().After(limit) {
			return err
		}
		select {
		case <-time.After(lockTime / 100):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// address returns a path as the URI that SQLite takes, in which some characters mean something.
func address(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/folder
	}
	return (&url.URL{Scheme: "file", Path: path, OmitHost: true}).String()
}

// The codes of SQLite's errors (sqlite.org/rescode.html) that are told apart.
const (
	codeBusy    = 5
	codeLocked  = 6
	codeCorrupt = 11
	codeNotADB  = 26
)

func code(err error) int {
	var failure *sqlite.Error
	if errors.As(err, &failure) {
		return failure.Code() & 0xff
	}
	return 0
}

// isBusy tells that another process held the file for too long.
func isBusy(err error) bool { return code(err) == codeBusy || code(err) == codeLocked }

// isDamaged tells that the file is no history file, or one whose content is broken.
func isDamaged(err error) bool {
	return code(err) == codeCorrupt || code(err) == codeNotADB
}

// putAside renames a damaged file, and what belongs to it, and returns the new name. If the
// file is not the one that was found damaged any more, another process has done so.
func putAside(path string, damaged os.FileInfo) (kept string, err error) {
	now, err := os.Stat(path)
	if err != nil || damaged != nil && !os.SameFile(now, damaged) {
		return "", err
	}
	kept = path + ".damaged-" + time.Now().Format("20060102-150405.000")
	for _, ending := range []string{"-wal", "-shm"} {
		if renameErr := os.Rename(path+ending, kept+ending); renameErr != nil && !errors.Is(renameErr, os.ErrNotExist) {
			return "", renameErr
		}
	}
	return kept, os.Rename(path, kept)
}
