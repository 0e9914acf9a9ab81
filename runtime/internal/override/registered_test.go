package override

import (
	"expvar"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"reflect"
	"slices"
	"testing"
)

// tables has some objects of compiled packages.
var tables Symbol = func(path, name string) (reflect.Value, bool) {
	if path+"."+name == "net/http.DefaultServeMux" {
		return reflect.ValueOf(&http.DefaultServeMux).Elem(), true
	}
	v := reflect.ValueOf(map[string]any{
		"net/http.ServeMux": (*http.ServeMux)(nil), "net/http.Server": (*http.Server)(nil), "expvar.Handler": expvar.Handler,
		"net/http/pprof.Index": pprof.Index, "net/http/pprof.Cmdline": pprof.Cmdline, "net/http/pprof.Profile": pprof.Profile,
		"net/http/pprof.Symbol": pprof.Symbol, "net/http/pprof.Trace": pprof.Trace,
	}[path+"."+name])
	return v, v.IsValid()
}

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
	for path := range handlers {
		tables.register(reflect.ValueOf(http.DefaultServeMux), path)
	}
	found := patterns(reflect.ValueOf(http.DefaultServeMux))
	if len(found) != len(added)+6 || slices.ContainsFunc(added, func(pattern string) bool { return !slices.Contains(found, pattern) }) {
		t.Fatalf("patterns %q", found)
	}
	unregisterHandlers(tables)
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
	found := patterns(reflect.ValueOf(http.DefaultServeMux))
	for path, list := range handlers {
		for pattern := range list {
			if !slices.Contains(found, pattern) {
				t.Errorf("%s does not register %q; found %q", path, pattern, found)
			}
		}
	}
}

// A session of a program that is not its own never sees the program's multiplexer.
func TestServersWithoutHandlerHaveTheMultiplexerOfTheSession(t *testing.T) {
	o := NewOwn("cells", tables)
	handle, ok := o.Function("net/http", "Handle", reflect.ValueOf(http.Handle))
	if !ok {
		t.Fatal("Handle is the program's")
	}
	handle.Interface().(func(string, http.Handler))("/own", http.NotFoundHandler())
	mux, _ := o.Variable("net/http", "DefaultServeMux")
	if found := patterns(mux); len(found) != 1 || found[0] != "/own" || slices.Contains(patterns(reflect.ValueOf(http.DefaultServeMux)), "/own") {
		t.Errorf("patterns %q of the session", found)
	}
	serve, ok := o.Method("(*net/http.Server).ListenAndServe")
	if !ok {
		t.Fatal("Serve is the program's")
	}
	server := &http.Server{Addr: "no address"}
	if err := serve.Interface().(func(*http.Server) error)(server); err == nil || server.Handler != mux.Interface().(http.Handler) {
		t.Errorf("handler %v, %v", server.Handler, err)
	}
	alone := NewOwn("cells", nil)
	handle, _ = alone.Function("net/http", "Handle", reflect.ValueOf(http.Handle))
	defer func() {
		if got := recover(); got != errNoMux {
			t.Errorf("a table with Handle alone: %v", got)
		}
	}()
	handle.Interface().(func(string, http.Handler))("/own", http.NotFoundHandler())
}
