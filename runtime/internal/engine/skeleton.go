package engine

import (
	"fmt"
	"reflect"
	"strings"
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
const skeletonPath = "gosphere/runtime/internal/engine"

// Skeletons evaluate the functions of cells. Their methods must not be called concurrently.
type Skeletons struct {
	engine    *Engine
	evaluated map[int]func() // by the number of operations
}

// NewSkeletons returns an interpreter that knows run as gs.Run.
func NewSkeletons(run func(operation int) (proceed bool)) (*Skeletons, error) {
	k := &Skeletons{engine: New(), evaluated: map[int]func(){}}
	k.engine.Export(skeletonPath, "engine", map[string]reflect.Value{"Run": reflect.ValueOf(run)})
	_, err := k.engine.Eval(fmt.Sprintf("import gs %q", skeletonPath))
	return k, err
}

// SkeletonText returns the text of the function for a cell with a number of operations. The text
// depends on nothing else, so whatever a cell has, the interpreter sees only calls of Run.
func SkeletonText(operations int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func %s() {\n", nameOf(operations))
	for i := range operations {
		fmt.Fprintf(&text, "\tif !gs.Run(%d) { return }\n", i)
	}
	text.WriteString("}")
	return text.String()
}

func nameOf(operations int) string { return fmt.Sprintf("cellˑ%d", operations) }

// Skeleton returns the function for cells with a number of operations. It evaluates it the first
// time. Calls of the function do not share anything, so cells may run it at the same time.
func (k *Skeletons) Skeleton(operations int) (func(), error) {
	if f := k.evaluated[operations]; f != nil {
		return f, nil
	}
	name := nameOf(operations)
	// The interpreter would keep the text and the tree.
	before := k.engine.Mark()
	if _, err := k.engine.Eval(SkeletonText(operations)); err != nil {
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
