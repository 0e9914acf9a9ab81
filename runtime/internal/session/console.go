package session

import "gosphere/kernel/protocol"

// Complete returns the completions of the name before the cursor in a debugger's console. In a
// frame, the names of its function precede those of the session. For instance, to completes to a
// variable total of the function before a variable tools of the session. The cursor counts code
// points.
func (d *Debuggee) Complete(frame int, text string, cursor int) ([]protocol.TypedMatch, error) {
	f, err := d.frameOf(frame)
	if err != nil {
		return nil, err
	}
	objects, _, _ := d.evaluation(f, text, anyStatement).around()
	return d.session.assistant.CompleteWithin(text, cursor, objects).Typed(), nil
}
