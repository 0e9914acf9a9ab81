package session

import (
	"fmt"
	"reflect"
	"strings"

	"gosphere/internal/runtime/engine"
	"gosphere/internal/runtime/exec"
	"gosphere/internal/runtime/link"
)

// The interpreter evaluates each cell as a function that runs the statements in order, until one
// reports that it is the last to run:
//
//	func cellˑ2() {
//		if !gs.Run(0) { return }
//		if !gs.Run(1) { return }
//	}
//
// The operations that Run executes have already been compiled. The function depends on their number
// alone, so it is made once for each number.

// skeletonPath is the import path of the package that exports Run.
const skeletonPath = "gosphere/internal/runtime/session"

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

// runOperation is the function that skeletons call as gs.Run.
func runOperation(i int) bool {
	r := currentRecord()
	return r != nil && r.operations.run(i)
}

// skeletons evaluate the functions of cells. Their methods must not be called concurrently.
type skeletons struct {
	engine    *engine.Engine
	evaluated map[int]func() // by the number of operations
}

// newSkeletons returns an interpreter that knows Run.
func newSkeletons() (*skeletons, error) {
	k := &skeletons{engine: engine.New(), evaluated: map[int]func(){}}
	k.engine.Export(skeletonPath, "session", map[string]reflect.Value{"Run": reflect.ValueOf(runOperation)})
	_, err := k.engine.Eval(fmt.Sprintf("import gs %q", skeletonPath))
	return k, err
}

// skeletonText returns the text of the function for a cell with a number of operations. The text
// depends on nothing else, so whatever a cell has, the interpreter sees only calls of Run.
func skeletonText(name string, operations int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func %s() {\n", name)
	for i := range operations {
		fmt.Fprintf(&text, "\tif !gs.Run(%d) { return }\n", i)
	}
	text.WriteString("}")
	return text.String()
}

// evaluate returns the function for cells with a number of operations. It evaluates it the first
// time. Calls of the function do not share anything, so cells may run it at the same time.
func (k *skeletons) evaluate(operations int) (func(), error) {
	if f := k.evaluated[operations]; f != nil {
		return f, nil
	}
	name := fmt.Sprintf("cellˑ%d", operations)
	// The interpreter would keep the text and the tree.
	before := k.engine.Mark()
	if _, err := k.engine.Eval(skeletonText(name, operations)); err != nil {
		return nil, err
	}
	f, err := k.engine.Function(name)
	if err != nil {
		return nil, err
	}
	// The function value f stays valid.
	k.engine.Forget(name, before, k.engine.Mark())
	k.evaluated[operations] = f
	return f, nil
}

// step returns the function that runs a compiled cell, or nil if there is nothing to run.
func (k *skeletons) step(p *link.Program) (func(), error) {
	n := len(p.First) + len(p.Last)
	if p.Body != nil {
		n += p.Body.Len()
	}
	if n == 0 {
		return nil, nil
	}
	evaluated, err := k.evaluate(n)
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
