package eventloop

import (
	"syscall/js"
	"time"
)

// A browser delivers messages and timers only while no goroutine runs. period is how long code of
// cells runs until it waits for one turn of the browser's event loop. An interrupt takes about as
// long to arrive.
const period = 25 * time.Millisecond

// turns is the state of Turn. It needs no lock, because there is one thread.
var turns struct {
	last    time.Time     // when the last turn ended
	pending chan struct{} // closed when the turn in progress ends; nil if there is none
	request js.Value      // a function that calls its argument in a later turn of the event loop
	ended   js.Func
}

// Turn waits for a turn of the browser's event loop if the last one is long ago.
func Turn() {
	if time.Since(turns.last) < period {
		return
	}
	if turns.pending == nil {
		if turns.ended.IsUndefined() {
			// A timer of 0 ms would do, but browsers delay nested timers to 4 ms.
			turns.request = js.Global().Get("gosphereTurn")
			turns.ended = js.FuncOf(func(js.Value, []js.Value) any {
				turns.last = time.Now()
				close(turns.pending)
				turns.pending = nil
				return nil
			})
		}
		turns.pending = make(chan struct{})
		turns.request.Invoke(turns.ended)
	}
	<-turns.pending
}
