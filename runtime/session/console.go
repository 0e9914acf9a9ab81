package session

import "gosphere/kernel/protocol"

// Complete tells how the name before the cursor of a debugger's console can go on. In a frame the
// names of its function come before those of the session. The cursor counts code points.
func (d *Debuggee) Complete(frame int, text string, cursor int) ([]protocol.TypedMatch, error) {
	f, err := d.frameOf(frame)
	if err != nil {
		return nil, err
	}
	objects, _, _ := d.evaluation(f, text, anyStatement).around()
	return d.session.assistant.CompleteWithin(text, cursor, objects).Typed(), nil
}
