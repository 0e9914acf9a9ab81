package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	modzip "golang.org/x/mod/zip"

	"gosphere/internal/lazyregexp"
)

// A direct is a source that reads a module from its Git repository.
//
// The files are made from the repository with the rules that a proxy applies, so that their
// checksums are those of the database.
type direct struct {
	set  *Set
	path string
}

// repository clones the repository of the module, or returns the existing clone. Clones are kept in
// the module cache, apart from those of the go command.
//
// The clone contains the whole history, since a pseudo-version may name any commit. Files are read
// from the objects of the repository and never checked out.
func (d *direct) repository(ctx context.Context) (dir, sub string, err error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", "", errors.New("GOPROXY=direct needs git, which is not on PATH")
	}
	url, root, err := d.discover(ctx)
	if err != nil {
		return "", "", err
	}
	sub = strings.Trim(strings.TrimPrefix(d.path, root), "/")
	escaped, err := module.EscapePath(root)
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(d.set.environment.Cache, "cache", "gosphere-git", filepath.FromSlash(escaped))
	// The go command has clones in a format of its own, whose layout is internal to it.
	if _, err := os.Stat(filepath.Join(dir, ".git", "HEAD")); err == nil {
		return dir, sub, nil
	}
	d.set.report("cloning " + url)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", "", err
	}
	// A clone is renamed when it is complete, so that an interrupted one leaves nothing.
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "clone-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(fresh)
	if _, err := git(ctx, fresh, "clone", "--no-checkout", "--quiet", "--", url, "."); err != nil {
		return "", "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, exists := os.Stat(filepath.Join(dir, ".git", "HEAD")); exists == nil {
			return dir, sub, nil // another process has cloned it meanwhile
		}
		return "", "", err
	}
	return dir, sub, nil
}

// importMeta matches the element of a page that names a repository; see go help importpath. For
// instance <meta name="go-import" content="rsc.io/quote git https://github.com/rsc/quote">.
var importMeta = lazyregexp.New(`<meta\s+name=["']?go-import["']?\s+content=["']([^"']+)["']`)

// discover returns the URL of the repository and the import path of its root. The two hosts named
// here serve Git at a known address; all others are asked for a page. Other version control systems
// and addresses without https are not supported.
//
// A response over http could name any repository, so redirects from https are refused by the client
// and an address without https is ignored.
func (d *direct) discover(ctx context.Context) (url, root string, err error) {
	parts := strings.Split(d.path, "/")
	switch parts[0] {
	case "github.com", "bitbucket.org":
		if len(parts) < 3 {
			return "", "", fmt.Errorf("%w: %s is no repository", errAbsent, d.path)
		}
		root = strings.Join(parts[:3], "/")
		return "https://" + root, root, nil
	}
	// A server that knows the import path answers with a page that has the element, for each path
	// below the root as well.
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+d.path+"?go-get=1", nil)
	if err != nil {
		return "", "", err
	}
	response, err := d.set.client.Do(request)
	if err != nil {
		return "", "", shorter(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(io.LimitReader(response.Body, mostText))
	if err != nil {
		return "", "", err
	}
	for _, match := range importMeta.FindAllSubmatch(page, -1) {
		f := strings.Fields(string(match[1]))
		if len(f) == 3 && f[1] == "git" && (d.path == f[0] || strings.HasPrefix(d.path, f[0]+"/")) && strings.HasPrefix(f[2], "https://") {
			return f[2], f[0], nil
		}
	}
	return "", "", fmt.Errorf("%w: https://%s names no Git repository for it", errAbsent, d.path)
}

// git runs git in a repository. A repository that needs a password fails instead of asking on the
// terminal. The arguments are separated from options by the callers, because versions come from
// users.
//
// The context ends git when the cell is interrupted.
func git(ctx context.Context, dir string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %s", arguments[0], firstLine(stderr.String(), err.Error()))
	}
	return out, nil
}

// text implements source. It returns what a proxy would return. An empty name is @latest, the
// newest commit of the default branch.
//
// Versions are unescaped, because callers write names as they are in the URLs of a proxy.
func (d *direct) text(ctx context.Context, path, name string) ([]byte, error) {
	dir, sub, err := d.repository(ctx)
	if err != nil {
		return nil, err
	}
	prefix := tagPrefix(sub)
	switch {
	case name == "list":
		return d.list(ctx, dir, prefix)
	case name == "":
		return d.info(ctx, dir, prefix, "refs/remotes/origin/HEAD")
	case strings.HasSuffix(name, ".info"):
		version, err := module.UnescapeVersion(strings.TrimSuffix(name, ".info"))
		if err != nil {
			return nil, err
		}
		return d.info(ctx, dir, prefix, version)
	case strings.HasSuffix(name, ".mod"):
		version, err := module.UnescapeVersion(strings.TrimSuffix(name, ".mod"))
		if err != nil {
			return nil, err
		}
		revision, err := d.revision(ctx, dir, prefix, version)
		if err != nil {
			return nil, err
		}
		file := strings.TrimPrefix(strings.TrimSuffix(prefix, "/")+"/go.mod", "/")
		data, err := git(ctx, dir, "show", revision+":"+file)
		if err != nil { // the module predates go.mod files
			return []byte("module " + modfilePath(path) + "\n"), nil
		}
		return data, nil
	}
	return nil, fmt.Errorf("%w: %s", errAbsent, name)
}

