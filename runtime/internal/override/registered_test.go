package override

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// status returns the status of a request to the default multiplexer.
func status(path string) int {
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code
}

func TestHandlersOfOtherPackagesStay(t *testing.T) {
	before := http.DefaultServeMux
	t.Cleanup(func() { http.DefaultServeMux = before })
	http.DefaultServeMux = http.NewServeMux()
	answer := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
	added := []string{"/debug/requests", "POST /form", "/files/{name}/x", "/tree/{rest...}", "/folder/", "added.test/"}
	for _, pattern := range added {
		http.HandleFunc(pattern, answer)
	}
	for _, list := range handlers {
		for pattern, handler := range list {
			http.HandleFunc(pattern, handler)
		}
	}
	found := patterns(http.DefaultServeMux)
	if len(found) != len(added)+6 || slices.ContainsFunc(added, func(pattern string) bool { return !slices.Contains(found, pattern) }) {
		t.Fatalf("patterns %q", found)
	}
	unregisterHandlers()
	for path, want := range map[string]int{
		"/debug/requests": 418, "/form": 405, "/files/a/x": 418, "/tree/a/b": 418, "/folder/a": 418, "http://added.test/x": 418,
		"/debug/vars": 404, "/debug/pprof/": 404, "/debug/pprof/cmdline": 404, "/other": 404,
	} {
		if got := status(path); got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
}

// The packages register what handlers lists.
func TestHandlersAreThoseOfThePackages(t *testing.T) {
	found := patterns(http.DefaultServeMux)
	for path, list := range handlers {
		for pattern := range list {
			if !slices.Contains(found, pattern) {
				t.Errorf("%s does not register %q; found %q", path, pattern, found)
			}
		}
	}
}
