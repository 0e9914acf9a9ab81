package session

import (
	"fmt"
	"reflect"
	"strings"

	"gosphere/internal/runtime/exec"
	"gosphere/internal/runtime/link"
)

// The interpreter evaluates each cell as a function that runs the statements in order, until one
// reports that it is the last to run:
//
//	func cellˑ7() {
//		if !gs.Run(0) { return }
//		if !gs.Run(1) { return }
//	}
//
// The operations that Run executes have already been compiled.

// skeletonPath is the import path of the package that exports Run.
const skeletonPath = "gosphere/internal/runtime/session"

// An operations is the execution of a compiled cell.
type operations struct {
	list     []func() (goOn bool)
	panicked any // value of the operation that panicked
}

// run runs an operation and records a panic. A panic must not unwind through the interpreter, which
// would write a message of its own.
func (r *operations) run(i int) (goOn bool) {
	defer func() {
		if value := recover(); value != nil {
			r.panicked = value
		}
	}()
	return r.list[i]()
}

// runOperation is the function that skeletons call as gs.Run.
func runOperation(i int) bool {
	r := currentRecord()
	return r != nil && r.operations.run(i)
}

// prepareSkeletons exports Run to the interpreter.
func (s *Session) prepareSkeletons() error {
	s.engine.Export(skeletonPath, "session", map[string]reflect.Value{"Run": reflect.ValueOf(runOperation)})
	_, err := s.engine.Eval(fmt.Sprintf("import gs %q", skeletonPath))
	return err
}

// skeletonText returns the text of the function for a cell with a number of operations.
func skeletonText(name string, operations int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func %s() {\n", name)
	for i := range operations {
		fmt.Fprintf(&text, "\tif !gs.Run(%d) { return }\n", i)
	}
	text.WriteString("}")
	return text.String()
}

// skeleton evaluates the function for a cell with a number of operations and returns it. The
// interpreter forgets the function at once, so that it does not grow with every cell.
func (s *Session) skeleton(operations int) (func(), error) {
	s.cells++
	name := fmt.Sprintf("cellˑ%d", s.cells)
	// The interpreter would keep the text and the tree of every cell.
	before := s.engine.Mark()
	if _, err := s.engine.Eval(skeletonText(name, operations)); err != nil {
		return nil, err
	}
	f, err := s.engine.Function(name)
	if err != nil {
		return nil, err
	}
	s.engine.Forget(name, before, s.engine.Mark())
	return f, nil
}

// step returns the function that runs a compiled cell, or nil if there is nothing to run.
func (s *Session) step(p *link.Program) (func(), error) {
	n := len(p.First) + len(p.Last)
	if p.Body != nil {
		n += p.Body.Len()
	}
	if n == 0 {
		return nil, nil
	}
	evaluated, err := s.skeleton(n)
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
			traced(func() { body = p.Body.Start() })
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
			panic(tracedPanic(r.panicked))
		}
	}, nil
}
