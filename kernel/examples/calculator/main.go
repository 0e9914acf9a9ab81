// Command calculator is a Jupyter kernel that calculates with exact numbers: 1/3 + 1/6 is 1/2.
package main

import (
	"context"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"sync/atomic"

	"gosphere/kernel"
)

type calculator struct{ last atomic.Value }

func (*calculator) Info() kernel.Info {
	return kernel.Info{Name: "calculator", Version: "1", FileExtension: ".calc", Banner: "exact numbers; last is the last value"}
}

func (c *calculator) Execute(_ context.Context, x *kernel.Execution) error {
	scope := types.NewPackage("calculator", "calculator")
	if last, ok := c.last.Load().(types.TypeAndValue); ok {
		scope.Scope().Insert(types.NewConst(token.NoPos, scope, "last", last.Type, last.Value))
	}
	if strings.TrimSpace(x.Code) == "" {
		return nil
	}
	v, err := types.Eval(token.NewFileSet(), scope, token.NoPos, x.Code)
	switch {
	case err != nil:
		return &kernel.Error{Name: "SyntaxError", Value: err.Error()}
	case v.Value == nil:
		return fmt.Errorf("%s has no value", x.Code)
	}
	c.last.Store(v)
	if v.Value.Kind() == constant.String {
		fmt.Fprintln(x.Stdout(), constant.StringVal(v.Value))
		return nil
	}
	x.Result(kernel.Text(v.Value.ExactString()))
	return nil
}

func (*calculator) IsComplete(code string) (kernel.Completeness, string) {
	if strings.Count(code, "(") > strings.Count(code, ")") {
		return kernel.Incomplete, "  "
	}
	return kernel.Complete, ""
}

func main() { kernel.Main(new(calculator)) }
