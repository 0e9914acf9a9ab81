package session

import (
	"gosphere/runtime/internal/exec"
	"gosphere/runtime/internal/link"
)

// Skeletons make the functions that run the operations of cells in order, by calling RunOperation
// with 0 and the following indexes until it returns false. Package engine has one by an
// interpreter.
type Skeletons interface {
	Skeleton(operations int) (func(), error)
}

// loops are the Skeletons of a session without others.
type loops struct{}

// Skeleton returns a loop.
func (loops) Skeleton(operations int) (func(), error) {
	return func() {
		for i := range operations {
			if !RunOperation(i) {
				return
			}
		}
	}, nil
}

// An operations is the execution of a compiled cell. It belongs to one execution; a skeleton that
// is run again gets new operations.
type operations struct {
	list     []func() (proceed bool)
	panicked any // value of the operation that panicked
}

// run runs an operation and records a panic. A panic must not unwind through the interpreter, which
// would write a message of its own.
func (r *operations) run(i int) (proceed bool) {
	defer func() {
		if value := recover(); value != nil {
			r.panicked = value
		}
	}()
	return r.list[i]()
}

// RunOperation runs an operation of the cell of the calling goroutine. It reports whether the next
// one is to run.
func RunOperation(i int) (proceed bool) {
	r := currentRecord()
	return r != nil && r.operations.run(i)
}

// stepOf returns the function that runs a compiled cell, or nil if there is nothing to run.
func stepOf(p *link.Program, by Skeletons) (func(), error) {
	n := len(p.First) + len(p.Last)
	if p.Body != nil {
		n += p.Body.Len()
	}
	if n == 0 {
		return nil, nil
	}
	evaluated, err := by.Skeleton(n)
	if err != nil {
		return nil, err
	}
	return func() {
		r := &operations{}
		for _, call := range p.First {
			r.list = append(r.list, func() bool { call(); return true })
		}
		if p.Body != nil {
			var body *exec.Run
			defer func() {
				if body != nil {
					body.End()
				}
			}()
			// Start is called on the goroutine of the cell, since a thread belongs to a goroutine.
			traced(func() { body = p.Body.Start() }, currentRecord().inProgram())
			for i := range p.Body.Len() {
				r.list = append(r.list, func() bool { return body.Step(i) })
			}
		}
		for _, call := range p.Last {
			r.list = append(r.list, func() bool { call(); return true })
		}
		// The skeleton finds the operations through the record of the cell, because it can only
		// pass an index.
		currentRecord().operations = r
		evaluated()
		if r.panicked != nil {
			panic(tracedPanic(r.panicked, currentRecord().inProgram()))
		}
	}, nil
}
