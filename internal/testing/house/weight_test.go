package house

import (
	"slices"
	"strings"
	"testing"
)

// light are the packages of the standard library and of modules that the packages of
// runtime/interp import. What they bring is in each program that evaluates Go: net, crypto,
// databases, pictures, package testing and the analyses of x/tools must not be among them.
var light = strings.Fields(`
	archive/zip bytes cmp compress/flate context embed encoding/binary encoding/json errors flag fmt hash/crc32 hash/fnv
	go/ast go/build go/build/constraint go/constant go/parser go/scanner go/token go/types
	image io io/fs iter log log/slog maps math math/bits math/rand/v2 os os/exec os/signal path path/filepath
	reflect regexp runtime runtime/debug runtime/metrics runtime/pprof slices sort strconv strings sync sync/atomic syscall syscall/js
	text/tabwriter time unicode unicode/utf8 unsafe weak
	golang.org/x/mod/module golang.org/x/mod/semver golang.org/x/sys/unix golang.org/x/tools/go/gcexportdata`)

// own are the packages of this module among those that runtime/interp imports, itself or through
// others.
var own = strings.Fields(`
	internal/abridge internal/beside internal/golang internal/goroutine internal/host internal/lazyregexp internal/modulepath internal/userfile
	kernel/protocol runtime/cell runtime/cell/magics runtime/check runtime/comm runtime/goembed runtime/interp
	runtime/internal/assist runtime/internal/debug runtime/internal/exec runtime/internal/generic runtime/internal/gotest/suite
	runtime/internal/guard runtime/internal/guard/cycles runtime/internal/guard/eventloop runtime/internal/guard/limits runtime/internal/guard/panics
	runtime/internal/guard/schedule runtime/internal/guard/sharing runtime/internal/guard/streams runtime/internal/hostcall runtime/internal/ir
	runtime/internal/link runtime/internal/linked runtime/internal/lower runtime/internal/machine runtime/internal/machine/builtin
	runtime/internal/machine/operation runtime/internal/modules/godebug runtime/internal/modules/requirement runtime/internal/override
	runtime/internal/override/os runtime/internal/packages runtime/internal/realtype runtime/internal/reflected runtime/internal/session
	runtime/internal/source runtime/internal/spelling runtime/internal/sqltext runtime/internal/symtab runtime/internal/unread`)

func TestProgramsThatEvaluateGoStayLight(t *testing.T) {
	imports := map[string][]string{} // by package
	for _, file := range readTree(t) {
		if file.test {
			continue
		}
		for _, spec := range file.syntax.Imports {
			imports[file.room] = append(imports[file.room], strings.Trim(spec.Path.Value, `"`))
		}
	}
	if len(imports["runtime/interp"]) == 0 {
		t.Fatal("runtime/interp imports nothing")
	}
	seen := map[string]bool{"runtime/interp": true}
	for left := []string{"runtime/interp"}; len(left) > 0; left = left[1:] {
		for _, path := range imports[left[0]] {
			room, ours := strings.CutPrefix(path, "gosphere/")
			switch {
			case !ours && !slices.Contains(light, path):
				t.Errorf("%s imports %s, which then is in every program that evaluates Go: have the session get it by an interface, as session.Notebook does", left[0], path)
			case ours && !seen[room] && !slices.Contains(own, room):
				t.Errorf("%s imports %s, which then is in every program that evaluates Go", left[0], path)
				fallthrough
			case ours && !seen[room]:
				left = append(left, room)
			}
			seen[room] = true
		}
	}
	for _, list := range [][]string{light, own} {
		for _, path := range list {
			if !seen[path] {
				t.Errorf("%s is listed, and nothing imports it", path)
			}
		}
	}
}
