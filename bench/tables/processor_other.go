//go:build !unix

package main

import "time"

// processorTime is not available on this system; ratios of it are NaN.
func processorTime() time.Duration { return 0 }
