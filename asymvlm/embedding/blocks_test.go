package embedding

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inTwo yields a matrix in two blocks and then the given error, unless it is nil.
func inTwo(m Matrix, err error) iter.Seq2[Matrix, error] {
	return func(yield func(Matrix, error) bool) {
		middle := m.Rows / 2
		if yield(m.RowRange(0, middle), nil) && yield(m.RowRange(middle, m.Rows), nil) && err != nil {
			yield(Matrix{}, err)
		}
	}
}

func TestRowsWrittenInBlocksAreThoseOfTheMatrix(t *testing.T) {
	m, dir := NewMatrix(7, 3), t.TempDir()
	for i := range m.Values {
		m.Values[i] = float32(i)/7 - 1
	}
	half, err := m.Float16()
	if err != nil {
		t.Fatal(err)
	}
	for kind, array := range map[string]*Array{"F32": m.Array(), "F16": half} {
		whole, blocks := filepath.Join(dir, kind+".npy"), filepath.Join(dir, kind+"-blocks.npy")
		if err := WriteNPY(whole, array); err != nil {
			t.Fatal(err)
		}
		if err := WriteNPYBlocks(blocks, kind, 7, 3, inTwo(m, nil)); err != nil {
			t.Fatal(err)
		}
		a, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(blocks); err != nil || string(a) != string(b) {
			t.Errorf("%s: the files differ (%v)", kind, err)
		}
	}
}

func TestBlocksThatDoNotFitLeaveNoFile(t *testing.T) {
	m, large := NewMatrix(4, 2), NewMatrix(4, 2)
	large.Set(3, 1, 1e5)
	path := filepath.Join(t.TempDir(), "a.npy")
	for want, err := range map[string]error{
		"4 rows, want 5":                       WriteNPYBlocks(path, "F32", 5, 2, inTwo(m, nil)),
		"rows of 2 columns, want 3":            WriteNPYBlocks(path, "F32", 4, 3, inTwo(m, nil)),
		"rows of type I64":                     WriteNPYBlocks(path, "I64", 4, 2, inTwo(m, nil)),
		"the disk is gone":                     WriteNPYBlocks(path, "F32", 4, 2, inTwo(m, errors.New("the disk is gone"))),
		"row 3, column 1: 100000, which is no": WriteNPYBlocks(path, "F16", 4, 2, inTwo(large, nil)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
}
