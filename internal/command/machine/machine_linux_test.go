package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFieldsOfProcFiles(t *testing.T) {
	const text = "MemTotal:       16318412 kB\nmodel name\t: A: processor\nempty:\n"
	if got := kibibytes(text, "MemTotal"); got != 16318412<<10 {
		t.Errorf("%d bytes", got)
	}
	if got := kibibytes(text, "empty"); got != 0 {
		t.Errorf("%d bytes of nothing", got)
	}
	if got, ok := field(text, "model name"); !ok || got != "A: processor" {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := field(text, "model"); ok {
		t.Error("part of a name is taken for it")
	}
}

func TestNoLimitIsZero(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.max")
	for text, want := range map[string]uint64{"max\n": 0, "1073741824\n": 1 << 30} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := number(path); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
	if got := number(path + ".none"); got != 0 {
		t.Errorf("a missing file is %d", got)
	}
}
