package comm_test

import (
	"fmt"
	"log"

	"gosphere/runtime/comm"
)

// A comm sends JSON values to the front end and receives the answers of its JavaScript. Here a
// page answers each message with its data.
func ExampleOpen() {
	page := newEcho()
	defer page.close()

	c, err := comm.Open("my.target", map[string]any{"value": 1})
	if err != nil {
		log.Fatal(err)
	}
	c.OnMsg(func(m comm.Message) { fmt.Println("received", m.Data) })
	if err := c.Send(map[string]any{"value": 2}); err != nil {
		log.Fatal(err)
	}
	page.answer()
	// Output: received map[value:2]
}
