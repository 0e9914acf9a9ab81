package builtin

import (
	"reflect"
	"testing"
)

func TestPrintWritesTheValuesOfACallAtOnce(t *testing.T) {
	var writes []string
	PrintTo(func(text string) { writes = append(writes, text) })
	defer PrintTo(func(text string) { print(text) })
	args := []reflect.Value{reflect.ValueOf(1), reflect.ValueOf("a")}
	Print(args, true)
	Print(args, false)
	Delayed["println"](args)
	if want := []string{"1 a\n", "1a", "1 a\n"}; !reflect.DeepEqual(writes, want) {
		t.Errorf("writes are %q, want %q", writes, want)
	}
}
