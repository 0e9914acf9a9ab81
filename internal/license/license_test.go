package license

import "testing"

func TestLicensesAreRecognized(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted, free\nof charge, to any person": "MIT", "Apache License\nVersion 2.0": "Apache-2.0", "All rights are mine": "other",
		"Redistribution and use in source and binary forms ... Neither the name of": "BSD-3-Clause",
	} {
		if got := named(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
