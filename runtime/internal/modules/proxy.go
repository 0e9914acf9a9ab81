package modules

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"gosphere/internal/userfile"
)

const (
	// mostText is the maximum size in bytes of .info, .mod, list and netrc files.
	mostText = 16 << 20
	// mostZip is the maximum size in bytes of a module's zip file, as in the go command.
	mostZip = 500 << 20
)

// errAbsent reports that a proxy does not have the requested file.
var errAbsent = errors.New("not found")

// A source provides the files of modules. It is a proxy or a version control system. An error that
// wraps errAbsent means that another source may have the file.
//
// The names are those of the proxy protocol, because direct can answer the same requests, and one
// form of request serves both.
type source interface {
	// text returns PATH/@v/NAME, or PATH/@latest if name is "".
	text(ctx context.Context, path, name string) ([]byte, error)
	// zip writes the zip file of a module version to w.
	zip(ctx context.Context, m module.Version, w io.Writer) error
}

// try calls ask with the sources for a module path in turn, according to GOPROXY, until one
// succeeds. The error that is returned is the first that says more than that the module is absent.
func (s *Set) try(path string, ask func(source) error) error {
	var first error
	for _, entry := range s.environment.proxies(path) {
		err := s.tryEntry(entry, path, ask)
		if err == nil {
			return nil
		}
		if first == nil || errors.Is(first, errAbsent) {
			first = err
		}
		if !errors.Is(err, errAbsent) && !entry.anyError {
			return err
		}
	}
	if first == nil {
		first = errors.New("GOPROXY lists no proxy")
	}
	return first
}

// tryEntry calls ask with the source for one entry of GOPROXY.
func (s *Set) tryEntry(entry proxyEntry, path string, ask func(source) error) error {
	switch entry.url {
	case "off":
		return fmt.Errorf("module lookup is disabled by GOPROXY=off")
	case "direct":
		return ask(&direct{set: s, path: path})
	}
	return ask(&proxy{base: entry.url, client: s.client, netrc: s.environment.Netrc})
}

// A proxy is a module proxy with an http, https or file URL; see go help goproxy.
//
// The protocol consists of GET requests for fixed names (go.dev/ref/mod#goproxy-protocol), so a
// folder on a file server is a proxy, too.
type proxy struct {
	base   string
	client *http.Client
	netrc  string
}

// text implements source.
//
// Answers are limited in size, since they are kept in memory before they can be verified.
func (p *proxy) text(ctx context.Context, path, name string) ([]byte, error) {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return nil, err
	}
	at := "@latest"
	if name != "" {
		at = "@v/" + name
	}
	var b strings.Builder
	if err := p.get(ctx, escaped+"/"+at, &b, mostText); err != nil {
		return nil, err
	}
	return []byte(b.String()), nil
}

// zip implements source.
func (p *proxy) zip(ctx context.Context, m module.Version, w io.Writer) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return err
	}
	return p.get(ctx, escaped+"/@v/"+version+".zip", w, mostZip)
}

// get writes the content of a URL below the base to w. most is the maximum size in bytes. 404 and
// 410 mean that the proxy does not have the module (go help goproxy); any other status is a failure
// of the proxy. The first line of the body is the proxy's reason.
func (p *proxy) get(ctx context.Context, name string, w io.Writer, most int64) error {
	if root, ok := strings.CutPrefix(p.base, "file://"); ok {
		return getFile(filepath.Join(filepath.FromSlash(root), filepath.FromSlash(name)), w, most)
	}
	if !strings.HasPrefix(p.base, "http://") && !strings.HasPrefix(p.base, "https://") {
		return fmt.Errorf("GOPROXY entry %q is no URL of a known form (https, http, file)", p.base)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/"+name, nil)
	if err != nil {
		return err
	}
	// As with the go command, a password of the file is not sent without encryption, and a name in
	// the URL takes precedence over the file.
	if request.URL.Scheme == "https" && request.URL.User == nil {
		if login, password, ok := credentials(p.netrc, request.URL.Hostname()); ok {
			request.SetBasicAuth(login, password)
		}
	}
	response, err := p.client.Do(request)
	if err != nil {
		return shorter(err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusGone:
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("%w: %s", errAbsent, firstLine(string(text), response.Status))
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", redacted(request.URL), response.Status)
	}
	// One byte more than allowed distinguishes a file that is too large.
	n, err := io.Copy(w, io.LimitReader(response.Body, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("%s is larger than %d bytes", redacted(request.URL), most)
	}
	return err
}

// getFile writes a file of a file:// proxy, which is a folder in the format of the module cache.
func getFile(name string, w io.Writer, most int64) error {
	f, err := userfile.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", errAbsent, name)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(w, io.LimitReader(f, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("%s is larger than %d bytes", name, most)
	}
	return err
}

// redacted returns the text of a URL without its password.
func redacted(u *url.URL) string { return u.Redacted() }

// shorter returns the cause of an error of package net/http with only the host name. A URL of a
// proxy can be long, and may contain a password.
func shorter(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		if u, parsed := url.Parse(failed.URL); parsed == nil {
			return fmt.Errorf("%s: %w", u.Host, failed.Err)
		}
	}
	return err
}

// firstLine returns the first line of a text, or otherwise if there is none.
func firstLine(text, otherwise string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return otherwise
	}
	return strings.TrimPrefix(line, "not found: ")
}

// newClient returns the client for proxies. A proxy must begin to respond within a minute. The
// download itself has no time limit, since an interrupt ends it.
//
// The transport is like the default one. It is no clone, because cloning sets up HTTP/2 and TLS at
// the start of every session, and most sessions download nothing.
func newClient() *http.Client {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           http.DefaultTransport.(*http.Transport).DialContext, // nil in a browser
		ForceAttemptHTTP2:     true,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: time.Minute,
	}
	return &http.Client{Transport: transport, CheckRedirect: staysSecure}
}

// staysSecure rejects a redirect from https to another scheme, which would send a password without
// encryption if the host is the same.
func staysSecure(request *http.Request, via []*http.Request) error {
	if via[0].URL.Scheme == "https" && request.URL.Scheme != "https" {
		return fmt.Errorf("redirected from a secure URL to %s", redacted(request.URL))
	}
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

// credentials returns the name and the password for a host from a netrc file. A line is "machine
// HOST login NAME password WORD"; line breaks have no meaning. The entry named default is for
// anonymous logins on any host. Like the go command, credentials ignores it, since a proxy of
// public modules must not get a password.
//
// Macros (macdef) are not recognized.
func credentials(file, host string) (login, password string, ok bool) {
	f, err := userfile.Open(file)
	if err != nil {
		return "", "", false
	}
	defer f.Close()
	words := bufio.NewScanner(io.LimitReader(f, mostText))
	words.Split(bufio.ScanWords)
	mine := false
	for words.Scan() {
		switch words.Text() {
		case "machine":
			if ok && login != "" {
				return login, password, true
			}
			mine = words.Scan() && words.Text() == host
			ok = ok || mine
		case "default":
			mine = false
		case "login":
			if words.Scan() && mine {
				login = words.Text()
			}
		case "password":
			if words.Scan() && mine {
				password = words.Text()
			}
		}
	}
	return login, password, ok && login != ""
}
