package browser

import (
	"context"
	"syscall/js"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/kernel"
	"gosphere/runtime/session"
)

// Main serves the page until it requests a shutdown.
func Main(preloaded session.Packages) error {
	process.Preloaded = preloaded
	cellSession, err := cells.NewSession(true)
	if err != nil {
		return err
	}
	language := session.NewLanguage(cellSession, process.Release())
	local, err := kernel.NewLocal(language, send, kernel.WithComms(language.Comms))
	if err != nil {
		return err
	}
	// The functions are never released: the page may call them as long as the program runs.
	global := js.Global()
	global.Set("gosphereDeliver", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if err := local.Deliver(arguments[0].String(), bytesOf(arguments[1])); err != nil {
			return err.Error()
		}
		return nil
	}))
	global.Set("gosphereInterrupt", js.FuncOf(func(js.Value, []js.Value) any {
		// A goroutine of its own, because a function that the page calls must not wait.
		go local.Interrupt()
		return nil
	}))
	serveOwn()
	global.Call("gosphereReady")
	local.Serve(context.Background())
	return nil
}

// send passes a message to the page.
func send(channel string, frames [][]byte) {
	list := js.Global().Get("Array").New(len(frames))
	for i, frame := range frames {
		bytes := js.Global().Get("Uint8Array").New(len(frame))
		js.CopyBytesToJS(bytes, frame)
		list.SetIndex(i, bytes)
	}
	js.Global().Call("gosphereSend", channel, list)
}

// bytesOf copies the frames of a message of the page.
func bytesOf(list js.Value) [][]byte {
	frames := make([][]byte, list.Length())
	for i := range frames {
		frame := list.Index(i)
		frames[i] = make([]byte, frame.Length())
		js.CopyBytesToGo(frames[i], frame)
	}
	return frames
}
