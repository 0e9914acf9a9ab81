package override

import (
	"reflect"
	"runtime"
	"sync"
	"weak"

	"gosphere/runtime/internal/machine"
)

// pinned has the objects that cells have pinned, by pinner. The runtime ends the process when the
// collector finds a pinner whose objects have not been unpinned. Pinning matters for C code, which
// cells cannot call; what remains is that the objects stay alive as long as their pinner.
var pinned struct {
	sync.Mutex
	objects map[weak.Pointer[runtime.Pinner]][]any
}

// pin implements the method Pin of runtime.Pinner.
func pin(p *runtime.Pinner, object any) {
	switch t := reflect.TypeOf(object); {
	case t == nil:
		panic(machine.RuntimeError("runtime.Pinner: argument is nil"))
	case t.Kind() != reflect.Pointer && t.Kind() != reflect.UnsafePointer:
		panic(machine.RuntimeError("runtime.Pinner: argument is not a pointer: " + t.String()))
	case p == nil:
		p.Pin(object) // panics
	}
	key := weak.Make(p)
	pinned.Lock()
	defer pinned.Unlock()
	list, known := pinned.objects[key]
	if !known {
		if pinned.objects == nil {
			pinned.objects = map[weak.Pointer[runtime.Pinner]][]any{}
		}
		runtime.AddCleanup(p, release, key)
	}
	pinned.objects[key] = append(list, object)
}

func release(key weak.Pointer[runtime.Pinner]) {
	pinned.Lock()
	defer pinned.Unlock()
	delete(pinned.objects, key)
}

// unpin implements the method Unpin of runtime.Pinner.
func unpin(p *runtime.Pinner) {
	if p == nil {
		p.Unpin() // panics
	}
	release(weak.Make(p))
}
