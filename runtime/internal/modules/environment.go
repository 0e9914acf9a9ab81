package modules

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// An Environment holds the settings of the go command that determine where modules come from. They
// are described by go help environment and go help module-auth.
//
// The values are read once for each session, since a change in between would make the sources of
// one selection inconsistent.
type Environment struct {
	Cache     string // GOMODCACHE
	Proxy     string // GOPROXY
	NoProxy   string // GONOPROXY
	SumDB     string // GOSUMDB
	NoSumDB   string // GONOSUMDB
	Insecure  string // GOINSECURE
	Mod       string // flag -mod in GOFLAGS, such as vendor
	Netrc     string // file with names and passwords for proxies
	GoSumsDir string // folder where the client of the checksum database stores the latest tree
}

// FromEnvironment reads the environment variables, and the file that go env -w writes. The
// environment takes precedence over the file. The defaults are those of the go command.
//
// It reads the file itself instead of running go env, because a kernel does not need an
// installation of Go.
func FromEnvironment() Environment {
	written := readWritten()
	get := func(name, fallback string) string {
		return cmp.Or(os.Getenv(name), written[name], fallback)
	}
	home, _ := os.UserHomeDir()
	gopath := get("GOPATH", filepath.Join(home, "go"))
	// The module cache is below the first folder of GOPATH.
	gopath = filepath.SplitList(gopath)[0]
	private := get("GOPRIVATE", "")
	return Environment{
		Cache:     get("GOMODCACHE", filepath.Join(gopath, "pkg", "mod")),
		Proxy:     get("GOPROXY", "https://proxy.golang.org,direct"),
		NoProxy:   get("GONOPROXY", private),
		SumDB:     get("GOSUMDB", "sum.golang.org"),
		NoSumDB:   get("GONOSUMDB", private),
		Insecure:  get("GOINSECURE", ""),
		Mod:       modFlag(strings.Fields(get("GOFLAGS", ""))),
		Netrc:     cmp.Or(os.Getenv("NETRC"), netrcOf(home)),
		GoSumsDir: filepath.Join(gopath, "pkg", "sumdb"),
	}
}

// netrcOf returns the netrc file of a home folder. On Windows other programs name it _netrc, which
// takes precedence if it exists.
func netrcOf(home string) string {
	if legacy := filepath.Join(home, "_netrc"); runtime.GOOS == "windows" {
		if _, err := os.Stat(legacy); err == nil {
			return legacy
		}
	}
	return filepath.Join(home, ".netrc")
}

// modFlag returns the value of the flag -mod, or "". The last one counts.
//
// GOFLAGS may have flags of other commands, which are ignored. The go command accepts one dash or
// two.
func modFlag(flags []string) string {
	for _, flag := range slices.Backward(flags) {
		if value, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "mod="); ok {
			return value
		}
	}
	return ""
}

// readWritten returns the settings written by go env -w. Each line is NAME=VALUE, without quotes.
//
// A missing or unreadable file means that nothing was set, as for the go command.
func readWritten() map[string]string {
	file := os.Getenv("GOENV")
	if file == "off" {
		return nil
	}
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		file = filepath.Join(dir, "go", "env")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	written := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok && !strings.HasPrefix(name, "#") {
			written[name] = value
		}
	}
	return written
}

// checksPublic reports whether checksums of a module are verified with the checksum database.
// GOPRIVATE is the default of GONOSUMDB, so private modules are not disclosed to the database.
func (e Environment) checksPublic(path string) bool {
	return e.SumDB != "off" && !module.MatchPrefixPatterns(e.NoSumDB, path)
}

// A proxyEntry is one element of GOPROXY.
type proxyEntry struct {
	url string // or "direct" or "off"
	// anyError reports whether the next entry is tried after any error. Otherwise it is tried only
	// if this one does not have the module.
	anyError bool
}

// proxies returns the entries of GOPROXY to try for a module path. Nothing after off or direct is
// reached. For instance "https://a,https://b|direct" tries b only if a does not have the module,
// and direct after any error of b.
//
// A comma and a vertical bar after an entry say when the next one is tried (go help goproxy).
func (e Environment) proxies(path string) []proxyEntry {
	// The path of a private module must not be disclosed to a proxy.
	if module.MatchPrefixPatterns(e.NoProxy, path) && e.NoProxy != "none" {
		return []proxyEntry{{url: "direct"}}
	}
	var list []proxyEntry
	for rest := e.Proxy; rest != ""; {
		i := strings.IndexAny(rest, ",|")
		entry := proxyEntry{url: rest}
		if i >= 0 {
			entry = proxyEntry{rest[:i], rest[i] == '|'}
			rest = rest[i+1:]
		} else {
			rest = ""
		}
		if entry.url = strings.TrimRight(strings.TrimSpace(entry.url), "/"); entry.url == "" {
			continue
		}
		list = append(list, entry)
		if entry.url == "off" || entry.url == "direct" {
			break
		}
	}
	return list
}
