package session_test

import (
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
)

// A compiled package may name an instance of its own generic type only by an alias, as
// device.Device is Operations[float32].
func TestInstancesOfCompiledTypesKeepTheirType(t *testing.T) {
	s := sessiontest.New(t)
	for _, c := range []struct{ code, want string }{
		{"import (\"fmt\"; \"gosphere/asymvlm/device\")\non := device.Shared()\nfmt.Println(on == device.Shared(), on.Name() != \"\")", "true true\n"},
		{"var again device.Device = on\nshared := device.Shared\nfmt.Println(again.Name() == shared().Name())", "true\n"},
		{"devices := map[string]device.Device{\"a\": on}\nfunc nameOf(d device.Operations[float32]) string { return d.Name() }\nfmt.Println(nameOf(devices[\"a\"]) == on.Name())", "true\n"},
		{"var any1 any = on\n_, is := any1.(device.Device)\nfmt.Println(is)", "true\n"},
		{"var work device.TrainingPlan\nfmt.Println(work.Adapted.Rows, len(work.Anchors.Values))", "0 0\n"},
	} {
		if got, err := sessiontest.Printed(s, c.code); err != nil || got != c.want {
			t.Errorf("%s\nprints %q, %v; want %q", c.code, got, err, c.want)
		}
	}
	_, err := sessiontest.Printed(s, "var doubles device.Matrix[float64]")
	if err == nil || !strings.Contains(err.Error(), "device.Matrix[float64] is an instance") {
		t.Errorf("an instance that nothing leads to: %v, want a refusal that names the type", err)
	}
}
