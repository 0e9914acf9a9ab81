// Package hub downloads the files of a published model over HTTPS to a folder. It resumes
// interrupted downloads and verifies the checksums that the hub states.
//
//	err := hub.Get(ctx, hub.Options{Repository: "openai/clip-vit-base-patch32", Files: files, Folder: dir})
package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/internal/lazyregexp"
)

// DefaultServer is the Hugging Face hub.
const DefaultServer = "https://huggingface.co"

// Options selects the files to download.
type Options struct {
	// Server is the address of the hub; "" means DefaultServer. Repository is owner/name. Revision
	// is a branch or commit; "" means main.
	Server, Repository, Revision string
	// Files are paths inside the repository.
	Files []string
	// Folder is the destination.
	Folder string
	// Token is sent as a bearer token unless it is empty. Gated models require one.
	Token string
	// Progress is called with the number of bytes received and the total, or 0 if that is unknown.
	// It may be nil.
	Progress func(file string, done, total int64)
	// Client may be nil for http.DefaultClient.
	Client *http.Client
}

// Get downloads the files that the folder does not have yet. A file is stored as NAME.part until it
// is complete and its checksum verified. The checksums of all files are written to SHA256SUMS, in
// the format of sha256sum. Errors name the file and explain how to proceed without a network.
func Get(ctx context.Context, o Options) error {
	if o.Server == "" {
		o.Server = DefaultServer
	}
	if o.Revision == "" {
		o.Revision = "main"
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	var sums strings.Builder
	for _, file := range o.Files {
		if !filepath.IsLocal(file) {
			return fmt.Errorf("hub: %q is not a path inside a folder", file)
		}
		sum, err := o.get(ctx, file)
		if err != nil {
			return fmt.Errorf("hub: %s of %s: %w", file, o.Repository, err)
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, file)
	}
	return embedding.WriteWhole(filepath.Join(o.Folder, "SHA256SUMS"), func(w io.Writer) error {
		_, err := io.WriteString(w, sums.String())
		return err
	})
}

// get downloads one file and returns its checksum.
func (o Options) get(ctx context.Context, file string) (sum string, err error) {
	path := filepath.Join(o.Folder, filepath.FromSlash(file))
	if _, err := os.Stat(path); err == nil {
		return sumOf(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	part, err := os.OpenFile(path+".part", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return "", err
	}
	defer part.Close()
	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	want, err := o.fetch(ctx, file, part, have)
	if err != nil {
		return "", err
	}
	if err := errors.Join(part.Sync(), part.Close()); err != nil {
		return "", err
	}
	if sum, err = sumOf(path + ".part"); err != nil {
		return "", err
	}
	if want != "" && sum != want {
		if err := os.Remove(path + ".part"); err != nil {
			return "", err
		}
		return "", fmt.Errorf("the checksum is %s, the hub states %s: the download was removed; try again", sum, want)
	}
	return sum, os.Rename(path+".part", path)
}

// checksum matches a SHA-256 in hexadecimal, which the hub states in a header of large files.
var checksum = lazyregexp.New(`^"?([0-9a-f]{64})"?$`)

// fetch appends the missing bytes to a file. It returns the checksum that the hub states, or "" if
// it states none.
func (o Options) fetch(ctx context.Context, file string, part *os.File, have int64) (want string, err error) {
	address, err := url.JoinPath(o.Server, o.Repository, "resolve", o.Revision, file)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	if o.Token != "" {
		request.Header.Set("Authorization", "Bearer "+o.Token)
	}
	client := *o.Client
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if next.Response != nil { // the hub states the checksum; the storage that it redirects to may not
			want = stated(next.Response, want)
		}
		if len(via) > 10 {
			return errors.New("more than 10 redirections")
		}
		return nil
	}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("%w\nWithout a network, download %s elsewhere and copy it to %s", err, address, part.Name()[:len(part.Name())-len(".part")])
	}
	defer response.Body.Close()
	want = stated(response, want)
	switch response.StatusCode {
	case http.StatusOK: // the server does not support ranges and sends the whole file
		have = 0
		if err := part.Truncate(0); err != nil {
			return "", err
		}
	case http.StatusPartialContent:
		if from := response.Header.Get("Content-Range"); !strings.HasPrefix(from, fmt.Sprintf("bytes %d-", have)) {
			return "", fmt.Errorf("%s: asked for bytes from %d, the answer is of %q", address, have, from)
		}
	case http.StatusRequestedRangeNotSatisfiable: // the file is complete already
		return want, nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return "", fmt.Errorf("%s: %s: the model wants a login: accept its license on its page and pass a token", address, response.Status)
	default:
		return "", fmt.Errorf("%s: %s", address, response.Status)
	}
	if _, err := part.Seek(have, io.SeekStart); err != nil {
		return "", err
	}
	return want, o.copy(part, response, file, have)
}

// stated returns the checksum in the headers of a response, or so if there is none.
func stated(response *http.Response, so string) string {
	for _, name := range []string{"X-Linked-Etag", "Etag"} {
		if match := checksum.FindStringSubmatch(response.Header.Get(name)); match != nil {
			return match[1]
		}
	}
	return so
}

// copy writes the body of a response to dst.
func (o Options) copy(dst io.Writer, response *http.Response, file string, have int64) error {
	total := int64(0)
	if response.ContentLength >= 0 {
		total = have + response.ContentLength
	}
	buffer := make([]byte, 1<<20)
	for {
		n, err := response.Body.Read(buffer)
		if n > 0 {
			if _, err := dst.Write(buffer[:n]); err != nil {
				return err
			}
			have += int64(n)
			if o.Progress != nil {
				o.Progress(file, have, total)
			}
		}
		if err == io.EOF {
			if total > 0 && have < total {
				return fmt.Errorf("the connection ended after %d of %d bytes; run the command again to go on", have, total)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w; run the command again to go on after %d bytes", err, have)
		}
	}
}

// sumOf returns the SHA-256 of a file in hexadecimal.
func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
