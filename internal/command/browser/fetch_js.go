package browser

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall/js"
)

// In a program for the browser, package net is a network inside the program, which servers of cells
// listen on, but the clients of net/http call the browser's fetch, which cannot reach that network.
// fetcher is a function fetch that connects the two: it answers requests to a server of the program
// itself, and passes all other requests to the browser.
type fetcher struct {
	browser js.Value // the browser's fetch
	own     *http.Transport
}

// unreachable is the error of a request to an address on which the program has no server.
type unreachable struct{ error }

// serveOwn makes the program's own servers reachable for its HTTP clients. A lookup of another host
// returns an error that names the reason.
func serveOwn() {
	net.DefaultResolver.Dial = func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("a browser has no sockets: net/http sends requests through the browser, for instance with http.Get")
	}
	f := fetcher{
		browser: js.Global().Get("fetch"),
		own: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := new(net.Dialer).DialContext(ctx, network, address)
			if err != nil {
				return nil, unreachable{err}
			}
			return connection, nil
		}},
	}
	js.Global().Set("fetch", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		return f.fetch(arguments)
	}))
}

// fetch has the arguments and the result of the browser's function of that name.
func (f fetcher) fetch(arguments []js.Value) js.Value {
	toBrowser := func() js.Value {
		list := make([]any, len(arguments))
		for i, argument := range arguments {
			list[i] = argument
		}
		return f.browser.Invoke(list...)
	}
	if len(arguments) < 2 || arguments[0].Type() != js.TypeString {
		return toBrowser()
	}
	address, err := url.Parse(arguments[0].String())
	if err != nil || address.Scheme != "http" || !isLoopback(address.Hostname()) {
		return toBrowser()
	}
	ctx, cancel := context.WithCancel(context.Background())
	request, err := newRequest(ctx, address.String(), arguments[1])
	if err != nil {
		cancel()
		return toBrowser()
	}
	release := onAbort(arguments[1], cancel)
	done := func() {
		cancel()
		release()
	}
	return newPromise(func(resolve, reject js.Value) {
		response, err := f.own.RoundTrip(request)
		var none unreachable
		switch {
		case errors.As(err, &none):
			done()
			resolve.Invoke(toBrowser())
		case err != nil:
			done()
			reject.Invoke(js.Global().Get("Error").New(err.Error()))
		default:
			resolve.Invoke(newResponse(response, done))
		}
	})
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// newRequest returns the request that the options of a call of fetch describe.
func newRequest(ctx context.Context, address string, options js.Value) (*http.Request, error) {
	var body io.Reader
	if content := options.Get("body"); content.Truthy() {
		data := make([]byte, content.Length())
		js.CopyBytesToGo(data, content)
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, options.Get("method").String(), address, body)
	if err != nil {
		return nil, err
	}
	for headers := options.Get("headers").Call("entries"); ; {
		next := headers.Call("next")
		if next.Get("done").Bool() {
			return request, nil
		}
		request.Header.Add(next.Get("value").Index(0).String(), next.Get("value").Index(1).String())
	}
}

// onAbort calls a function when the signal in the options of a call of fetch is aborted, until
// release is called.
func onAbort(options js.Value, call func()) (release func()) {
	aborted := js.FuncOf(func(js.Value, []js.Value) any {
		call()
		return nil
	})
	if signal := options.Get("signal"); signal.Truthy() {
		signal.Call("addEventListener", "abort", aborted)
		return func() {
			signal.Call("removeEventListener", "abort", aborted)
			aborted.Release()
		}
	}
	return aborted.Release
}

// newResponse returns an object with the properties of a Response that net/http reads. A Response
// of the browser would lack headers such as Set-Cookie. done is called when the body is read or
// closed.
func newResponse(response *http.Response, done func()) js.Value {
	pairs := js.Global().Get("Array").New()
	for key, values := range response.Header {
		for _, value := range values {
			pairs.Call("push", []any{key, value})
		}
	}
	var entries js.Func
	entries = js.FuncOf(func(js.Value, []js.Value) any {
		entries.Release()
		return pairs.Call("values")
	})
	return js.ValueOf(map[string]any{
		"status":     response.StatusCode,
		"redirected": false, // http.Client follows redirects
		"headers":    map[string]any{"entries": entries},
		"body":       newStream(response.Body, done),
	})
}

// newStream returns a ReadableStream with a body.
func newStream(body io.ReadCloser, done func()) js.Value {
	var pull, cancel js.Func
	ended := false // needs no lock, because there is one thread
	end := func() {
		ended = true
		body.Close()
		done()
		pull.Release()
		cancel.Release()
	}
	pull = js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		controller := arguments[0]
		return newPromise(func(resolve, _ js.Value) {
			defer resolve.Invoke()
			buffer := make([]byte, 32<<10)
			n, err := body.Read(buffer)
			if ended {
				return // a canceled stream takes no more
			}
			if n > 0 {
				chunk := js.Global().Get("Uint8Array").New(n)
				js.CopyBytesToJS(chunk, buffer[:n])
				controller.Call("enqueue", chunk)
			}
			if err == nil {
				return
			}
			end()
			if err == io.EOF {
				controller.Call("close")
			} else {
				controller.Call("error", js.Global().Get("Error").New(err.Error()))
			}
		})
	})
	cancel = js.FuncOf(func(js.Value, []js.Value) any {
		ended = true
		go end()
		return nil
	})
	return js.Global().Get("ReadableStream").New(map[string]any{"pull": pull, "cancel": cancel})
}

// newPromise returns a promise that a function settles in a goroutine of its own.
func newPromise(settle func(resolve, reject js.Value)) js.Value {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		executor.Release()
		go settle(arguments[0], arguments[1])
		return nil
	})
	return js.Global().Get("Promise").New(executor)
}
