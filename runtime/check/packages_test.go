package check_test

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// exported is the type information of the packages that the tests import, as the go
// command builds it.
type exported struct {
	types.Importer
	mu    sync.Mutex
	files map[string]string
}

var loadExported = sync.OnceValues(func() (*exported, error) {
	list := "fmt strings math math/rand math/rand/v2 sort errors time os strconv iter maps slices cmp sync sync/atomic bytes io image image/color encoding/json container/heap context bufio regexp unicode text/template crypto/rand math/big reflect log log/slog os/exec net/http net/http/httptest crypto/sha256 encoding/hex text/tabwriter container/list"
	arguments := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, strings.Fields(list)...)
	out, err := exec.Command("go", arguments...).Output()
	if err != nil {
		return nil, err
	}
	p := &exported{files: map[string]string{}}
	for _, line := range strings.Fields(string(out)) {
		path, file, _ := strings.Cut(line, "=")
		p.files[path] = file
	}
	p.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file := p.files[path]
		if file == "" {
			return nil, fmt.Errorf("package %s is not available", path)
		}
		data, err := os.ReadFile(file)
		return io.NopCloser(bytes.NewReader(data)), err
	})
	return p, nil
})

func (p *exported) Import(path string) (*types.Package, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Importer.Import(path)
}

func (p *exported) PathsNamed(name string) []string {
	if name == "rand" {
		return []string{"math/rand", "math/rand/v2", "crypto/rand"}
	}
	var list []string
	for path := range p.files {
		if (path == name || strings.HasSuffix(path, "/"+name)) && !strings.Contains(path, "internal") {
			list = append(list, path)
		}
	}
	return list
}

// packages returns the packages of the tests, and skips where there is no go command.
func packages(t testing.TB) *exported {
	t.Helper()
	p, err := loadExported()
	if err != nil {
		t.Skipf("no export data: %v", err)
	}
	return p
}
