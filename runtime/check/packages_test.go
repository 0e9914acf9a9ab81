package check_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"gosphere/runtime/internal/packages"
)

// openStore reads the archive from its files, so that the tests need not link the symbol tables.
var openStore = sync.OnceValues(func() (*packages.Store, error) {
	dir := filepath.Join("..", "symbols", "archive")
	shared, err := os.ReadFile(filepath.Join(dir, "shared.bin"))
	if err != nil {
		return nil, err
	}
	platform, err := os.ReadFile(filepath.Join(dir, runtime.GOOS+"_"+runtime.GOARCH+".bin"))
	if err != nil {
		return nil, err
	}
	return packages.Open(string(shared), string(platform))
})

// store returns the type information shared by the tests.
func store(t testing.TB) *packages.Store {
	t.Helper()
	s, err := openStore()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
