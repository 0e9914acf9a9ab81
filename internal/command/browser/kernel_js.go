package browser

import (
	"context"
	"os"
	"syscall/js"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/internal/kernel/comm"
	"gosphere/internal/kernel/history"
	"gosphere/internal/kernel/server"
	"gosphere/internal/kernel/socket"
	"gosphere/internal/kernel/wire"
)

// Main serves the page until it requests a shutdown.
func Main(brought process.Preloaded) error {
	process.Brought = brought
	session, err := cells.NewSession()
	if err != nil {
		return err
	}
	codec, err := wire.NewCodec("", "")
	if err != nil {
		return err
	}
	comms := comm.NewTable()
	session.BindComms(comms)
	sockets, page := socket.NewPage(send)
	kernel := server.New(server.Options{
		Sockets: sockets, Codec: codec, Interpreter: session, Comms: comms, History: history.New(history.Options{}), Version: process.Release(), Log: os.Stderr,
	})
	// The functions are never released: the page may call them as long as the program runs.
	global := js.Global()
	global.Set("gosphereDeliver", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if err := page.Deliver(arguments[0].String(), bytesOf(arguments[1])); err != nil {
			return err.Error()
		}
		return nil
	}))
	global.Set("gosphereInterrupt", js.FuncOf(func(js.Value, []js.Value) any {
		// A goroutine of its own, because a function that the page calls must not wait.
		go kernel.Interrupt()
		return nil
	}))
	serveOwn()
	global.Call("gosphereReady")
	kernel.Serve(context.Background())
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