// modfilePath quotes a module path if the syntax of go.mod files requires it.
//
// The text has to agree with that of a proxy to the byte, or its checksum would not be found in the
// database.
func modfilePath(path string) string {
	if strings.ContainsAny(path, " \"'`()[]{},") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// tagPrefix returns the prefix of the tags for a module in a folder of the repository. A major
// version suffix is not part of the folder. For instance the module in the folder sub/v2 has tags
// such as sub/v2.1.0.
//
// See go.dev/ref/mod#vcs-version. A module whose major version is in a folder v2 has the same tags
// as one whose folder has no suffix.
func tagPrefix(sub string) string {
	if i := strings.LastIndex(sub, "/"); isMajor(sub[i+1:]) {
		sub = strings.TrimSuffix(sub[:i+1], "/")
	}
	if sub == "" {
		return ""
	}
	return sub + "/"
}

// list returns the versions that tags define. Tags that are not canonical versions of this module
// are ignored.
//
// The check with the path excludes versions of another major version, which the tags of a
// repository contain together.
func (d *direct) list(ctx context.Context, dir, prefix string) ([]byte, error) {
	if _, err := git(ctx, dir, "fetch", "--quiet", "--tags", "origin"); err != nil {
		return nil, err
	}
	tags, err := git(ctx, dir, "tag", "--list", prefix+"v*")
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, tag := range strings.Fields(string(tags)) {
		if v := strings.TrimPrefix(tag, prefix); semver.Canonical(v) == v && module.Check(d.path, v) == nil {
			versions = append(versions, v)
		}
	}
	return []byte(strings.Join(versions, "\n")), nil
}

// revision returns the commit for a version, which may be a tag, a branch or a pseudo-version. A
// pseudo-version, such as v0.0.0-20210101000000-abcdefabcdef, names its commit. Versions that were
// fetched once do not change, so only other names fetch first.
//
// The loop runs at most twice: without and with a fetch. A complete version that the clone has
// needs no network, so a notebook that ran once runs again offline.
func (d *direct) revision(ctx context.Context, dir, prefix, version string) (string, error) {
	name := prefix + strings.TrimSuffix(version, "+incompatible")
	if module.IsPseudoVersion(version) {
		commit, err := module.PseudoVersionRev(version)
		if err != nil {
			return "", err
		}
		name = commit
	}
	// The clone may be outdated: branches move and tags are added. Without a network connection the
	// clone must suffice.
	fetched := !semver.IsValid(version)
	if fetched {
		_, _ = git(ctx, dir, "fetch", "--quiet", "--tags", "origin")
	}
	for {
		// A tag takes precedence over a branch, and both over a commit.
		for _, candidate := range []string{"refs/tags/" + name, "refs/remotes/origin/" + name, name, version} {
			if out, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", candidate+"^{commit}"); err == nil {
				return strings.TrimSpace(string(out)), nil
			}
		}
		if fetched {
			return "", fmt.Errorf("%w: the repository has no %s", errAbsent, version)
		}
		if _, err := git(ctx, dir, "fetch", "--quiet", "--tags", "origin"); err != nil {
			return "", err
		}
		fetched = true
	}
}

// info returns the version of a revision in the form of a .info file. A revision that is not a
// version is given a pseudo-version, with the commit's time in UTC and the first 12 digits of its
// hash.
//
// The pseudo-version has no base version, since the tags before the commit are not examined. Such a
// version sorts below every release of its major version, like that of the go command for a
// repository without tags.
func (d *direct) info(ctx context.Context, dir, prefix, version string) ([]byte, error) {
	revision, err := d.revision(ctx, dir, prefix, version)
	if err != nil {
		return nil, err
	}
	stamp, err := git(ctx, dir, "show", "--no-patch", "--format=%ct", revision)
	if err != nil {
		return nil, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(stamp), &seconds); err != nil {
		return nil, err
	}
	at := time.Unix(seconds, 0).UTC()
	// A branch or commit is not a version that a go.mod may contain.
	if !semver.IsValid(version) || semver.Canonical(version) != strings.TrimSuffix(version, "+incompatible") {
		_, major, _ := module.SplitPathVersion(d.path)
		version = module.PseudoVersion(module.PathMajorPrefix(major), "", at, revision[:12])
	}
	return json.Marshal(info{version, at})
}

// zip writes the zip file that a proxy would serve.
//
// Package zip chooses the same files as a proxy: it leaves out nested modules, and adds the LICENSE
// file of the repository to a module in a folder that has none.
func (d *direct) zip(ctx context.Context, m module.Version, w io.Writer) error {
	dir, sub, err := d.repository(ctx)
	if err != nil {
		return err
	}
	prefix := tagPrefix(sub)
	revision, err := d.revision(ctx, dir, prefix, m.Version)
	if err != nil {
		return err
	}
	return modzip.CreateFromVCS(w, m, dir, revision, strings.TrimSuffix(prefix, "/"))
}
