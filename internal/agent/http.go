package agent

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shutdown bounds the time that open requests have when the server ends.
const shutdown = 2 * time.Second

// Serve serves clients over HTTP until ctx is done. The listener must be one of this machine: the
// requests are not encrypted. Each request must have the token in its Authorization header, and
// must not come from a web page of another origin.
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
		Handler:           http.NewCrossOriginProtection().Handler(authorized(token, protocol)),
		ReadHeaderTimeout: 10 * time.Second,
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
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// shortestToken is the minimum length of a token, of which a random one has 26 characters.
const shortestToken = 16

// authorized passes on the requests that have the token. The comparison takes the same time for all
// tokens of one length.
func authorized(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(got), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="gosphere"`)
			http.Error(w, "the token of this server is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
