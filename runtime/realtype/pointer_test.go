package realtype

import (
	"testing"
	"unsafe"
)

func TestPointersBecomeSlicesAndStrings(t *testing.T) {
	xs := []int16{1, 2, 3}
	p := SliceData(xs).(*int16)
	if p != &xs[0] {
		t.Errorf("data of a slice is at %p, want %p", p, &xs[0])
	}
	if ys := SliceAt(p, 2).([]int16); len(ys) != 2 || cap(ys) != 2 || &ys[1] != &xs[1] {
		t.Errorf("slice at a pointer: got %v", ys)
	}
	if q := (*int16)(AddToPointer(unsafe.Pointer(p), 4)); *q != 3 {
		t.Errorf("4 bytes on: got %d, want 3", *q)
	}
	if s := StringAt(StringData("hello"), 4); s != "hell" {
		t.Errorf("string at a pointer: got %q", s)
	}
}

func TestNilPointersBecomeNilSlices(t *testing.T) {
	if ys := SliceAt((*int)(nil), 0).([]int); ys != nil {
		t.Errorf("got %v, want nil", ys)
	}
	if p := SliceData([]int(nil)).(*int); p != nil {
		t.Errorf("got %p, want nil", p)
	}
	defer func() {
		if recover() == nil {
			t.Error("a slice of one element at nil does not panic")
		}
	}()
	SliceAt((*int)(nil), 1)
}
