package process

import (
	"context"
	"fmt"
	"io"

	"gosphere/internal/filelock"
)

// InTurn waits until no other process works in a folder, and says so on stderr. The work of that
// process is then found done.
func InTurn(ctx context.Context, folder string, stderr io.Writer) (release func(), err error) {
	return filelock.Folder(ctx, folder, func(holder string) {
		fmt.Fprintf(stderr, "%s works in %s: waiting for its end\n", holder, folder)
	})
}
