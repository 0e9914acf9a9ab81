package kernel_test

import (
	"context"

	"gosphere/kernel"
)

type greeter struct{}

func (greeter) Info() kernel.Info { return kernel.Info{Name: "echo", FileExtension: ".txt"} }

func (greeter) Execute(ctx context.Context, x *kernel.Execution) error {
	name, err := x.Input("your name? ")
	if err != nil {
		return err
	}
	x.Result(kernel.Text(name + ": " + x.Code))
	return nil
}

// A whole kernel is a type with two methods and a call of Main.
func ExampleMain() {
	kernel.Main(greeter{})
}
