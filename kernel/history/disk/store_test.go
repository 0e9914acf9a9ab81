//go:build !js

package disk

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

var everything = protocol.HistoryRequest{HistAccessType: "tail"}

// buffer is a writer that goroutines may share.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestWriterProcess is the other process of the test below.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv("GOSPHERE_TEST_HISTORY")
	if path == "" {
		t.Skip("only as a process of its own")
	}
	var said buffer
	l := New(Options{Path: path, Warn: &said, Patience: patience})
	for i := range 50 {
		l.Add(history.Cell{Line: i + 1, Source: fmt.Sprint("process ", os.Getpid(), " cell ", i+1)})
		runtime.Gosched()
	}
	l.Close(patience)
	// A file held by others for a second is reported but not an error.
	if text := said.String(); text != "" && !strings.Contains(text, "is locked by another program") {
		t.Error(text)
	}
}

func TestSeveralKernelsWriteAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	const writers = 4
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			other := exec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
			other.Env = append(os.Environ(), "GOSPHERE_TEST_HISTORY="+path)
			if out, err := other.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	l := New(Options{Path: path, Patience: patience})
	defer l.Close(patience)
	cells, err := l.Find(everything)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]int{}
	for _, c := range cells {
		if lines[c.Session]++; c.Line != lines[c.Session] {
			t.Errorf("session %d has line %d behind line %d", c.Session, c.Line, lines[c.Session]-1)
		}
	}
	if len(lines) != writers || len(cells) != 50*writers {
		t.Errorf("%d cells of %d sessions, want %d of %d", len(cells), len(lines), 50*writers, writers)
	}
}

func TestTheTablesAreThoseOfIPython(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	l := New(Options{Path: path, Patience: patience})
	fill(l, "1+1", "a")
	l.Close(patience)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var start, end, remark, source, raw, output string
	var cells int
	row := db.QueryRow(`SELECT start, end, num_cmds, remark, source, source_raw, output FROM sessions JOIN history USING (session)
		JOIN output_history USING (session, line) WHERE line = 1`)
	if err := row.Scan(&start, &end, &cells, &remark, &source, &raw, &output); err != nil {
		t.Fatal(err)
	}
	if cells != 2 || source != "1+1" || raw != "1+1" || output != "2" || len(start) < len("2006-01-02 15:04:05") || end < start {
		t.Errorf("read %q %q %d %q %q %q %q", start, end, cells, remark, source, raw, output)
	}
}

func TestOnlyTheOwnerMayReadTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other rights")
	}
	folder := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(folder, "history.sqlite")
	for _, before := range []os.FileMode{0, 0o644} {
		if before != 0 {
			if err := os.Chmod(path, before); err != nil {
				t.Fatal(err)
			}
		}
		l := New(Options{Path: path, Patience: patience})
		fill(l, "a")
		mustFind(t, l, everything)
		names, err := filepath.Glob(path + "*")
		if err != nil || len(names) < 2 {
			t.Errorf("files %v, %v; want one beside the history file", names, err)
		}
		for _, name := range append(names, folder) {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has the rights %v, %v", filepath.Base(name), info.Mode(), err)
			}
		}
		l.Close(patience)
	}
}

func TestADamagedFileIsPutAside(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"no history file": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("This is no SQLite file, but long enough to be looked at as one."), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"broken pages": func(t *testing.T, path string) {
			l := New(Options{Path: path, Patience: patience})
			for i := range 500 {
				l.Add(history.Cell{Line: i + 1, Source: strings.Repeat("x", 100)})
			}
			l.Close(patience)
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 4096; i < len(content); i++ {
				content[i] = 0xAA
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.sqlite")
			damage(t, path)
			damaged, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var said buffer
			l := New(Options{Path: path, Warn: &said, Patience: patience})
			fill(l, "a", "b")
			if got := mustFind(t, l, everything); got != "1.1:a 1.2:b" {
				t.Errorf("found %q", got)
			}
			l.Close(patience)
			kept, err := filepath.Glob(path + ".damaged-*")
			if err != nil || len(kept) != 1 {
				t.Fatalf("kept %v, %v", kept, err)
			}
			if content, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(content, damaged) {
				t.Errorf("the damaged file was changed (%v)", err)
			}
			if strings.Count(said.String(), "\n") != 1 || !strings.Contains(said.String(), kept[0]) {
				t.Errorf("said %q, want one line that names %s", said.String(), kept[0])
			}
			again := New(Options{Path: path, Patience: patience})
			if got := mustFind(t, again, everything); got != "1.1:a 1.2:b" {
				t.Errorf("the new file holds %q", got)
			}
			again.Close(patience)
		})
	}
}

func TestALockedFileIsWrittenLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	first := New(Options{Path: path, Patience: patience})
	fill(first, "old")
	first.Close(patience)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	var said buffer
	l := New(Options{Path: path, Warn: &said, Patience: patience})
	fill(l, "a", "b")
	if got := mustFind(t, l, everything); got != "1.1:a 1.2:b" {
		t.Errorf("while the file is locked %q is found, want this session from memory", got)
	}
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	l.Close(patience)
	again := New(Options{Path: path, Patience: patience})
	defer again.Close(patience)
	if got := mustFind(t, again, everything); got != "1.1:old 2.1:a 2.2:b" {
		t.Errorf("the file holds %q", got)
	}
	if text := said.String(); strings.Count(text, "\n") > 1 {
		t.Errorf("said %q, want one line at most", text)
	}
}

func TestMoreThanIsRememberedWaitsForALockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	first := New(Options{Path: path, Patience: patience})
	fill(first, "old")
	first.Close(patience)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	l := New(Options{Path: path, Patience: patience})
	const cells = 8
	for i := range cells {
		l.Add(history.Cell{Line: i + 1, Source: strings.Repeat("x", history.MemoryLimit/4)})
	}
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	l.Close(patience)
	again := New(Options{Path: path, Patience: patience})
	defer again.Close(patience)
	if got, err := again.Find(everything); err != nil || len(got) != 1+cells {
		t.Errorf("the file holds %d cells, %v, want %d", len(got), err, 1+cells)
	}
}

func TestAFileThatCannotBeWrittenCostsOnlyTheOtherSessions(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var said buffer
	l := New(Options{Path: filepath.Join(blocked, "history.sqlite"), Warn: &said, Patience: patience})
	fill(l, "a", "b")
	for range 3 {
		if got := mustFind(t, l, everything); got != "1.1:a 1.2:b" {
			t.Errorf("found %q", got)
		}
	}
	l.Close(patience)
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "in memory only") {
		t.Errorf("said %q, want one line", text)
	}
}

func TestARemovedFileIsMadeAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	l := New(Options{Path: path, Patience: patience})
	fill(l, "a")
	mustFind(t, l, everything)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && runtime.GOOS == "windows" {
			t.Skip("Windows does not remove open files")
		}
	}
	l.Add(history.Cell{Line: 2, Source: "b"})
	mustFind(t, l, everything)
	l.Close(patience)
	again := New(Options{Path: path, Patience: patience})
	defer again.Close(patience)
	if got := mustFind(t, again, everything); got != "1.2:b" {
		t.Errorf("the new file holds %q", got)
	}
}

func TestPathFollowsTheEnvironment(t *testing.T) {
	t.Setenv(Variable, "off")
	if got := Path(); got != "" {
		t.Errorf("off gives %q", got)
	}
	t.Setenv(Variable, "some/where.sqlite")
	if got := Path(); got != "some/where.sqlite" {
		t.Errorf("a path gives %q", got)
	}
	t.Setenv(Variable, "")
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("LOCALAPPDATA", data)
	t.Setenv("HOME", data)
	if got := Path(); !strings.HasPrefix(got, data) || !strings.HasSuffix(got, filepath.Join("gosphere", "history.sqlite")) {
		t.Errorf("by itself it is %q, want one in %s", got, data)
	}
}

func TestLeavingWritesEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	l := New(Options{Path: path, Patience: patience})
	for i := range 200 {
		l.Add(history.Cell{Line: i + 1, Source: "x"})
	}
	l.Leave(patience)
	again := New(Options{Path: path, Patience: patience}) // as another process finds it
	defer again.Close(patience)
	cells, err := again.Find(everything)
	if err != nil || len(cells) != 200 {
		t.Errorf("%d cells, %v", len(cells), err)
	}
	l.Close(patience)
}

func TestNothingIsOpenedBeforeTheFirstCell(t *testing.T) {
	var said bytes.Buffer
	l := New(Options{Path: t.TempDir() + "/none/history.sqlite", Warn: &said, Patience: patience})
	l.Close(patience)
	if l.store.started || said.Len() > 0 {
		t.Errorf("started %v, said %q", l.store.started, said.String())
	}
	l.Add(history.Cell{Line: 1, Source: "late"}) // goes into memory
	if got := mustFind(t, l, protocol.HistoryRequest{HistAccessType: "tail"}); got != "1.1:late" {
		t.Errorf("found %q", got)
	}
}
