package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// build compiles the program for a platform and returns it. The go command's cache makes a second
// build fast.
func (r *release) build(t target) ([]byte, error) {
	work, err := os.MkdirTemp("", "gosphere-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	name := filepath.Join(work, t.program())
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w"+r.stamps(), "-o", name, ".")
	build.Dir = r.root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOOS="+t.os, "GOARCH="+t.arch)
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s: %w\n%s", t, err, text)
	}
	return os.ReadFile(name)
}

// program returns the file name of the program.
func (t target) program() string {
	if t.os == "windows" {
		return "gosphere.exe"
	}
	return "gosphere"
}

// commitTime returns the modification time of all files of the release: SOURCE_DATE_EPOCH, or else
// the time of the commit.
func commitTime(root string) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = git(root, "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, fmt.Errorf("time of the commit: %w (or set SOURCE_DATE_EPOCH)", err)
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	// Zip files cannot represent times before 1980.
	if start := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC); err != nil || seconds < start.Unix() {
		return time.Time{}, fmt.Errorf("time of the commit: %q is no number of seconds after 1980", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// checkTree returns an error if the source differs from the commit or the version is the tag of
// another commit.
func checkTree(root, version string) error {
	changed, err := git(root, "status", "--porcelain")
	if err != nil {
		return fmt.Errorf("state of the source: %w", err)
	}
	if changed != "" {
		return fmt.Errorf("the source differs from the commit; commit the changes, or try with -dirty:\n%s", changed)
	}
	tagged, err := git(root, "rev-parse", "--quiet", "--verify", "refs/tags/"+version+"^{commit}")
	if err != nil {
		return nil // the tag does not exist yet
	}
	if head, err := git(root, "rev-parse", "HEAD"); err != nil || head != tagged {
		return fmt.Errorf("tag %s is on commit %.12s and not on HEAD (%.12s)", version, tagged, head)
	}
	return nil
}

// remoteForms matches the forms of a remote's address.
var remoteForms = regexp.MustCompile(`^(?:https://|ssh://git@|git@)([^/:]+)[:/](.+?)(?:\.git)?/?$`)

// origin returns the browser URL of the remote origin, or "".
func origin(root string) string {
	text, err := git(root, "remote", "get-url", "origin")
	m := remoteForms.FindStringSubmatch(text)
	if err != nil || m == nil {
		return ""
	}
	return "https://" + m[1] + "/" + m[2]
}

func git(root string, arguments ...string) (string, error) {
	text, err := exec.Command("git", append([]string{"-C", root}, arguments...)...).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(text)), err
}
