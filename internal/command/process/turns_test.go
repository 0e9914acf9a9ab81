package process

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"gosphere/internal/filelock"
)

// TestCommandsTakeTurnsInAFolder waits for another process that works in the folder.
func TestCommandsTakeTurnsInAFolder(t *testing.T) {
	folder := t.TempDir()
	release, err := filelock.Folder(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := InTurn(ctx, folder, &stderr); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := stderr.String(); !strings.HasPrefix(got, "process ") || !strings.HasSuffix(got, " works in "+folder+": waiting for its end\n") {
		t.Errorf("message %q", got)
	}
	release()
	release, err = InTurn(t.Context(), folder, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	release()
}
