package realtype

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"sync"
	"testing"
)

const stressVariable = "REALTYPE_STRESS"

// TestForgedTypesSurviveTheCollector runs all tests of this package again with a collector that
// runs constantly and overwrites freed memory.
func TestForgedTypesSurviveTheCollector(t *testing.T) {
	if os.Getenv(stressVariable) != "" {
		t.Skip("this is the run under stress")
	}
	if testing.Short() {
		t.Skip("short run")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	command := exec.CommandContext(t.Context(), binary, "-test.count=1")
	command.Env = append(os.Environ(), stressVariable+"=1", "GOGC=1", "GODEBUG=clobberfree=1")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHeapObjectsOfForgedTypes keeps garbage and live pointers in objects that compiled code
// allocates with forged types. Their sizes are close to those at which the collector changes its
// marking method.
func TestHeapObjectsOfForgedTypes(t *testing.T) {
	for _, length := range []int{1, 7, 60, 600, 20000} {
		layout := reflect.ArrayOf(length, typ[*int]())
		forged := mustDeclare(t, "block", layout)
		v := reflect.New(forged.Real()).Elem()
		for i := range length {
			v.Index(i).Set(reflect.ValueOf(new(int)))
			v.Index(i).Elem().SetInt(int64(i))
		}
		runtime.GC()
		garbage := make([]*int, length)
		for i := range garbage {
			garbage[i] = new(int)
			*garbage[i] = -1
		}
		for i := range length {
			if got := v.Index(i).Elem().Int(); got != int64(i) {
				t.Fatalf("block of %d: element %d is %d", length, i, got)
			}
		}
		runtime.KeepAlive(garbage)
	}
}

// The arguments of a method must be visible to the collector while they pass through a stub.
func TestCollectionsDuringCalls(t *testing.T) {
	forged := mustDeclare(t, "holder", typ[[]string]())
	join := func(v []string, a *string, b []string, c map[string]string) string {
		runtime.GC()
		return v[0] + *a + b[0] + c["k"]
	}
	if err := forged.SetMethods([]Method{onValue("Join",
		func(v *[]string, a *string, b []string, c map[string]string) string { return join(*v, a, b, c) }, join)}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			for i := range 50 {
				word := fmt.Sprint(n, i)
				v := box(forged, []string{word + "v"}).(interface {
					Join(*string, []string, map[string]string) string
				})
				a := word + "a"
				if got := v.Join(&a, []string{word + "b"}, map[string]string{"k": word + "c"}); got != word+"v"+word+"a"+word+"b"+word+"c" {
					t.Errorf("got %q", got)
					return
				}
			}
		})
	}
	group.Wait()
}
