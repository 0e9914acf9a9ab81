//go:build !js

package disk

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

// Variable is the environment variable that sets the path of the history file, or "off" for none.
const Variable = "GOSPHERE_HISTORY"

// Path returns the path of the user's history file, or "" for none: the value of Variable, or a
// file in the system's folder for application data. On Linux the folder is XDG_DATA_HOME, or
// ~/.local/share.
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

// dataFolder returns the folder for application data of the user, or "" if there is none.
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

// lockTime bounds how long one attempt waits for another process that writes. Longer waits are made
// of several attempts, between which other requests are served.
const lockTime = time.Second

// open opens a history file or creates it. Only its owner may read it, because cells may contain
// passwords and keys. The settings are per connection: busy_timeout lets SQLite wait for the lock;
// WAL lets processes read while another writes; NORMAL may lose the last cells when the power
// fails, but does not damage the file; a negative cache_size counts KiB. Transactions are
// immediate, because one that begins by reading and then writes fails at once, without waiting, if
// another process has written in between.
func open(ctx context.Context, path string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// SQLite gives its auxiliary files the permissions of this one.
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
	// sql.Open does not open the file yet; prepare does.
	db, err := sql.Open("sqlite", address(path)+"?"+settings.Encode())
	if err != nil {
		return nil, err
	}
	// One goroutine uses the file, so a second connection would only cost memory.
	db.SetMaxOpenConns(1)
	if err := prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &file{db: db}, nil
}

// prepare makes the first connection and the tables. SQLite does not wait for the lock while it
// changes the journal mode of a new file, because two such connections would wait for each other,
// so the attempt is repeated here. Several kernels may open a new file at once.
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

// address returns a path as a URI for SQLite, with special characters escaped. A question mark or
// percent sign in the path would otherwise end it or be decoded.
func address(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/folder
	}
	return (&url.URL{Scheme: "file", Path: path, OmitHost: true}).String()
}

// Result codes of SQLite (sqlite.org/rescode.html) that are handled.
const (
	codeBusy    = 5
	codeLocked  = 6
	codeCorrupt = 11
	codeNotADB  = 26
)

// code returns the primary result code of an error of SQLite, which is in the low byte, or 0.
func code(err error) int {
	var failure *sqlite.Error
	if errors.As(err, &failure) {
		return failure.Code() & 0xff
	}
	return 0
}

// isBusy reports whether another process held the file for too long. SQLITE_LOCKED is the same
// conflict between connections of one process.
func isBusy(err error) bool { return code(err) == codeBusy || code(err) == codeLocked }

// isDamaged reports whether the file is not a history file, or a corrupt one. The latter may be
// detected late, when the damaged page is read.
func isDamaged(err error) bool {
	return code(err) == codeCorrupt || code(err) == codeNotADB
}

// putAside renames a damaged file and its auxiliary files, and returns the new name. If the file is
// no longer the one that was found damaged, another process has already renamed it. The auxiliary
// files are renamed first: SQLite would apply the log of the damaged file to a new one of the same
// name. For instance history.sqlite becomes history.sqlite.damaged-20260131-093000.123. Nothing is
// deleted, so a user can repair it.
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
