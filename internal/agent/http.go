package agent

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"
)

// shutdown bounds the time that open requests have when the server ends.
const shutdown = 2 * time.Second

// The limits of HTTP. Clients without the token cost at most mostConnections times the header and
// the buffers of a connection; further ones wait in the queue of the operating system.
const (
	mostConnections = 256
	longestHeader   = 12 << 10 // bytes, to which net/http adds 4096
	longestRequest  = 64 << 20 // bytes of the body of a request with the token
	headerTime      = 5 * time.Second
	idleTime        = 2 * time.Minute
)

// Serve serves clients over HTTP until ctx is done. The listener must be one of this machine: the
// requests are not encrypted. Each request must name this machine as its host, so that a page
// cannot reach the server by a name of its own; it must have the token in its Authorization header,
// and must not come from a web page of another origin.
func (a *Agent) Serve(ctx context.Context, listener net.Listener, token string) error {
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok || !address.IP.IsLoopback() {
		return fmt.Errorf("agent: %v is not an address of this machine alone", listener.Addr())
	}
	if len(token) < shortestToken {
		return fmt.Errorf("agent: the token has %d characters, want at least %d", len(token), shortestToken)
	}
	tools := a.Server()
	protocol := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil)
	server := &http.Server{
		Handler:           local(http.NewCrossOriginProtection().Handler(authorized(token, protocol))),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    longestHeader,
		ErrorLog:          log.New(io.Discard, "", 0), // of clients that close connections early
	}
	// This goroutine ends with ctx, which the caller ends after Serve has returned.
	go func() {
		<-ctx.Done()
		last, stop := context.WithTimeout(context.Background(), shutdown)
		defer stop()
		if server.Shutdown(last) != nil {
			server.Close()
		}
	}()
	if err := server.Serve(netutil.LimitListener(listener, mostConnections)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// shortestToken is the minimum length of a token, of which a random one has 26 characters.
const shortestToken = 16

// local passes on the requests that name this machine as their host. A page whose own name resolves
// to this machine sends that name.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			w.Header().Set("Connection", "close")
			http.Error(w, fmt.Sprintf("the host %q is not this machine", r.Host), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authorized passes on the requests that have the token. The comparison takes the same time for all
// tokens of one length.
func authorized(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(got), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="gosphere"`)
			w.Header().Set("Connection", "close") // the rest of the request is not read
			http.Error(w, "the token of this server is missing or wrong", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, longestRequest)
		next.ServeHTTP(w, r)
	})
}
