package beside

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestRoomLeavesNothingBehind(t *testing.T) {
	folder := t.TempDir()
	for _, bytes := range []int64{0, 1, roomPart, 3*roomPart + 5} {
		if err := Room(filepath.Join(folder, "file"), bytes); err != nil {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if err := Room(filepath.Join(folder, "missing", "file"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one of the missing folder", err)
	}
}
