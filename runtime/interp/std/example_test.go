package std_test

import (
	"context"
	"fmt"
	"os"

	"gosphere/runtime/interp"
	"gosphere/runtime/interp/std"
)

func ExampleCore() {
	s, err := interp.New(interp.Options{Stdout: os.Stdout, Memory: 100 << 20})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	if err := s.Use(std.Core); err != nil {
		panic(err)
	}
	if _, err := s.Eval(context.Background(), `func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }`); err != nil {
		panic(err)
	}
	fib, err := interp.Get[func(int) int](s, "fib")
	if err != nil {
		panic(err)
	}
	fmt.Println(fib(20))
	// Output: 6765
}
