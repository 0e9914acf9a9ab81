package device

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

func TestLongMatricesAskForLargePages(t *testing.T) {
	if choice, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil || bytes.Contains(choice, []byte("[never]")) {
		t.Skip("this system has no large pages to ask for")
	}
	m := NewMatrix[float32](2048, 2048)
	if middle := &m.Values[len(m.Values)/2]; !strings.Contains(flagsOf(t, uintptr(unsafe.Pointer(middle))), " hg") {
		t.Errorf("a matrix of 16 MiB lies where no large pages were asked for")
	}
}

// flagsOf returns the flags of the mapping that contains an address, from /proc/self/smaps.
func flagsOf(t *testing.T, address uintptr) string {
	t.Helper()
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("this system does not tell about its mappings")
	}
	defer file.Close()
	inside := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
		}
		if inside && strings.HasPrefix(lines.Text(), "VmFlags:") {
			return lines.Text()
		}
	}
	return ""
}

func TestAdviceOnPagesKeepsValues(t *testing.T) {
	values := make([]float32, 3*hugePage/4+12345)
	for i := range values {
		values[i] = float32(i)
	}
	for _, part := range [][]float32{values, values[1:], values[:len(values)-7], values[5 : 2*hugePage/4+5], values[:0], nil} {
		if got := onHugePages(part); len(got) != len(part) || len(part) > 0 && &got[0] != &part[0] {
			t.Errorf("the slice of %d values came back another", len(part))
		}
	}
	for i, value := range values {
		if value != float32(i) {
			t.Fatalf("value %d became %v", i, value)
		}
	}
}
