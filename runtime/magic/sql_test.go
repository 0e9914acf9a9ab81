package magic

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestConnectionsOfSQL(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.db")
	for connection, want := range map[string]string{
		":memory:":         "sqlite :memory:",
		"sqlite::memory:":  "sqlite :memory:",
		file:               "sqlite " + file,
		"sqlite://" + file: "sqlite " + file,
		file + "?mode=ro":  "sqlite " + file + "?mode=ro",
	} {
		driver, source, err := dataSource(connection)
		if got := driver + " " + source; err != nil || got != want {
			t.Errorf("%s: got %s, %v", connection, got, err)
		}
	}
	for connection, want := range map[string]string{
		"postgres://u@h/d": `unknown driver "postgres", want one of`,
		folder:             "is a folder, want an SQLite file or :memory:",
	} {
		if _, _, err := dataSource(connection); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", connection, err)
		}
	}
}
